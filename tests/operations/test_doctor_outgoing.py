"""The doctor on deliveries, work folders, reviews and mail: each fault is found with what mends it, and nothing is
written."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from bakedbrie.doctor import outgoing
from bakedbrie.doctor.finding import Finding, State
from bakedbrie.lib import clock
from boards.access import get_card
from destinations.models import Delivery, Destination
from destinations.states import DeliveryState, DestinationState
from reviews.models import FolderFile, FolderStep, Review, WorkFolder
from reviews.states import FolderStorage
from tests.factories.boards import make_board, make_card
from tests.factories.destinations import bare_destination, queued_delivery
from tests.factories.reviews import give_folder, make_hosted_folder, put_result, work
from tests.factories.workflows import make_line
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller
from workspaces.models import StorageUse

SMTP = "django.core.mail.backends.smtp.EmailBackend"


@pytest.fixture
def delivery(alice: Caller) -> Delivery:
    """A delivery that waits, to a destination that answers nobody."""
    board = make_board(alice)
    card = get_card(alice, make_card(alice, board).pk)
    return queued_delivery(alice, card, bare_destination(alice, board))


@pytest.fixture
def file(alice: Caller) -> FolderFile:
    """A file on its way into a hosted work folder."""
    board = make_board(alice)
    return put_result(alice, make_hosted_folder(alice, board), get_card(alice, make_card(alice, board).pk))


@contextmanager
def mail_server(greeting: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """A mail server that greets like this, and keeps what it is told."""
    told: list[bytes] = []

    def serve(listening: socket.socket) -> None:
        peer, _ = listening.accept()
        with peer, peer.makefile("rb") as lines:
            peer.sendall(greeting)
            for line in lines:
                told.append(line.strip())
                peer.sendall(b"221 Bye\r\n" if line == b"quit\r\n" else b"250 Well\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        yield listening.getsockname()[1], told
        thread.join(10)


@pytest.mark.parametrize(
    "check",
    [
        outgoing.check_deliveries,
        outgoing.check_work_folders,
        outgoing.check_storage_quota,
        outgoing.check_reviews,
        outgoing.check_mail,
    ],
)
def test_where_nothing_is_wrong_each_says_so_and_writes_nothing(
    delivery: Delivery, file: FolderFile, check: Callable[[str], Finding]
) -> None:
    with CaptureQueriesContext(connection) as asked:
        finding = check("ID")

    assert finding.state is State.OK
    assert all(query["sql"].startswith("SELECT") for query in asked)


def test_a_delivery_that_nobody_answers_is_found(delivery: Delivery) -> None:
    Delivery.objects.update(rings=3, created_at=clock.now() - timedelta(minutes=5))

    finding = outgoing.check_deliveries("DELIVERIES")

    assert finding.state is State.WRONG
    assert "1 deliveries wait, the oldest since 30" in finding.says


def test_a_delivery_that_waits_for_the_end_of_a_pause_is_nothing_wrong(delivery: Delivery) -> None:
    Delivery.objects.update(created_at=clock.now() - timedelta(days=1))

    assert outgoing.check_deliveries("DELIVERIES").state is State.OK


@pytest.mark.parametrize(
    ("code", "mend"),
    [
        ("DESTINATION_AUTH_FAILED", "key that may list"),
        ("BUCKET_NOT_FOUND", "Make the bucket"),
        ("API_UNAVAILABLE", "OUTBOUND_LOOPBACK"),
        ("HTTP_418", "say more"),
    ],
)
def test_a_bucket_that_failed_is_told_with_its_code_and_what_mends_it(delivery: Delivery, code: str, mend: str) -> None:
    Destination.objects.update(state=DestinationState.FAILING, last_error=code)

    finding = outgoing.check_deliveries("DELIVERIES")

    assert finding.state is State.NOTE
    assert f"1 ({code} 1) destinations" in finding.says
    assert mend in finding.fix


def test_an_unclear_delivery_is_told(delivery: Delivery) -> None:
    Delivery.objects.update(state=DeliveryState.UNKNOWN, finished_at=Now(), told_at=Now())

    finding = outgoing.check_deliveries("DELIVERIES")

    assert finding.state is State.NOTE
    assert "1 deliveries of the last day are unclear" in finding.says


def test_a_step_of_a_folder_that_nobody_takes_is_found(file: FolderFile) -> None:
    FolderStep.objects.update(created_at=F("created_at") - timedelta(minutes=11))

    assert outgoing.check_work_folders("WORK_FOLDERS").state is State.WRONG


@pytest.mark.parametrize(
    ("code", "state", "mend"),
    [
        ("STORAGE_UNAVAILABLE", State.WRONG, "DISK_SPACE"),
        ("STORAGE_QUOTA_EXCEEDED", State.NOTE, "STORAGE_QUOTA"),
        ("DESTINATION_AUTH_FAILED", State.NOTE, "key that may list"),
    ],
)
def test_files_that_cannot_be_put_where_they_belong_are_found(
    file: FolderFile, code: str, state: State, mend: str
) -> None:
    FolderFile.objects.update(code=code, try_at=clock.now() + timedelta(hours=1))

    finding = outgoing.check_work_folders("WORK_FOLDERS")

    assert (finding.state, mend in finding.fix) == (state, True)
    assert f"1 ({code} 1) files" in finding.says


def test_a_bucket_that_cannot_be_looked_into_is_found(file: FolderFile) -> None:
    WorkFolder.objects.update(code="API_UNAVAILABLE")

    finding = outgoing.check_work_folders("WORK_FOLDERS")

    assert finding.state is State.NOTE
    assert "1 (API_UNAVAILABLE 1) work folders" in finding.says


def test_a_folder_whose_destination_is_off_is_found(alice: Caller, file: FolderFile) -> None:
    destination = bare_destination(alice, file.folder.board)
    WorkFolder.objects.update(storage=FolderStorage.S3, destination=destination)
    Destination.objects.update(state=DestinationState.OFF, secret=None)

    finding = outgoing.check_work_folders("WORK_FOLDERS")

    assert (finding.state, "another work folder" in finding.fix) == (State.WRONG, True)


def test_a_workspace_without_room_is_named(alice: Caller) -> None:
    StorageUse.objects.update_or_create(workspace=alice.workspace, defaults={"bytes": 995, "quota_bytes": 1000})

    finding = outgoing.check_storage_quota("STORAGE_QUOTA")

    assert finding.state is State.NOTE
    assert alice.workspace.name in finding.says
    StorageUse.objects.update(quota_bytes=2000)
    assert outgoing.check_storage_quota("STORAGE_QUOTA").state is State.OK


def test_a_review_that_nobody_was_told_of_is_found_where_there_is_mail(
    transactional_db: None, alice: Caller, settings: Settings
) -> None:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        line = make_line(alice, provider)
        give_folder(line)
        review = work(line)
    Review.objects.update(opened_at=clock.now() - timedelta(minutes=6))

    without_mail = outgoing.check_reviews("REVIEWS")
    settings.EMAIL_HOST = "smtp.invalid"
    with_mail = outgoing.check_reviews("REVIEWS")

    assert (without_mail.state, with_mail.state) == (State.OK, State.WRONG)
    assert "1 reviews and 0 questions" in without_mail.says
    Review.objects.filter(pk=review.pk).update(noticed_at=Now())
    assert outgoing.check_reviews("REVIEWS").state is State.OK


def test_the_mail_server_is_greeted_and_given_no_mail(settings: Settings) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_USE_TLS = SMTP, "127.0.0.1", False

    with mail_server(b"220 Good day\r\n") as (settings.EMAIL_PORT, told):
        finding = outgoing.check_mail("MAIL")

    assert finding.state is State.OK
    assert told == [b"quit"]


def test_a_mail_server_that_turns_us_away_is_found(settings: Settings) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_USE_TLS = SMTP, "127.0.0.1", False

    with mail_server(b"554 No\r\n") as (settings.EMAIL_PORT, _):
        turned_away = outgoing.check_mail("MAIL")
    absent = outgoing.check_mail("MAIL")

    assert (turned_away.state, absent.state) == (State.WRONG, State.WRONG)
    assert "EMAIL_PORT" in absent.fix
