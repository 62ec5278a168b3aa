"""Inbox/: what people drop into their bucket comes onto a card once, or says why not."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models.functions import Now

from bakedbrie.lib.s3.answers import Listing
from bakedbrie.lib.s3.client import S3
from bakedbrie.lib.slugs import card_hash
from boards.models import BoardEvent, Card, CardFile
from boards.services.files import open_bytes
from reviews.calls import inbox
from reviews.models import FolderFile, FolderStep, WorkFolder
from reviews.services.folder_steps import claim_step
from reviews.services.folders import FolderPlan, set_work_folder
from reviews.services.inbox import Found, named_card, note
from reviews.states import FolderStorage, InboxMode
from tests.factories.reviews import switch_on
from tests.reviews.conftest import Shelf
from workflows.services.inbox import make_card
from workspaces.caller import Caller
from workspaces.models import Member
from workspaces.services.capabilities import switch_capability
from workspaces.services.members import remove_member

pytestmark = pytest.mark.django_db


def choose(shelf: Shelf, mode: InboxMode) -> None:
    set_work_folder(shelf.caller, board=shelf.board, plan=FolderPlan(inbox=mode), confirm=True)


def files() -> list[tuple[str, bytes]]:
    found = []
    for file in CardFile.objects.filter(removed_at__isnull=True).order_by("name", "pk"):
        with open_bytes(file) as stream:
            found.append((file.name, stream.read()))
    return found


def refused() -> list[tuple[str, str]]:
    return list(FolderFile.objects.filter(gone_at__isnull=True).order_by("path").values_list("path", "code"))


def test_a_file_in_a_folder_that_names_a_card_is_attached_once_and_leaves_inbox(shelf: Shelf) -> None:
    tag = card_hash(shelf.card.pk)
    shelf.write(f"Inbox/größe-preis-{tag}/plan v2+.txt", b"a plan")
    shelf.write(f"Inbox/{shelf.card.pk}.txt", b"by its id")

    for _ in range(3):
        shelf.sweep()

    assert files() == [(f"{shelf.card.pk}.txt", b"by its id"), ("plan v2+.txt", b"a plan")]
    assert {file.card for file in CardFile.objects.all()} == {shelf.card}
    assert shelf.objects() == {}
    told = BoardEvent.objects.filter(kind="folder_file_taken")
    assert [event.actor.name for event in told] == ["Work folder"] * 2
    assert Card.objects.count() == 1


def test_one_that_names_no_card_stays_and_says_so_until_cards_are_made_of_them(shelf: Shelf) -> None:
    shelf.write("Inbox/Offer March.pdf", b"%PDF-1.4 offer")

    shelf.sweep()
    stays = (refused(), Card.objects.count(), list(shelf.objects()))
    choose(shelf, InboxMode.CARD)
    for _ in range(2):
        shelf.sweep()

    made = Card.objects.exclude(pk=shelf.card.pk).get()
    assert stays == ([("Inbox/Offer March.pdf", "NAMES_NO_CARD")], 1, ["Inbox/Offer March.pdf"])
    assert (made.title, made.stage and made.stage.role, made.created_by.name) == ("Offer March", "first", "Work folder")
    assert [file.name for file in made.files.all()] == ["Offer March.pdf"]
    assert shelf.objects() == {}


def test_what_nobody_takes_does_not_hide_what_comes_after(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = S3.list

    def three_at_once(bucket: S3, prefix: str, cursor: str = "") -> Listing:
        return whole(bucket, prefix, cursor=cursor, limit=3)

    monkeypatch.setattr(S3, "list", three_at_once)
    for n in range(4):
        shelf.write(f"Inbox/a{n}.txt", b"names no card")
    shelf.write(f"Inbox/z-{card_hash(shelf.card.pk)}.txt", b"mine")

    shelf.sweep()

    assert files() == [(f"z-{card_hash(shelf.card.pk)}.txt", b"mine")]
    assert len(shelf.objects()) == 4


@pytest.mark.parametrize("name", ["reviews", "inbox", "folder"])
def test_what_was_noted_is_left_alone_once_it_is_off_and_taken_when_it_is_on_again(shelf: Shelf, name: str) -> None:
    tag = card_hash(shelf.card.pk)
    shelf.write(f"Inbox/{tag}.txt", b"mine")
    WorkFolder.objects.update(try_at=Now())
    noted = inbox.look(shelf.folder.pk)

    if name == "reviews":
        switch_capability(shelf.caller, name="reviews", is_on=False)
    elif name == "inbox":
        choose(shelf, InboxMode.OFF)
    else:
        plan = FolderPlan(storage=FolderStorage.NONE)
        set_work_folder(shelf.caller, board=shelf.board, plan=plan, confirm=True)
    for _ in range(2):
        shelf.sweep()
    left = (files(), list(shelf.objects()), refused())
    switch_on(shelf.caller, "reviews")
    shelf.caller.workspace.refresh_from_db()
    plan = FolderPlan(storage=FolderStorage.S3, destination=shelf.destination, inbox=InboxMode.ATTACH)
    set_work_folder(shelf.caller, board=shelf.board, plan=plan, confirm=True)
    for _ in range(3):
        shelf.sweep()

    assert (noted, left) == (1, ([], [f"Inbox/{tag}.txt"], []))
    assert (files(), shelf.objects()) == ([(f"{tag}.txt", b"mine")], {})


def test_nothing_is_taken_while_it_is_off(shelf: Shelf) -> None:
    choose(shelf, InboxMode.OFF)
    shelf.write(f"Inbox/{card_hash(shelf.card.pk)}.txt", b"a plan")

    counts = shelf.sweep()

    assert (counts["looks"], files(), len(shelf.objects())) == (0, [], 1)


def test_huge_and_empty_files_are_refused_without_being_read_and_taken_once_they_changed(
    shelf: Shelf, settings: Any
) -> None:
    settings.FILES_MAX_BYTES = 10
    tag = card_hash(shelf.card.pk)
    shelf.write(f"Inbox/{tag}/huge.bin", b"x" * 11)
    shelf.write(f"Inbox/{tag}/empty.txt", b"")

    shelf.sweep()
    seen = refused()
    shelf.write(f"Inbox/{tag}/huge.bin", b"small now")
    shelf.server.client.delete_object(Bucket=shelf.bucket, Key=f"out/Inbox/{tag}/empty.txt")
    shelf.sweep()

    assert [code for _, code in seen] == ["FILE_EMPTY", "FILE_TOO_LARGE"]
    assert files() == [("huge.bin", b"small now")]
    assert (refused(), shelf.objects()) == ([], {})


@pytest.mark.requirement("C051")
@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("a\u202egnp.exe", "agnp.exe"),
        ("CON", "_CON"),
        ("x%2Fy", "x%2Fy"),
        ("=cmd|' /C calc'!A0", "C calc'!A0"),
    ],
)
def test_a_hostile_name_becomes_a_safe_one(shelf: Shelf, key: str, name: str) -> None:
    choose(shelf, InboxMode.CARD)
    shelf.write(f"Inbox/{key}", b"content")

    shelf.sweep()

    assert [file for file, _ in files()] == [name]


@pytest.mark.requirement("C051")
def test_a_name_that_leads_elsewhere_is_not_followed(shelf: Shelf) -> None:
    found = [Found(path=path, bytes=3, etag="1") for path in ("Inbox/../../etc/passwd", "Inbox/./a")]

    note(shelf.folder, found, is_whole=True)
    shelf.sweep()

    assert [code for _, code in FolderFile.objects.values_list("path", "code")] == ["NAME_UNSAFE"] * 2
    assert not FolderStep.objects.filter(file__isnull=False).exists()


def test_a_full_workspace_leaves_it_in_inbox(shelf: Shelf, settings: Any) -> None:
    settings.STORAGE_QUOTA_BYTES = 3
    shelf.write(f"Inbox/{card_hash(shelf.card.pk)}.txt", b"a plan")

    shelf.sweep()

    assert ([code for _, code in refused()], files()) == (["STORAGE_QUOTA_EXCEEDED"], [])
    assert len(shelf.objects()) == 1


@pytest.mark.requirement("C095")
def test_nothing_is_taken_on_behalf_of_somebody_who_left(shelf: Shelf, amir: Caller) -> None:
    WorkFolder.objects.update(set_by=amir.actor)
    remove_member(shelf.caller, member=Member.objects.get(pk=amir.member.pk))
    shelf.write(f"Inbox/{card_hash(shelf.card.pk)}.txt", b"a plan")

    shelf.sweep()

    assert ([code for _, code in refused()], files()) == (["MEMBER_REMOVED"], [])


@pytest.mark.parametrize("border", ["before the claim", "before the card", "before the removal"])
def test_a_worker_killed_at_a_border_takes_a_file_once_in_the_end(shelf: Shelf, border: str) -> None:
    choose(shelf, InboxMode.CARD)
    shelf.write("Inbox/plan.txt", b"a plan")
    WorkFolder.objects.update(try_at=Now())
    inbox.look(shelf.folder.pk)
    step = FolderStep.objects.get(state="queued")
    if border != "before the claim":
        claimed = claim_step(step.pk)
        assert claimed is not None
        if border == "before the removal":
            inbox.take(claimed, make_card)
            claim_step(FolderStep.objects.get(state="queued").pk)
    FolderStep.objects.filter(state="sending").update(lease_until="2020-01-01T00:00Z")

    for _ in range(3):
        shelf.sweep()

    assert files() == [("plan.txt", b"a plan")]
    assert (Card.objects.count(), shelf.objects()) == (2, {})


def test_a_late_worker_does_not_take_it_a_second_time(shelf: Shelf) -> None:
    choose(shelf, InboxMode.CARD)
    shelf.write("Inbox/plan.txt", b"a plan")
    WorkFolder.objects.update(try_at=Now())
    inbox.look(shelf.folder.pk)
    claimed = claim_step(FolderStep.objects.get(state="queued").pk)
    assert claimed is not None
    FolderStep.objects.filter(state="sending").update(lease_until="2020-01-01T00:00Z")
    shelf.sweep()

    inbox.take(claimed, make_card)

    assert (files(), Card.objects.count()) == ([("plan.txt", b"a plan")], 2)


def test_what_changed_while_it_was_taken_is_not_removed(shelf: Shelf) -> None:
    choose(shelf, InboxMode.CARD)
    shelf.write("Inbox/plan.txt", b"a plan")
    WorkFolder.objects.update(try_at=Now())
    inbox.look(shelf.folder.pk)
    claimed = claim_step(FolderStep.objects.get(state="queued").pk)
    assert claimed is not None
    inbox.take(claimed, make_card)
    shelf.write("Inbox/plan.txt", b"another plan")

    for _ in range(3):
        shelf.sweep()

    assert files() == [("plan.txt", b"a plan"), ("plan.txt", b"another plan")]


def test_two_cards_that_a_name_tells_are_none(shelf: Shelf) -> None:
    other = make_card(shelf.caller, shelf.board, "Other")
    path = f"Inbox/{card_hash(shelf.card.pk)}/{card_hash(other.pk)}.txt"

    assert named_card(shelf.board, path) is None
