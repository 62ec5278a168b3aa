"""A board whose work folder is a bucket on moto, which checks signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.db.models.functions import Now
from django.test import override_settings
from pytest_django.fixtures import Settings

from boards.models import Board, Card
from destinations.models import Destination
from reviews.models import FolderFile, WorkFolder
from reviews.services.folder_files import send
from reviews.services.folder_steps import lock_file
from reviews.services.folders import FolderPlan, set_work_folder
from reviews.services.sweep import sweep_folders
from reviews.states import FolderArea, FolderStorage
from tests.factories.boards import make_board, make_card
from tests.factories.destinations import make_destination
from tests.factories.reviews import give_folder, put_result, switch_reviews_on
from tests.factories.workflows import Line, make_line
from tests.support.buckets import S3Server
from tests.support.fake_provider import FakeProvider
from tests.support.jobs import Ran
from workspaces.caller import Caller


@pytest.fixture
def server(moto_server: S3Server) -> Iterator[S3Server]:
    with override_settings(OUTBOUND_LOOPBACK=[moto_server.pair]):
        yield moto_server


@dataclass(kw_only=True)
class Shelf:
    """A board with a bucket as its work folder, and a card on it."""

    caller: Caller
    server: S3Server
    board: Board
    folder: WorkFolder
    destination: Destination
    card: Card
    drain: Callable[..., Ran]

    @property
    def bucket(self) -> str:
        return str(self.destination.config["bucket"])

    def put(self, text: str = "# Findings\n") -> FolderFile:
        """The result of one more round, on its way into Needs review/."""
        return put_result(self.caller, self.folder, self.card, text)

    def move(self, file: FolderFile, area: FolderArea | None) -> None:
        locked = lock_file(file.pk)
        assert locked is not None
        send([locked], area)

    def objects(self) -> dict[str, bytes]:
        """What lies in the bucket, by its path below the prefix; the four folders themselves left out."""
        bucket = self.server.bucket(self.bucket)
        keys = [key for key in self.server.keys(bucket) if not key.endswith("/")]
        return {key.removeprefix("out/"): self.server.read(bucket, key) for key in keys}

    def write(self, path: str, content: bytes) -> None:
        """What a person does in their bucket."""
        self.server.write(self.server.bucket(self.bucket), f"out/{path}", content)

    def sweep(self) -> dict[str, int]:
        """Sweep as if every pause were over, and do what it rings for."""
        FolderFile.objects.update(try_at=Now())
        WorkFolder.objects.update(try_at=Now())
        counts = sweep_folders()
        self.drain()
        return counts


@pytest.fixture
def shelf(alice: Caller, server: S3Server, drain_jobs: Callable[..., Ran]) -> Shelf:
    board = make_board(alice)
    switch_reviews_on(alice)
    destination = make_destination(alice, server)
    alice.workspace.refresh_from_db()
    alice.__dict__.pop("capabilities", None)
    plan = FolderPlan(storage=FolderStorage.S3, destination=destination)
    folder = set_work_folder(alice, board=board, plan=plan, confirm=True)
    drain_jobs()
    folder.refresh_from_db()
    card = make_card(alice, board, title="Größe & Preis")
    return Shelf(
        caller=alice,
        server=server,
        board=board,
        folder=folder,
        destination=destination,
        card=card,
        drain=drain_jobs,
    )


@pytest.fixture
def provider(settings: Settings) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair]
        yield fake


@pytest.fixture
def line(alice: Caller, provider: FakeProvider) -> Line:
    """Alice's board, which she alone opens, with a work folder."""
    made = make_line(alice, provider)
    give_folder(made)
    return made
