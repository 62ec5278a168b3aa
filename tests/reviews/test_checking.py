"""Before a decision the bucket is looked into: what people changed there comes onto the card, and nothing unread is
decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from django.test import override_settings

from bakedbrie.lib.refusals import Refused
from boards.models import CardFile, Iteration, Result
from destinations.models import Destination
from reviews.calls.checking import check_files
from reviews.models import FolderFile
from tests.factories.boards import make_file
from tests.factories.reviews import make_hosted_folder
from tests.reviews.conftest import Shelf
from tests.support.fake_service import FakeService, Script, answering, dropping, hanging
from workspaces.services.room import usage_of

pytestmark = pytest.mark.django_db


def check(shelf: Shelf, file: FolderFile) -> bool:
    return check_files(shelf.card, Iteration.objects.latest("n"), [FolderFile.objects.get(pk=file.pk)])


def placed(shelf: Shelf, text: str = "# Findings\n") -> FolderFile:
    file = shelf.put(text)
    shelf.drain()
    return FolderFile.objects.get(pk=file.pk)


def placed_upload(shelf: Shelf) -> FolderFile:
    """A made file in Needs review/."""
    upload = make_file(shelf.caller, shelf.card, name="plan.bin", content=b"a plan\x00")
    CardFile.objects.update(origin="made")
    file = shelf.put()
    FolderFile.objects.filter(pk=file.pk).update(
        result=None, file=upload, bytes=upload.bytes, sha256=upload.sha256, name="plan.bin"
    )
    shelf.drain()
    return FolderFile.objects.get(pk=file.pk)


@contextmanager
def scripted(shelf: Shelf, *scripts: Script) -> Iterator[FakeService]:
    """Let the bucket be a service that does as it is told."""
    with FakeService() as service:
        service.script(*scripts)
        Destination.objects.update(config={**shelf.destination.config, "endpoint": f"http://{service.pair}"})
        with override_settings(OUTBOUND_LOOPBACK=[service.pair]):
            yield service


def test_what_nobody_changed_is_not_read_again(shelf: Shelf) -> None:
    file = placed(shelf)

    changed = check(shelf, file)

    assert (changed, Result.objects.count()) == (False, 1)


def test_a_result_that_was_edited_in_the_bucket_becomes_the_result(shelf: Shelf) -> None:
    file = placed(shelf)
    shelf.write(f"Needs review/{file.path}", b"# Edited by hand\n")

    changed = [check(shelf, file) for _ in range(2)]

    newest = Result.objects.latest("pk")
    assert (changed, newest.markdown, newest.made_by.name) == ([True, False], "# Edited by hand\n", "Work folder")
    assert FolderFile.objects.get(pk=file.pk).sha256 == newest.sha256


def test_the_same_bytes_written_again_are_no_change(shelf: Shelf) -> None:
    file = placed(shelf)
    FolderFile.objects.filter(pk=file.pk).update(etag='"older"')

    changed = check(shelf, file)

    assert (changed, FolderFile.objects.get(pk=file.pk).etag) == (False, file.etag)


def test_a_file_that_was_edited_becomes_a_newer_version(shelf: Shelf) -> None:
    file = placed_upload(shelf)
    shelf.write(f"Needs review/{file.path}", b"a better plan\x00")

    changed = check(shelf, file)

    live = CardFile.objects.get(removed_at__isnull=True)
    assert (changed, live.name, live.bytes, live.origin) == (True, "plan.bin", 14, "made")
    assert CardFile.objects.filter(removed_at__isnull=False).count() == 1
    assert usage_of(shelf.caller.workspace.pk).bytes == 14


def test_a_file_that_was_taken_away_goes_back(shelf: Shelf) -> None:
    file = placed(shelf)
    client = shelf.server.client
    client.delete_object(Bucket=shelf.bucket, Key=f"out/Needs review/{file.path}")

    changed = check(shelf, file)
    shelf.drain()

    assert (changed, list(shelf.objects().values())) == (False, [b"# Findings\n"])


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"nul \x00", b"x" * 1_000_001], ids=["bytes", "nul", "huge"])
def test_a_result_that_is_no_text_any_more_is_decided_by_nobody(shelf: Shelf, content: bytes) -> None:
    file = placed(shelf)
    shelf.write(f"Needs review/{file.path}", content)

    with pytest.raises(Refused) as refused:
        check(shelf, file)

    assert (refused.value.code, refused.value.details["reason"]) == ("WORK_FOLDER_UNREACHABLE", "NOT_TEXT")
    assert Result.objects.count() == 1


def test_a_file_that_became_too_large_is_decided_by_nobody_and_leaves_nothing(shelf: Shelf) -> None:
    file = placed_upload(shelf)
    shelf.write(f"Needs review/{file.path}", b"x" * 70_000)

    with override_settings(FILES_MAX_BYTES=66_000), pytest.raises(Refused) as refused:
        check(shelf, file)

    assert refused.value.code == "WORK_FOLDER_UNREACHABLE"
    assert CardFile.objects.count() == 1


@pytest.mark.parametrize("script", [hanging, dropping], ids=["slow", "cut"])
def test_a_bucket_that_does_not_answer_is_decided_by_nobody(
    shelf: Shelf, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = placed(shelf)
    monkeypatch.setattr("reviews.calls.checking._ALL_S", 0.5)

    with scripted(shelf, *[script] * 3), pytest.raises(Refused) as refused:
        check(shelf, file)

    assert (refused.value.code, refused.value.details["reason"]) == ("WORK_FOLDER_UNREACHABLE", "API_UNAVAILABLE")


@pytest.mark.parametrize(("status", "body"), [(203, b"# Other\n"), (206, b"# Fi"), (204, b"")])
def test_what_is_no_whole_object_is_no_edit(shelf: Shelf, status: int, body: bytes) -> None:
    file = placed(shelf)

    with scripted(shelf, answering(status, body=body)), pytest.raises(Refused) as refused:
        check(shelf, file)

    assert (refused.value.code, refused.value.details["reason"]) == ("WORK_FOLDER_UNREACHABLE", "API_UNAVAILABLE")
    assert Result.objects.count() == 1


def test_a_file_that_was_replaced_by_a_larger_one_has_the_time_that_is_left(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it was before the edit would give it a few thousandths of a second."""
    file = placed_upload(shelf)
    shelf.write(f"Needs review/{file.path}", b"x" * 300_000)
    monkeypatch.setattr("bakedbrie.lib.s3.pace.LEAST_S", 0.0)
    monkeypatch.setattr("bakedbrie.lib.s3.pace.BYTES_A_SECOND", 1_000_000)

    changed = check(shelf, file)

    assert (changed, CardFile.objects.get(removed_at__isnull=True).bytes) == (True, 300_000)


def test_all_files_of_a_decision_have_one_time(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answers after a minute; nothing is left for the second."""
    files = [placed(shelf), placed(shelf)]
    clock = iter([0.0, 0.0, 60.0])
    monkeypatch.setattr("reviews.calls.checking.time", SimpleNamespace(monotonic=lambda: next(clock)))

    with scripted(shelf, answering(304)) as service, pytest.raises(Refused) as refused:
        check_files(shelf.card, Iteration.objects.latest("n"), [FolderFile.objects.get(pk=one.pk) for one in files])

    assert (refused.value.code, refused.value.details["file"]) == ("WORK_FOLDER_UNREACHABLE", files[1].path)
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"access_key_id": "AKIAWRONG"}, "DESTINATION_AUTH_FAILED"), ({"bucket": "no-such-bucket"}, "BUCKET_NOT_FOUND")],
)
def test_a_wrong_key_and_a_missing_bucket_are_named(shelf: Shelf, change: dict[str, str], reason: str) -> None:
    file = placed(shelf)
    Destination.objects.update(config={**shelf.destination.config, **change})

    with pytest.raises(Refused) as refused:
        check(shelf, file)

    assert (refused.value.code, refused.value.details["reason"]) == ("WORK_FOLDER_UNREACHABLE", reason)


def test_our_own_storage_needs_no_look(shelf: Shelf, drain_jobs: Callable[..., object]) -> None:
    shelf.folder = make_hosted_folder(shelf.caller, shelf.board)
    file = placed(shelf)
    Destination.objects.update(config={})

    assert check(shelf, file) is False
