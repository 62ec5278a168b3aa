"""Processes that are killed at each border of each step of a work folder: every file is in one place in the end, once,
and what was unclear is named so."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from bakedbrie.lib.jobs import Job
from bakedbrie.lib.slugs import card_hash
from boards.models import CardFile
from reviews.calls.folder_steps import run_step
from reviews.calls.inbox import look
from reviews.models import FolderFile, FolderStep, WorkFolder
from reviews.services.folder_files import send
from reviews.services.folder_steps import lock_file
from reviews.services.sweep import sweep_folders
from reviews.states import FolderArea
from tests.acceptance.nursery import Nursery
from tests.acceptance.worker import holding
from tests.factories.boards import make_board, make_card
from tests.factories.reviews import give_bucket_folder, put_result
from tests.support.fake_s3 import FakeS3
from tests.support.jobs import drain_jobs
from workspaces.caller import Caller

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db(transaction=True)]

TEXT = "# Findings\n"
# How many requests of which kind a step makes until it has acted.
ACTS = {"copy": "PUT", "verify": "GET", "remove": "DELETE"}
BORDERS = ("before the claim", "after the claim", "after it acted", "before it settles")


@pytest.fixture
def folder(alice: Caller, bucket: FakeS3) -> WorkFolder:
    """The work folder of a board, in a bucket."""
    give_bucket_folder(alice, make_board(alice), endpoint=bucket.url())
    drain_jobs()
    return WorkFolder.objects.get()


def kill_at(border: str, step: FolderStep, nursery: Nursery, bucket: FakeS3) -> None:
    """Have a process do a step, and kill it at a border."""
    is_taking = step.phase == "copy" and step.to_area == FolderArea.INBOX
    act = "GET" if is_taking else ACTS[step.phase]
    first = act if is_taking or step.phase == "verify" else "HEAD"
    if border == "before the claim":
        with holding(step) as wait_until_waiting:
            child = nursery.run(Job.FOLDER_STEP, step.pk)
            wait_until_waiting()
            child.kill()
        return
    with bucket.withholding(first if border == "after the claim" else act) as (wait_for_it, let_go):
        child = nursery.run(Job.FOLDER_STEP, step.pk)
        wait_for_it()
        if border == "before it settles":
            with holding(FolderFile.objects.get(steps=step)) as wait_until_waiting:
                let_go()
                wait_until_waiting()
                child.kill()
        child.kill()


def recover() -> None:
    """Let time pass by a lease and every pause, and sweep: what goes on is queued, and nobody does it yet."""
    past = timedelta(hours=2)
    FolderStep.objects.update(lease_until=F("lease_until") - past, updated_at=F("updated_at") - past)
    sweep_folders()
    FolderFile.objects.update(try_at=Now())
    sweep_folders()


def walk(border: str, file: FolderFile, nursery: Nursery, bucket: FakeS3) -> list[tuple[str, str]]:
    """Bring a file to rest, and kill the process of the first step of each kind; return the killed steps."""
    killed: list[tuple[str, str]] = []
    for _ in range(20):
        step = FolderStep.objects.filter(file=file, state="queued").first()
        if step is None:
            if FolderFile.objects.get(pk=file.pk).is_settled:
                return killed
            recover()
            continue
        kind = (step.to_area, step.phase)
        if kind in killed:
            run_step(step.pk)
            continue
        killed.append(kind)
        kill_at(border, step, nursery, bucket)
        step.refresh_from_db()
        assert step.state == ("queued" if border == "before the claim" else "sending")
        recover()
        step.refresh_from_db()
        assert (step.state, step.code) == (
            ("queued", "") if border == "before the claim" else ("unknown", "OUTCOME_UNKNOWN")
        )
    raise AssertionError("It does not come to rest.")


@pytest.mark.requirement("V018", "V020", "C018")
@pytest.mark.parametrize("border", BORDERS)
def test_a_file_is_moved_once_whoever_is_killed(
    alice: Caller, folder: WorkFolder, nursery: Nursery, bucket: FakeS3, border: str
) -> None:
    card = make_card(alice, folder.board)
    file = put_result(alice, folder, card, TEXT)
    bucket.writes.clear()

    killed = walk(border, file, nursery, bucket)
    waiting = dict(bucket.objects)
    with transaction.atomic():
        send([locked for locked in [lock_file(file.pk)] if locked], FolderArea.APPROVED)
    killed += walk(border, file, nursery, bucket)

    file.refresh_from_db()
    below = {key: text for key, text in bucket.objects.items() if not key.endswith("/")}
    assert killed == [(area, phase) for area in ("needs_review", "approved") for phase in ("copy", "verify")] + [
        ("approved", "remove")
    ]
    assert {key: text for key, text in waiting.items() if not key.endswith("/")} == {
        f"out/Needs review/{file.path}": TEXT.encode()
    }
    assert below == {f"out/Approved/{file.path}": TEXT.encode()}
    assert set(bucket.writes.values()) == {1}
    assert bucket.removals == {f"out/Needs review/{file.path}": 1}
    assert (file.is_settled, file.code) == (True, "")


@pytest.mark.requirement("C018")
@pytest.mark.parametrize("border", BORDERS)
def test_a_file_of_inbox_is_taken_once_whoever_is_killed(
    alice: Caller, folder: WorkFolder, nursery: Nursery, bucket: FakeS3, border: str
) -> None:
    card = make_card(alice, folder.board)
    bucket.objects[f"out/Inbox/{card_hash(card.pk)}/plan.txt"] = b"a plan"
    with bucket.withholding("GET") as (wait_for_it, _):
        looking = nursery.run(Job.FOLDER_LOOK, folder.pk)
        wait_for_it()
        looking.kill()
    noted_by_the_dead = FolderFile.objects.count()
    WorkFolder.objects.update(try_at=Now())
    look(folder.pk)

    killed = walk(border, FolderFile.objects.get(), nursery, bucket)

    file = FolderFile.objects.get()
    assert noted_by_the_dead == 0
    assert killed == [("inbox", "copy"), ("inbox", "remove")]
    assert [(one.card_id, one.name, one.bytes) for one in CardFile.objects.all()] == [(card.pk, "plan.txt", 6)]
    assert [key for key in bucket.objects if not key.endswith("/")] == []
    assert (file.card_id, file.gone_at is not None, file.is_settled) == (card.pk, True, True)
