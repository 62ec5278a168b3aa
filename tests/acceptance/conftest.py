"""A worker and a model service that live as long as the module, and a broker that is empty for every test."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from pytest_django.fixtures import Settings

from agents.models import AiAccount
from tests.acceptance.nursery import Nursery
from tests.acceptance.worker import Broker, Worker
from tests.support.fake_provider import FakeProvider, Late, streams
from tests.support.fake_s3 import FakeS3
from tests.support.fake_service import FakeService, answering


class Model:
    """The model service of one test: what it was asked since the test began, and how it behaves badly."""

    def __init__(self, provider: FakeProvider, full: socket.socket) -> None:
        self.provider = provider
        self._full = full
        self._before = len(provider.calls)

    def calls(self) -> int:
        return len(self.provider.calls) - self._before

    def wait_for_a_call(self) -> None:
        """The key check of the account was a request of its own; the call is the next one."""
        self.provider.wait_for_requests(len(self.provider.requests) + (0 if self.calls() else 1))

    @contextmanager
    def silent(self) -> Iterator[Callable[[], None]]:
        """Take the next call and answer only when told to."""
        late = Late(streams("anthropic"))
        self.provider.script(late)
        yield late.answer_now
        late.answer_now()

    @contextmanager
    def unreachable(self) -> Iterator[None]:
        """Lead the accounts to an address where a connection is neither taken nor refused."""
        host, port = self._full.getsockname()
        there, here = f"http://{host}:{port}", self.provider.url()
        AiAccount.objects.update(base_url=there)
        yield
        AiAccount.objects.update(base_url=here)


@pytest.fixture(scope="module")
def one_broker() -> Iterator[Broker]:
    broker = Broker(1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")))
    yield broker
    broker.close()


@pytest.fixture(scope="module")
def one_provider() -> Iterator[FakeProvider]:
    with FakeProvider() as provider:
        yield provider


@pytest.fixture(scope="module")
def one_bucket() -> Iterator[FakeService]:
    """An S3 where nothing lies: it answers every look with 404 and takes every write."""
    with FakeService() as service:
        service.handle_with(lambda request: answering(404 if request.method == "HEAD" else 200))
        yield service


@pytest.fixture(scope="module")
def full_listener() -> Iterator[socket.socket]:
    """A listener whose queue is full and that takes nobody from it: the kernel leaves further callers waiting."""
    with ExitStack() as sockets:
        listener = sockets.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            caller = sockets.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(listener.getsockname())
        yield listener


@pytest.fixture(scope="module")
def one_worker(
    django_db_setup: None,
    one_broker: Broker,
    one_provider: FakeProvider,
    one_bucket: FakeService,
    full_listener: socket.socket,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Worker]:
    host, port = full_listener.getsockname()
    log = tmp_path_factory.mktemp("worker") / "worker.log"
    worker = Worker(one_broker, f"{one_provider.pair},{one_bucket.pair},{host}:{port}", log)
    yield worker
    worker.kill()


@pytest.fixture(scope="module")
def one_s3() -> Iterator[FakeS3]:
    with FakeS3() as service:
        yield service


@pytest.fixture
def bucket(one_s3: FakeS3, one_provider: FakeProvider, settings: Settings) -> FakeS3:
    one_s3.empty()
    settings.OUTBOUND_LOOPBACK = [one_provider.pair, one_s3.pair]
    return one_s3


@pytest.fixture(scope="module")
def one_nursery(
    django_db_setup: None, one_s3: FakeS3, one_provider: FakeProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Nursery]:
    """A process that forks others; it starts once for all tests of a module."""
    made = Nursery(f"{one_s3.pair},{one_provider.pair}", tmp_path_factory.mktemp("nursery") / "nursery.log")
    yield made
    made.close()


@pytest.fixture
def nursery(one_nursery: Nursery, transactional_db: None) -> Iterator[Nursery]:
    yield one_nursery
    sys.stdout.write(one_nursery.log())  # shown by pytest beside a failure


@pytest.fixture
def broker(one_broker: Broker) -> Broker:
    one_broker.flush()
    return one_broker


@pytest.fixture
def worker(one_worker: Worker, broker: Broker, transactional_db: None) -> Iterator[Worker]:
    one_worker.start()
    yield one_worker
    sys.stdout.write(one_worker.log())  # shown by pytest beside a failure


@pytest.fixture
def model(one_provider: FakeProvider, full_listener: socket.socket, settings: Settings) -> Model:
    settings.OUTBOUND_LOOPBACK = [one_provider.pair]
    return Model(one_provider, full_listener)
