"""One harmless question to a bucket: does it take this key?"""

from __future__ import annotations

from bakedbrie.lib.outbound.errors import OutboundCode, OutboundError
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.s3.client import S3
from destinations.calls.outcomes import code_of
from destinations.refusals import BUCKET_NOT_FOUND, DESTINATION_AUTH_FAILED, DESTINATION_UNREACHABLE
from destinations.states import DeliveryCode

TIMEOUT_S = 20.0
_OF_OPERATOR = (
    "An address of this machine or network is for the operator to name, as host:port in OUTBOUND_LOOPBACK. "
    "To create a destination afterwards, prepare a new drop first."
)
_REFUSALS = {
    DeliveryCode.AUTH_FAILED: DESTINATION_AUTH_FAILED,
    DeliveryCode.BUCKET_NOT_FOUND: BUCKET_NOT_FOUND,
    DeliveryCode.BUCKET_ELSEWHERE: BUCKET_NOT_FOUND,
}


def probe(bucket: S3) -> str:
    """Ask for one key of a list, and return the code of what came of it: empty when all is well.

    Refuses DESTINATION_UNREACHABLE where no answer came.
    """
    try:
        outcome = bucket.list(bucket.bucket.prefix, limit=1).outcome
    except OutboundError as error:
        raise unreachable(error.sentence, error.code.value) from None
    return "" if outcome.is_ok else code_of(outcome)


def refusal_of(code: str) -> Refused:
    """Return the refusal that says what a probe told."""
    known = {str(one): refusal for one, refusal in _REFUSALS.items()}
    return known[code](reason=code) if code in known else unreachable(f"It answered {code}.", code)


def unreachable(why: str, reason: str) -> Refused:
    fix = _OF_OPERATOR if reason == OutboundCode.ADDRESS_REFUSED else ""
    return DESTINATION_UNREACHABLE(f"{DESTINATION_UNREACHABLE.message} {why}", fix=fix, reason=reason)
