"""A bucket on moto, which checks signatures, and a card whose result goes there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import override_settings

from tests.factories.destinations import Parcel, make_parcel
from tests.support.buckets import S3Server
from workspaces.caller import Caller


@pytest.fixture
def server(moto_server: S3Server) -> Iterator[S3Server]:
    with override_settings(OUTBOUND_LOOPBACK=[moto_server.pair]):
        yield moto_server


@pytest.fixture
def parcel(alice: Caller, server: S3Server) -> Parcel:
    return make_parcel(alice, server)
