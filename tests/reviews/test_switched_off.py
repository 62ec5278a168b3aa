"""Files whose bucket is switched off: nothing is tried for ever, the file says why it stands still, and it goes on once
there is somewhere to go."""

from __future__ import annotations

import pytest

from bakedbrie.lib.refusals import Refused
from boards.models import Iteration
from destinations.models import Destination
from destinations.services.destinations import turn_off
from reviews.calls.checking import check_files
from reviews.models import FolderFile, FolderStep, WorkFolder
from reviews.services.folders import FolderPlan, set_work_folder
from reviews.states import FolderArea, FolderStorage
from tests.factories.destinations import make_destination
from tests.reviews.conftest import Shelf
from workspaces.services.capabilities import switch_capability

pytestmark = pytest.mark.django_db

TEXT = "# Findings\n"


def move_folder(shelf: Shelf, storage: FolderStorage) -> None:
    """Let the board's work folder lie elsewhere from now on; where it is a bucket, in a new one."""
    destination = make_destination(shelf.caller, shelf.server) if storage is FolderStorage.S3 else None
    plan = FolderPlan(storage=storage, destination=destination)
    shelf.caller.__dict__.pop("capabilities", None)
    set_work_folder(shelf.caller, board=shelf.board, plan=plan, confirm=True)
    shelf.drain()


def switch(shelf: Shelf, *, is_on: bool) -> None:
    switch_capability(shelf.caller, name="destinations", is_on=is_on)
    shelf.caller.workspace.refresh_from_db()
    shelf.caller.__dict__.pop("capabilities", None)


def shown(file: FolderFile) -> tuple[str, str, str, bool]:
    fresh = FolderFile.objects.get(pk=file.pk)
    return fresh.storage, fresh.area, fresh.code, fresh.is_settled


def leave(shelf: Shelf, storage: FolderStorage) -> FolderFile:
    """An approved file that its bucket does not let go on; the work folder lies elsewhere, and the bucket is off."""
    file = shelf.put(TEXT)
    shelf.drain()
    config = {**shelf.destination.config, "access_key_id": "AKIAWRONG"}
    Destination.objects.filter(pk=shelf.destination.pk).update(config=config)
    shelf.move(file, FolderArea.APPROVED)
    shelf.drain()
    move_folder(shelf, storage)
    turn_off(shelf.caller, destination=shelf.destination)
    return file


@pytest.fixture
def left(shelf: Shelf) -> FolderFile:
    """One whose board has no work folder any more."""
    return leave(shelf, FolderStorage.NONE)


def test_a_file_of_a_destination_that_is_off_stands_still_and_is_tried_no_more(shelf: Shelf, left: FolderFile) -> None:
    before = shown(left)
    shelf.sweep()
    steps = FolderStep.objects.count()

    swept = [shelf.sweep() for _ in range(3)]

    step = left.steps.order_by("pk").last()
    assert step is not None
    assert before == ("s3", "approved", "DESTINATION_AUTH_FAILED", False)
    assert (step.state, step.code) == ("canceled", "DESTINATION_DISABLED")
    assert shown(left) == ("s3", "approved", "DESTINATION_DISABLED", True)
    assert [(counts["resumed"], counts["woken"]) for counts in swept] == [(0, 0)] * 3
    assert FolderStep.objects.count() == steps


@pytest.mark.parametrize("storage", [FolderStorage.S3, FolderStorage.HOSTED])
def test_it_goes_on_where_the_next_work_folder_lies(shelf: Shelf, left: FolderFile, storage: FolderStorage) -> None:
    shelf.sweep()

    move_folder(shelf, storage)
    counts = shelf.sweep()
    shelf.sweep()

    assert counts["woken"] == 1
    assert shown(left) == (storage.value, "approved", "", True)
    if storage is FolderStorage.S3:
        shelf.destination = FolderFile.objects.get(pk=left.pk).destination or shelf.destination
        assert shelf.objects() == {f"Approved/{left.path}": TEXT.encode()}


def test_it_goes_at_once_where_the_work_folder_lies_already(shelf: Shelf) -> None:
    file = leave(shelf, FolderStorage.HOSTED)

    shelf.sweep()

    assert shown(file) == ("hosted", "approved", "", True)


@pytest.mark.parametrize("area", [FolderArea.DONE, None])
def test_what_needs_no_folder_any_more_is_not_taken_along(
    shelf: Shelf, left: FolderFile, area: FolderArea | None
) -> None:
    shelf.move(left, area)
    shelf.drain()

    move_folder(shelf, FolderStorage.HOSTED)
    counts = shelf.sweep()

    assert (shown(left)[0], shown(left)[2:], counts["woken"]) == ("s3", ("DESTINATION_DISABLED", True), 0)


def test_while_the_capability_is_off_nothing_is_written_and_once_it_is_on_everything_goes_on(shelf: Shelf) -> None:
    file = shelf.put(TEXT)
    switch(shelf, is_on=False)
    shelf.drain()
    off, steps = shown(file), FolderStep.objects.count()
    swept = [shelf.sweep() for _ in range(3)]
    untouched = (FolderStep.objects.count(), shelf.objects())

    switch(shelf, is_on=True)
    counts = shelf.sweep()

    assert off == ("s3", "needs_review", "CAPABILITY_OFF", True)
    assert [(counts["resumed"], counts["woken"], counts["looks"]) for counts in swept] == [(0, 0, 0)] * 3
    assert untouched == (steps, {})
    assert counts["woken"] == 1
    assert shown(file) == ("s3", "needs_review", "", True)
    assert shelf.objects() == {f"Needs review/{file.path}": TEXT.encode()}


def test_folders_that_are_not_made_yet_wait_for_the_capability(shelf: Shelf) -> None:
    WorkFolder.objects.update(ready_at=None)
    switch(shelf, is_on=False)
    off = [shelf.sweep()["marked"] for _ in range(2)]

    switch(shelf, is_on=True)
    on = shelf.sweep()["marked"]

    shelf.folder.refresh_from_db()
    assert (off, on, shelf.folder.code) == ([0, 0], 1, "")
    assert shelf.folder.ready_at is not None


def test_a_step_that_was_under_way_when_it_was_switched_off_ends_and_stands_still(shelf: Shelf) -> None:
    file = shelf.put(TEXT)
    shelf.drain()
    FolderFile.objects.update(key="", is_settled=False, code="API_UNAVAILABLE", tries=9)
    switch(shelf, is_on=False)

    counts = shelf.sweep()

    assert counts["resumed"] == 1
    assert shown(file)[2:] == ("CAPABILITY_OFF", True)
    assert shelf.sweep()["resumed"] == 0


def test_nobody_decides_unlooked_while_the_capability_is_off(shelf: Shelf) -> None:
    shelf.put(TEXT)
    shelf.drain()
    switch(shelf, is_on=False)
    file = FolderFile.objects.select_related("destination__workspace").get()

    with pytest.raises(Refused) as refused:
        check_files(shelf.card, Iteration.objects.get(), [file])

    assert (refused.value.code, refused.value.details["reason"]) == ("WORK_FOLDER_UNREACHABLE", "CAPABILITY_OFF")
