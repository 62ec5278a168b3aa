"""The S3 servers of a run, and a client of ours for a new bucket on each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.test import override_settings

from bakedbrie.lib.s3.bucket import Bucket
from bakedbrie.lib.s3.client import S3
from tests.support.buckets import S3Server


@dataclass(frozen=True, kw_only=True)
class Place:
    """A new bucket on one of the servers, asked by us (``ours``) and by the judge (``server``)."""

    server: S3Server
    bucket: Bucket
    ours: S3


@pytest.fixture(params=["moto", "nanio"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    server: S3Server = request.getfixturevalue(f"{request.param}_server")
    bucket = server.new_bucket()
    with override_settings(OUTBOUND_LOOPBACK=[server.pair]):
        yield Place(server=server, bucket=bucket, ours=S3(bucket, server.key(), timeout_s=20))
