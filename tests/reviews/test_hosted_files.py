"""Files of a hosted work folder: kept once, moved without a copy, counted, and handed out by signed links alone."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.db.models.functions import Now
from django.test import Client

from bakedbrie.lib import clock, storage
from boards.models import Board, Card
from boards.services.members import remove_board_member
from reviews.calls.folder_steps import run_step
from reviews.models import FolderFile, FolderStep, WorkFolder
from reviews.services.folder_files import send
from reviews.services.folder_steps import Ending, claim_step, lock_file, settle_step
from reviews.services.folders import FolderPlan, set_work_folder
from reviews.services.retention import sweep_folder_bytes
from reviews.services.sweep import sweep_folders
from reviews.states import FolderArea, FolderStorage, InboxMode
from tests.factories.boards import make_board, make_card
from tests.factories.reviews import make_hosted_folder, put_result
from tests.support.cast import api
from tests.support.jobs import Ran
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability
from workspaces.services.room import usage_of

pytestmark = pytest.mark.django_db
TEXT = "# Findings\n\nGröße: ✓\n"


@pytest.fixture
def board(alice: Caller, mia: Caller) -> Board:
    return make_board(alice, members=[mia.member])


@pytest.fixture
def folder(alice: Caller, board: Board) -> WorkFolder:
    return make_hosted_folder(alice, board)


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    return make_card(alice, board, title="Compare: three tools")


def fresh(file: FolderFile) -> FolderFile:
    return FolderFile.objects.get(pk=file.pk)


def kept(folder: WorkFolder) -> list[str]:
    return sorted(storage.keys(f"folders/{folder.pk}"))


def move(file: FolderFile, area: FolderArea | None) -> None:
    locked = lock_file(file.pk)
    assert locked is not None
    send([locked], area)


@pytest.mark.requirement("V018", "V019", "V020")
def test_a_file_is_kept_and_moves_without_a_copy(
    alice: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    file = put_result(alice, folder, card, TEXT)
    drain_jobs()
    placed = fresh(file)
    move(file, FolderArea.APPROVED)
    move(file, FolderArea.DONE)
    ran = drain_jobs()

    moved = fresh(file)
    with storage.open_file(moved.key) as stream:
        assert stream.read().decode() == TEXT
    assert (placed.area, placed.is_settled, placed.has_room) == ("needs_review", True, True)
    assert placed.path.startswith("compare-three-tools-")
    assert placed.path.endswith("-1/compare-three-tools.md")
    assert (moved.area, moved.key, moved.is_settled, ran) == ("done", placed.key, True, [])
    assert kept(folder) == [placed.key]
    assert usage_of(alice.workspace.pk).bytes == len(TEXT.encode())


def test_a_file_that_is_not_wanted_goes_with_its_bytes_and_its_room(
    alice: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    file = put_result(alice, folder, card)
    drain_jobs()

    move(file, None)
    drain_jobs()

    gone = fresh(file)
    assert (gone.key, gone.has_room, gone.is_settled, gone.gone_at is not None) == ("", False, True, True)
    assert (kept(folder), usage_of(alice.workspace.pk).bytes) == ([], 0)


def test_one_that_is_not_wanted_before_it_was_kept_is_never_kept(
    alice: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    file = put_result(alice, folder, card)
    move(file, None)

    drain_jobs()

    assert (fresh(file).gone_at is not None, kept(folder)) == (True, [])
    assert [(step.phase, step.state) for step in FolderStep.objects.all()] == [("copy", "canceled")]


def test_names_are_told_apart_in_rounds_cards_and_cases(
    alice: Caller, board: Board, folder: WorkFolder, card: Card
) -> None:
    twin = make_card(alice, board, title="COMPARE three tools")

    paths = [put_result(alice, folder, one).path for one in (card, card, twin)]

    assert len({path.casefold() for path in paths}) == 3
    assert [path.rpartition("/")[2] for path in paths] == ["compare-three-tools.md"] * 3


def test_a_worker_killed_before_the_claim_is_rung_for_again(
    alice: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    file = put_result(alice, folder, card)
    FolderStep.objects.update(updated_at=Now() - timedelta(minutes=1))

    counts = sweep_folders()
    drain_jobs()

    assert (counts["unknown"], counts["queued"], counts["resumed"]) == (0, 1, 0)
    assert (fresh(file).is_settled, len(kept(folder))) == (True, 1)


def test_a_worker_killed_after_the_claim_or_the_copy_leaves_one_file_in_the_end(
    alice: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    file = put_result(alice, folder, card)
    claimed = claim_step(FolderStep.objects.get().pk)
    assert claimed is not None
    # it had stored the bytes when it died
    lost = storage.store(io.BytesIO(b"# Findings\n"), key_prefix=f"folders/{folder.pk}", max_bytes=100)
    FolderStep.objects.update(lease_until=Now() - timedelta(seconds=1))

    counts = sweep_folders()
    drain_jobs()
    with time_machine.travel(clock.now() + timedelta(days=2)):
        swept = sweep_folder_bytes()

    assert counts["unknown"] == 1
    assert [step.state for step in FolderStep.objects.order_by("pk")] == ["unknown", "done"]
    assert swept >= 1
    assert kept(folder) == [fresh(file).key]
    assert lost.key != fresh(file).key
    assert usage_of(alice.workspace.pk).bytes == fresh(file).bytes


def test_a_late_answer_of_a_step_that_was_given_up_changes_nothing(
    alice: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    put_result(alice, folder, card)
    claimed = claim_step(FolderStep.objects.get().pk)
    assert claimed is not None
    FolderStep.objects.update(lease_until=Now() - timedelta(seconds=1))
    sweep_folders()
    drain_jobs()
    before = list(FolderFile.objects.values())

    assert settle_step(claimed.step.pk, claimed.attempt, Ending(code="OK", key="folders/other")) is False
    assert list(FolderFile.objects.values()) == before


def test_two_workers_keep_one_copy(
    alice: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    put_result(alice, folder, card)
    step = FolderStep.objects.get()

    for _ in range(2):
        run_step(step.pk)

    assert (len(kept(folder)), FolderStep.objects.count()) == (1, 1)


@pytest.mark.requirement("V029")
def test_a_file_without_room_waits_and_says_so(
    alice: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran], settings: Any
) -> None:
    settings.STORAGE_QUOTA_BYTES = 5
    file = put_result(alice, folder, card)

    drain_jobs()
    waiting = fresh(file)
    settings.STORAGE_QUOTA_BYTES = 500
    FolderFile.objects.update(try_at=Now())
    sweep_folders()
    drain_jobs()

    assert (waiting.code, waiting.is_settled, waiting.key) == ("STORAGE_QUOTA_EXCEEDED", False, "")
    assert (fresh(file).code, fresh(file).is_settled) == ("", True)


@pytest.mark.requirement("V027")
def test_a_signed_link_opens_it_for_five_minutes_and_nothing_else_does(
    alice: Caller, mia: Caller, charlie: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    file = put_result(alice, folder, card, TEXT)
    drain_jobs()
    path = f"/api/v1/folder_files/{file.pk}/link"

    made = api(mia).post(path).json()
    link = urlsplit(made["url"]).path
    opened = Client().get(link)
    stranger = api(charlie).post(path).json()["error"]["code"]
    bare = Client().get(f"/downloads/folders/{file.key}")
    with time_machine.travel(clock.now() + timedelta(minutes=6)):
        expired = Client().get(link)
    remove_board_member(alice, board=folder.board, member=mia.member)
    taken_away = Client().get(link)

    assert opened.getvalue().decode() == TEXT
    assert (opened.status_code, opened["Content-Disposition"], opened["Cache-Control"]) == (
        200,
        'attachment; filename="compare-three-tools.md"',
        "private, no-store",
    )
    assert stranger == "CAPABILITY_OFF"
    assert [answer.status_code for answer in (bare, expired, taken_away)] == [409, 409, 409]


@pytest.mark.requirement("V025")
def test_no_link_is_made_while_hosted_folders_are_off(
    alice: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    file = put_result(alice, folder, card)
    drain_jobs()
    switch_capability(alice, name="hosted_work_folder", is_on=False)

    refused = api(alice).post(f"/api/v1/folder_files/{file.pk}/link").json()

    assert refused["error"]["code"] == "CAPABILITY_OFF"


def test_no_link_opens_once_the_board_has_no_folder(
    alice: Caller, board: Board, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    file = put_result(alice, folder, card, TEXT)
    drain_jobs()
    path = f"/api/v1/folder_files/{file.pk}/link"
    made = urlsplit(api(alice).post(path).json()["url"]).path
    before = Client().get(made).getvalue()
    set_work_folder(alice, board=board, plan=FolderPlan(storage=FolderStorage.NONE), confirm=True)

    after, refused = Client().get(made), api(alice).post(path).json()

    assert (before, after.status_code) == (TEXT.encode(), 409)
    assert refused["error"]["code"] == "NOT_FOUND"


def test_rest_lists_what_is_in_the_folder(
    alice: Caller, mia: Caller, folder: WorkFolder, card: Card, drain_jobs: Callable[..., Ran]
) -> None:
    first, second, third = (put_result(alice, folder, card) for _ in range(3))
    drain_jobs()
    move(second, FolderArea.APPROVED)
    move(third, None)
    path = f"/api/v1/boards/{folder.board_id}/work_folder/files"

    everything = api(mia).get(path).json()["files"]
    approved = api(mia).get(f"{path}?folder=approved").json()["files"]

    assert [file["id"] for file in everything] == [str(second.pk), str(first.pk)]
    assert [(file["folder"], file["is_there"], file["sha256"]) for file in approved] == [
        ("Approved", True, first.sha256)
    ]


def test_a_folder_keeps_its_states_in_its_columns() -> None:
    assert {one.value for one in InboxMode} == {"attach", "card", "off"}
    assert {one.value for one in FolderStorage} >= {"hosted", "none"}
