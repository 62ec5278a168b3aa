"""A worker and a model service that live as long as the module, and a broker that is empty for every test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.acceptance.worker import Broker, Worker
from tests.support.fake_service import FakeService


@pytest.fixture(scope="module")
def one_broker() -> Iterator[Broker]:
    broker = Broker(1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")))
    yield broker
    broker.close()


@pytest.fixture(scope="module")
def one_model() -> Iterator[FakeService]:
    with FakeService() as service:
        yield service


@pytest.fixture(scope="module")
def one_worker(
    django_db_setup: None, one_broker: Broker, one_model: FakeService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Worker]:
    worker = Worker(one_broker, one_model.pair, tmp_path_factory.mktemp("worker") / "worker.log")
    yield worker
    worker.kill()


@pytest.fixture
def broker(one_broker: Broker) -> Broker:
    one_broker.flush()
    return one_broker


@pytest.fixture
def worker(one_worker: Worker, broker: Broker, transactional_db: None) -> Iterator[Worker]:
    """The worker, running; one that a test left busy is killed, so that the next test starts with a quiet one."""
    one_worker.start()
    return one_worker
