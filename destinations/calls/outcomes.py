"""What an answer of S3 means for a delivery."""

from __future__ import annotations

from bakedbrie.lib.s3.answers import Outcome, S3Code
from destinations.states import DeliveryCode

_CODES = {
    S3Code.AUTH_FAILED: DeliveryCode.AUTH_FAILED,
    S3Code.NO_BUCKET: DeliveryCode.BUCKET_NOT_FOUND,
    S3Code.NOT_FOUND: DeliveryCode.BUCKET_NOT_FOUND,
    S3Code.ELSEWHERE: DeliveryCode.BUCKET_ELSEWHERE,
    S3Code.EXISTS: DeliveryCode.PATH_TAKEN,
    S3Code.RATE_LIMITED: DeliveryCode.RATE_LIMITED,
    S3Code.UNAVAILABLE: DeliveryCode.UNAVAILABLE,
    S3Code.MALFORMED: DeliveryCode.UNAVAILABLE,
}


def code_of(outcome: Outcome) -> str:
    """Return the code of an answer that is no success."""
    return _CODES.get(outcome.code, f"HTTP_{outcome.status}")
