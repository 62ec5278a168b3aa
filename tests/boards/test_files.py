"""Card files: what is kept of them, under which names, and what never stays behind."""

from __future__ import annotations

import hashlib
import io
from functools import partial
from pathlib import Path

import pytest
from django.core.files.storage import storages
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from bakedbrie.lib.refusals import NOT_FOUND, Refused
from boards.access import get_file
from boards.inputs import CardIn
from boards.models import BoardEvent, Card, CardFile
from boards.refusals import BOARD_ARCHIVED, FILE_EMPTY, FILE_TOO_LARGE, TOO_MANY_FILES
from boards.services.boards import set_archived
from boards.services.files import MOST_FILES, Upload, add_file, add_files, free_name, open_bytes, remove_file
from boards.tools.files import LIST_CARD_FILES
from tests.factories.boards import make_board, make_card, make_file
from tests.support.races import at_once
from workspaces.caller import Caller
from workspaces.refusals import FORBIDDEN

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(17)


class Endless:
    """A sender that never stops, and counts what was taken from it."""

    def __init__(self) -> None:
        self.taken = 0

    def read(self, size: int, /) -> bytes:
        self.taken += size
        return b"x" * size


def stored_keys(card: Card) -> list[str]:
    folder = Path(storages["default"].path(f"cards/{card.pk}"))
    return sorted(path.name for path in folder.glob("*")) if folder.exists() else []


@pytest.mark.requirement("B036")
def test_a_file_keeps_name_type_size_and_hash(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))

    file = make_file(alice, card, name="feedback.csv", content=b"who,what\nZ,good\n")

    assert (file.name, file.media_type, file.bytes, file.origin) == ("feedback.csv", "text/csv", 16, "upload")
    assert file.sha256 == hashlib.sha256(b"who,what\nZ,good\n").hexdigest()
    assert file.added_by == alice.actor
    with open_bytes(file) as stream:
        assert stream.read() == b"who,what\nZ,good\n"


@pytest.mark.requirement("B036")
def test_the_type_comes_from_the_bytes_and_not_from_the_name(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))

    image = make_file(alice, card, name="page.html", content=PNG)
    page = make_file(alice, card, name="photo.png", content=b"<script>alert(1)</script>")

    assert (image.media_type, page.media_type) == ("image/png", "text/plain")


def test_names_are_made_safe_and_told_apart(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    sent = ["notes.md", "notes.md", "Notes.md", "../../etc/passwd", "", "x" * 300 + ".pdf"]

    names = [make_file(alice, card, name=name).name for name in sent]

    assert names[:3] == ["notes.md", "notes (2).md", "Notes (3).md"]
    assert "/" not in names[3]
    assert names[4] == "file"
    assert names[5].endswith(".pdf")
    assert len(names[5].encode()) <= 200


@pytest.mark.parametrize(
    ("name", "taken", "expected"),
    [
        ("a.md", set(), "a.md"),
        ("a.md", {"a.md", "a (2).md"}, "a (3).md"),
        ("README", {"readme"}, "README (2)"),
        ("a.tar.gz", {"a.tar.gz"}, "a.tar (2).gz"),
    ],
)
def test_a_taken_name_gets_a_number(name: str, taken: set[str], expected: str) -> None:
    assert free_name(name, taken) == expected


def test_the_name_of_a_removed_file_is_free_again(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    remove_file(alice, file=make_file(alice, card, name="notes.md"))

    assert make_file(alice, card, name="notes.md").name == "notes.md"


@pytest.mark.django_db(transaction=True)
def test_files_with_one_name_added_at_once_are_told_apart(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))

    at_once(*[partial(make_file, alice, card, name="notes.md") for _ in range(5)])

    names = CardFile.objects.filter(card=card).order_by("name").values_list("name", flat=True)
    assert list(names) == ["notes (2).md", "notes (3).md", "notes (4).md", "notes (5).md", "notes.md"]
    card.refresh_from_db()
    assert card.revision == 6


def test_a_file_that_is_too_large_is_cut_off_and_leaves_nothing(alice: Caller, settings: Settings) -> None:
    settings.FILES_MAX_BYTES = 100_000
    card = make_card(alice, make_board(alice))
    sender = Endless()

    with pytest.raises(Refused) as refused:
        add_file(alice, card=card, name="endless.bin", stream=sender)

    assert refused.value.code == FILE_TOO_LARGE.code
    assert refused.value.details == {"name": "endless.bin", "max_bytes": 100_000}
    assert sender.taken < 200_000
    assert (stored_keys(card), CardFile.objects.count()) == ([], 0)


def test_a_file_as_large_as_allowed_is_kept(alice: Caller, settings: Settings) -> None:
    settings.FILES_MAX_BYTES = 10
    card = make_card(alice, make_board(alice))

    assert make_file(alice, card, content=b"0123456789").bytes == 10


def test_an_empty_file_is_refused_and_leaves_nothing(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))

    with pytest.raises(Refused) as refused:
        make_file(alice, card, content=b"")

    assert refused.value.code == FILE_EMPTY.code
    assert (stored_keys(card), CardFile.objects.count()) == ([], 0)


def test_of_several_files_all_are_kept_or_none(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    good, empty = io.BytesIO(b"good"), io.BytesIO(b"")

    with pytest.raises(Refused) as refused:
        add_files(alice, card=card, uploads=[Upload(name="a.txt", stream=good), Upload(name="b.txt", stream=empty)])

    assert refused.value.details == {"name": "b.txt"}
    assert (stored_keys(card), CardFile.objects.count()) == ([], 0)


def test_a_refusal_after_the_bytes_came_in_leaves_nothing(alice: Caller) -> None:
    """The board is archived while the file arrives."""
    board = make_board(alice)
    card = make_card(alice, board)

    class ArchivesMeanwhile(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            set_archived(alice, board=board, is_archived=True)
            return super().read(size)

    with pytest.raises(Refused) as refused:
        add_file(alice, card=card, name="late.txt", stream=ArchivesMeanwhile(b"late"))

    assert refused.value.code == BOARD_ARCHIVED.code
    assert (stored_keys(card), CardFile.objects.count()) == ([], 0)


def test_a_card_holds_a_limited_number_of_files(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    CardFile.objects.bulk_create(
        CardFile(card=card, name=f"{n}", bytes=1, storage_key=f"none/{card.pk}/{n}", added_by=alice.actor)
        for n in range(MOST_FILES - 1)
    )
    last = make_file(alice, card)

    with pytest.raises(Refused) as refused:
        make_file(alice, card)
    remove_file(alice, file=last)

    assert refused.value.code == TOO_MANY_FILES.code
    assert make_file(alice, card).name == "notes.md"


def test_a_removed_file_is_gone_once_that_is_committed(
    alice: Caller, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    card = make_card(alice, make_board(alice))
    file = make_file(alice, card)

    with django_capture_on_commit_callbacks(execute=True):
        remove_file(alice, file=file)
        assert len(stored_keys(card)) == 1

    assert stored_keys(card) == []
    with pytest.raises(Refused) as refused:
        get_file(alice, file.pk)
    with pytest.raises(Refused) as opened:
        open_bytes(file)
    assert (refused.value.code, opened.value.code) == (NOT_FOUND.code, NOT_FOUND.code)
    assert CardFile.objects.get().sha256 == file.sha256
    assert BoardEvent.objects.filter(card=card).latest("id").data == {"file": str(file.pk), "name": "notes.md"}


def test_removing_a_file_twice_counts_once(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    file = make_file(alice, card)

    remove_file(alice, file=file)
    remove_file(alice, file=file)

    card.refresh_from_db()
    assert card.revision == 3


def test_viewers_and_archived_boards_take_no_file_and_not_one_byte_is_read(alice: Caller, vic: Caller) -> None:
    board = make_board(alice, members=[vic.member])
    card = make_card(alice, board)
    sender = Endless()

    with pytest.raises(Refused) as viewer:
        add_file(vic, card=card, name="a", stream=sender)
    archived = set_archived(alice, board=board, is_archived=True)
    card.board = archived
    with pytest.raises(Refused) as closed:
        add_file(alice, card=card, name="a", stream=sender)

    assert (viewer.value.code, closed.value.code) == (FORBIDDEN.code, BOARD_ARCHIVED.code)
    assert sender.taken == 0


@pytest.mark.requirement("B029", "B036")
def test_list_card_files_shows_everything_but_where_the_bytes_are(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    kept = make_file(alice, card, name="a.md", content=b"hi")
    remove_file(alice, file=make_file(alice, card, name="b.md"))

    answer = LIST_CARD_FILES.handler(alice, CardIn(card_id=str(card.pk)))

    assert [
        {key: file[key] for key in ("id", "name", "media_type", "bytes", "origin")} for file in answer["files"]
    ] == [{"id": str(kept.pk), "name": "a.md", "media_type": "text/markdown", "bytes": 2, "origin": "upload"}]
    assert answer["files"][0]["sha256"] == hashlib.sha256(b"hi").hexdigest()
    assert kept.storage_key not in str(answer)
