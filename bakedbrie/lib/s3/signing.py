"""Signatures: botocore makes them (SigV4), over headers that we built and a body whose sha256 is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from bakedbrie.lib.outbound.messages import Headers
from bakedbrie.lib.s3.bucket import Bucket
from bakedbrie.lib.sealing import Secret

NOTHING_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def sign(
    bucket: Bucket, secret: Secret, *, method: str, url: str, headers: Mapping[str, str], sha256: str = NOTHING_SHA256
) -> Headers:
    """Return ``headers`` with those that prove who asks. The body is not read: its hash is what is signed."""
    request: Any = AWSRequest(method=method, url=url, headers=dict(headers))
    signer: Any = S3SigV4Auth(Credentials(bucket.access_key_id, secret.reveal()), "s3", bucket.region)
    signer.payload = lambda _: sha256
    signer.add_auth(request)
    return tuple((str(name), str(value)) for name, value in request.headers.items())
