"""A scripted service on a real socket, and clients whose names lead to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bakedbrie.lib.outbound.addresses import IPAddress
from bakedbrie.lib.outbound.client import Client
from tests.support.fake_service import FakeService

HOST = "api.example.test"


def open_to_all(_: IPAddress) -> bool:
    """Stands in for the address rule where a test's service is on loopback."""
    return True


@pytest.fixture
def service(tmp_path: Path) -> Iterator[FakeService]:
    """TLS, for ``api.example.test``."""
    with FakeService(HOST, folder=tmp_path) as service:
        yield service


@pytest.fixture
def make_client() -> Iterator[Callable[..., Client]]:
    """Makes clients and closes them after the test."""
    made: list[Client] = []

    def make(**parts: Any) -> Client:
        made.append(Client(**parts))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(service: FakeService, make_client: Callable[..., Client]) -> Client:
    """A client for which every name leads to the service; everything else is as strict as in production."""
    return make_client(ca_file=service.ca_file, resolver=service.resolve, is_open=open_to_all)


@pytest.fixture
def plain_service() -> Iterator[FakeService]:
    """Plain HTTP on 127.0.0.1, as a model on the operator's own machine."""
    with FakeService() as service:
        yield service
