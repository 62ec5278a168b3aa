"""Files of a work folder in a bucket: copied, read back, removed; a crash in between loses and doubles none."""

from __future__ import annotations

import pytest
from django.test import override_settings

from bakedbrie.lib import storage
from bakedbrie.lib.refusals import Refused
from boards.models import CardFile
from boards.services.files import remove_file
from destinations.models import Destination
from destinations.services.destinations import Changes, change_destination, turn_off
from reviews.calls import bucket
from reviews.calls.folder_steps import run_step
from reviews.models import FolderFile, FolderStep, WorkFolder
from reviews.services.folder_steps import Ending, claim_step
from reviews.services.folders import FolderPlan, set_work_folder
from reviews.services.marking import claim_marking, mark_again, settle_marking
from reviews.states import FolderArea, FolderCode, FolderStorage
from tests.factories.boards import make_file
from tests.factories.destinations import config_of, make_destination
from tests.reviews.conftest import Shelf
from tests.support.buckets import S3Server
from tests.support.cast import api
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db
TEXT = "# Findings\n\nGröße: ✓\n"


def fresh(file: FolderFile) -> FolderFile:
    return FolderFile.objects.get(pk=file.pk)


def phases(file: FolderFile) -> list[tuple[str, str, str]]:
    return [(step.phase, step.state, step.code) for step in file.steps.order_by("pk")]


@pytest.mark.requirement("V019")
def test_the_four_folders_are_made_once(shelf: Shelf) -> None:
    server, bucket = shelf.server, shelf.server.bucket(shelf.bucket)

    assert server.keys(bucket) == ["out/Approved/", "out/Done/", "out/Inbox/", "out/Needs review/"]
    assert (shelf.folder.ready_at is not None, shelf.folder.code) == (True, "")
    assert [(step.phase, step.state) for step in FolderStep.objects.all()] == [("mark", "done")]


@pytest.mark.requirement("V019")
def test_a_service_that_knows_no_key_of_a_folder_needs_none(alice: Caller, nanio_server: S3Server) -> None:
    with override_settings(OUTBOUND_LOOPBACK=[nanio_server.pair]):
        destination = make_destination(alice, nanio_server)

        made = bucket.make_folders(Destination.objects.get(pk=destination.pk))
        inbox = nanio_server.bucket(str(destination.config["bucket"]), "out/")
        nanio_server.write(inbox, "out/Inbox/a.md", b"# A")

        assert made.code == "OK"
        assert nanio_server.keys(inbox) == ["out/Inbox/a.md"]


@pytest.mark.requirement("V018", "V020", "V023")
def test_a_file_moves_through_the_folders_and_is_always_in_one(shelf: Shelf) -> None:
    file = shelf.put(TEXT)
    shelf.drain()
    waiting = shelf.objects()
    shelf.move(file, FolderArea.APPROVED)
    shelf.drain()
    approved = shelf.objects()
    shelf.move(file, FolderArea.DONE)
    shelf.drain()

    path = fresh(file).path
    assert path.endswith("-1/größe-preis.md")
    assert waiting == {f"Needs review/{path}": TEXT.encode()}
    assert approved == {f"Approved/{path}": TEXT.encode()}
    assert shelf.objects() == {f"Done/{path}": TEXT.encode()}
    assert [(phase, state) for phase, state, _ in phases(file)] == [
        ("copy", "done"),
        ("verify", "done"),
        *[("copy", "done"), ("verify", "done"), ("remove", "done")] * 2,
    ]
    assert fresh(file).is_settled
    assert list(storage.keys("folders/" + str(shelf.folder.pk))) == []


@pytest.mark.requirement("V032")
def test_a_rejected_file_leaves_needs_review(shelf: Shelf) -> None:
    file = shelf.put()
    shelf.drain()

    shelf.move(file, None)
    shelf.drain()

    assert (shelf.objects(), fresh(file).gone_at is not None) == ({}, True)


@pytest.mark.parametrize("border", range(10))
def test_a_worker_killed_at_any_border_loses_and_doubles_nothing(shelf: Shelf, border: int) -> None:
    """Steps of the way into Needs review/ and on to Approved/; the worker of one dies, before or after it acted."""
    file = shelf.put(TEXT)
    shelf.folder.steps.filter(phase="mark").delete()
    steps = 0

    def work_until_killed() -> bool:
        nonlocal steps
        for step in FolderStep.objects.filter(state="queued").order_by("pk"):
            if steps == border // 2:
                _die(step, has_acted=bool(border % 2))
                return True
            run_step(step.pk)
            steps += 1
        return False

    killed = work_until_killed() or work_until_killed()
    if not killed:
        shelf.move(file, FolderArea.APPROVED)
        killed = work_until_killed() or work_until_killed() or work_until_killed()
    seen_after_the_crash = list(shelf.objects().values())
    FolderStep.objects.filter(state="sending").update(lease_until="2020-01-01T00:00Z")
    for _ in range(6):
        shelf.sweep()
    shelf.move(file, FolderArea.APPROVED)
    for _ in range(4):
        shelf.sweep()

    assert killed
    assert border < 4 or TEXT.encode() in seen_after_the_crash
    assert shelf.objects() == {f"Approved/{fresh(file).path}": TEXT.encode()}
    assert fresh(file).is_settled


def _die(step: FolderStep, *, has_acted: bool) -> None:
    """Claim a step as a worker does, do what it does outside if it came that far, and never settle."""
    claimed = claim_step(step.pk)
    assert claimed is not None
    if has_acted:
        bucket.act(claimed)


def test_a_name_that_somebody_else_uses_is_not_written_over(shelf: Shelf) -> None:
    file = shelf.put(TEXT)
    path = file.path
    shelf.write(f"Needs review/{path}", b"somebody's own")

    shelf.drain()
    shelf.sweep()

    beside = fresh(file).path
    assert beside == path.replace(".md", " (2).md")
    assert shelf.objects() == {
        f"Needs review/{path}": b"somebody's own",
        f"Needs review/{beside}": TEXT.encode(),
    }


def test_what_somebody_put_in_the_place_of_the_old_bytes_stays(shelf: Shelf) -> None:
    file = shelf.put(TEXT)
    shelf.drain()
    shelf.write(f"Needs review/{file.path}", b"changed by hand")

    shelf.move(file, FolderArea.APPROVED)
    shelf.drain()

    assert shelf.objects() == {
        f"Needs review/{file.path}": b"changed by hand",
        f"Approved/{file.path}": TEXT.encode(),
    }


def test_bytes_that_left_the_card_are_taken_from_the_bucket(shelf: Shelf, alice: Caller) -> None:
    upload = make_file(alice, shelf.card, name="plan.txt", content=b"a plan")
    file = shelf.put(TEXT)
    FolderFile.objects.filter(pk=file.pk).update(
        result=None, file=upload, bytes=upload.bytes, sha256=upload.sha256, name="plan.txt"
    )
    shelf.drain()
    remove_file(alice, file=CardFile.objects.get(pk=upload.pk))

    shelf.move(file, FolderArea.APPROVED)
    shelf.drain()

    assert list(shelf.objects().values()) == [b"a plan"]
    assert fresh(file).area == "approved"


def test_a_bucket_that_is_gone_says_so_and_is_tried_again(shelf: Shelf) -> None:
    config = {**shelf.destination.config, "bucket": "no-such-bucket-at-all"}
    type(shelf.destination).objects.filter(pk=shelf.destination.pk).update(config=config)
    file = shelf.put(TEXT)

    shelf.drain()
    stuck = fresh(file)
    type(shelf.destination).objects.filter(pk=shelf.destination.pk).update(config=shelf.destination.config)
    shelf.sweep()

    assert (stuck.code, stuck.is_settled, stuck.tries) == ("BUCKET_NOT_FOUND", False, 1)
    assert (fresh(file).code, fresh(file).is_settled) == ("", True)


def test_a_wrong_key_says_so(shelf: Shelf) -> None:
    config = {**shelf.destination.config, "access_key_id": "AKIAWRONG"}
    type(shelf.destination).objects.filter(pk=shelf.destination.pk).update(config=config)
    file = shelf.put(TEXT)

    shelf.drain()

    assert (fresh(file).code, shelf.objects()) == ("DESTINATION_AUTH_FAILED", {})


@pytest.mark.requirement("V022")
def test_a_bucket_that_is_a_work_folder_is_not_turned_off(shelf: Shelf) -> None:
    with pytest.raises(Refused) as refused:
        turn_off(shelf.caller, destination=shelf.destination)

    assert (refused.value.code, refused.value.details) == (
        "DESTINATION_IN_USE",
        {"used_by": ["work folder of Research"], "hidden_boards": 0},
    )


@pytest.mark.requirement("V022")
def test_a_bucket_in_which_files_wait_for_a_decision_is_not_turned_off(shelf: Shelf) -> None:
    waiting, moved = shelf.put(TEXT), shelf.put("# Other\n")
    shelf.drain()
    shelf.move(fresh(moved), FolderArea.APPROVED)
    shelf.drain()
    set_work_folder(shelf.caller, board=shelf.board, plan=FolderPlan(storage=FolderStorage.NONE), confirm=True)

    with pytest.raises(Refused) as refused:
        turn_off(shelf.caller, destination=shelf.destination)
    shelf.move(fresh(waiting), None)
    shelf.drain()
    turn_off(shelf.caller, destination=shelf.destination)

    assert (refused.value.code, refused.value.details["used_by"]) == (
        "DESTINATION_IN_USE",
        ["files in the work folder of Research"],
    )
    assert list(shelf.objects()) == [f"Approved/{fresh(moved).path}"]


@pytest.mark.requirement("V019")
def test_the_four_folders_are_made_anew_where_the_destination_leads(shelf: Shelf) -> None:
    bucket = shelf.server.new_bucket().name
    place = Changes(config=config_of(shelf.server, bucket, "new/"))

    change_destination(shelf.caller, destination=shelf.destination, changes=Changes(name="Same place"))
    kept = WorkFolder.objects.get().ready_at
    change_destination(shelf.caller, destination=shelf.destination, changes=place)
    shelf.sweep()

    made = shelf.server.keys(shelf.server.bucket(bucket))
    assert kept is not None
    assert made == ["new/Approved/", "new/Done/", "new/Inbox/", "new/Needs review/"]
    assert WorkFolder.objects.get().ready_at is not None


def test_folders_that_were_made_at_an_earlier_place_are_not_taken_for_those_of_this_one(shelf: Shelf) -> None:
    WorkFolder.objects.update(ready_at=None)
    mark_again(shelf.folder.pk)
    marking = claim_marking(FolderStep.objects.get(state="queued").pk)
    place = Changes(config=config_of(shelf.server, shelf.server.new_bucket().name))
    change_destination(shelf.caller, destination=shelf.destination, changes=place)
    assert marking is not None

    is_kept = settle_marking(marking, Ending(code=FolderCode.OK))

    assert (is_kept, WorkFolder.objects.get().ready_at) == (False, None)
    assert FolderStep.objects.filter(phase="mark", state="queued").count() == 1


@pytest.mark.requirement("V022")
def test_a_bucket_in_which_files_wait_for_a_decision_stays_where_it_is(shelf: Shelf) -> None:
    file = shelf.put(TEXT)
    shelf.drain()
    place = Changes(config=config_of(shelf.server, shelf.server.new_bucket().name))

    with pytest.raises(Refused) as refused:
        change_destination(shelf.caller, destination=shelf.destination, changes=place)
    change_destination(shelf.caller, destination=shelf.destination, changes=Changes(path_template="{card-hash}.md"))
    shelf.move(fresh(file), None)
    shelf.drain()
    changed = change_destination(shelf.caller, destination=shelf.destination, changes=place)

    assert (refused.value.code, refused.value.details["used_by"]) == (
        "DESTINATION_IN_USE",
        ["files in the work folder of Research"],
    )
    assert changed.revision == 3


def test_a_file_that_its_bucket_does_not_take_keeps_no_key(shelf: Shelf) -> None:
    file = shelf.put(TEXT)
    Destination.objects.update(config={**shelf.destination.config, "access_key_id": "AKIAREVOKED"})
    shelf.move(fresh(file), FolderArea.APPROVED)
    shelf.drain()
    set_work_folder(shelf.caller, board=shelf.board, plan=FolderPlan(storage=FolderStorage.NONE), confirm=True)

    cleared = turn_off(shelf.caller, destination=shelf.destination)

    assert (fresh(file).code, cleared.is_secret_destroyed) == ("DESTINATION_AUTH_FAILED", True)


@pytest.mark.requirement("V022")
def test_only_a_bucket_is_a_work_folder(shelf: Shelf) -> None:
    other = make_destination(shelf.caller, shelf.server, prefix="other/")
    Destination.objects.filter(pk=other.pk).update(kind="webhook")
    given = {"board_id": str(shelf.board.pk), "destination_id": str(other.pk), "confirm": True}

    refused = api(shelf.caller).post("/api/v1/tools/set_work_folder", given, format="json").json()["error"]

    assert refused["code"] == "WORK_FOLDER_TYPE"


@pytest.mark.requirement("V022", "V024")
def test_set_work_folder_names_the_bucket_before_it_is_set(shelf: Shelf) -> None:
    other = make_destination(shelf.caller, shelf.server, prefix="other/")
    given = {"board_id": str(shelf.board.pk), "destination_id": str(other.pk)}

    asked = api(shelf.caller).post("/api/v1/tools/set_work_folder", given, format="json").json()["error"]
    done = api(shelf.caller).post("/api/v1/tools/set_work_folder", {**given, "confirm": True}, format="json").json()
    shelf.drain()

    bucket = other.config["bucket"]
    assert asked["untrusted_data"]["after"] == {
        "storage": "s3",
        "destination": "Website",
        "target": f"{shelf.server.endpoint}/{bucket}/other/",
        "reviewer": "anyone who opens the board",
        "inbox": "attach",
    }
    assert done["untrusted_data"]["work_folder"]["destination"]["id"] == str(other.pk)
    assert shelf.server.keys(shelf.server.bucket(str(bucket)))[0] == "other/Approved/"


def test_a_destination_of_another_workspace_is_absent(shelf: Shelf, charlie: Caller) -> None:
    theirs = make_destination(charlie, shelf.server)
    given = {"board_id": str(shelf.board.pk), "destination_id": str(theirs.pk), "confirm": True}

    refused = api(shelf.caller).post("/api/v1/tools/set_work_folder", given, format="json").json()["error"]

    assert refused["code"] == "NOT_FOUND"
