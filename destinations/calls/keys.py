"""The bucket of a destination, and its key, opened for the requests of one call."""

from __future__ import annotations

from bakedbrie.lib.s3.bucket import Bucket
from bakedbrie.lib.s3.client import S3
from bakedbrie.lib.sealing import SealingError
from destinations.models import Destination
from workspaces.models import SealedSecret
from workspaces.services.secrets import open_secret


class KeyUnusable(Exception):
    """The key of the destination cannot be opened."""


def bucket_of(config: dict[str, object]) -> Bucket:
    """Return the bucket that a destination's settings name."""
    return Bucket(
        endpoint=str(config["endpoint"]),
        region=str(config["region"]),
        name=str(config["bucket"]),
        prefix=str(config["prefix"]),
        path_style=bool(config["path_style"]),
        access_key_id=str(config["access_key_id"]),
    )


def open_bucket(destination: Destination, *, timeout_s: float) -> S3:
    """Return the bucket of a destination, ready to be asked, or raise `KeyUnusable`. It comes with its secret."""
    return open_with(bucket_of(destination.config), destination.secret, timeout_s=timeout_s)


def open_with(bucket: Bucket, secret: SealedSecret | None, *, timeout_s: float) -> S3:
    if secret is None:
        raise KeyUnusable
    try:
        return S3(bucket, open_secret(secret), timeout_s=timeout_s)
    except SealingError:
        raise KeyUnusable from None
