"""A bucket that refuses, breaks off, lies or leads elsewhere while files are moved: none is lost, none is written over,
and once it behaves each is where it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db.models.functions import Now
from django.test import override_settings

from bakedbrie.lib.slugs import card_hash
from boards.models import Card, CardFile
from reviews.calls.inbox import look
from reviews.models import FolderFile, WorkFolder
from reviews.services.folder_files import send
from reviews.services.folder_steps import lock_file
from reviews.services.sweep import sweep_folders
from reviews.states import FolderArea
from tests.factories.boards import make_board, make_card
from tests.factories.reviews import give_bucket_folder, put_result
from tests.support.fake_s3 import FakeS3
from tests.support.fake_service import FakeService, Script, answering, dropping, saying
from tests.support.jobs import Ran
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]
TEXT = "# Findings\n"
DENIED = answering(403, body=b"<Error><Code>AccessDenied</Code></Error>")
STORM = answering(500, body=b"<Error><Code>InternalError</Code></Error>")
SLOW_DOWN = answering(503, body=b"<Error><Code>SlowDown</Code></Error>")
CUT = saying(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n# Find")
FAULTS: dict[str, Script] = {"denied": DENIED, "storm": STORM, "slow down": SLOW_DOWN, "cut": CUT, "dropped": dropping}


@pytest.fixture
def bucket() -> Iterator[FakeS3]:
    with FakeS3() as service, override_settings(OUTBOUND_LOOPBACK=[service.pair]):
        yield service


@pytest.fixture
def card(alice: Caller, bucket: FakeS3, drain_jobs: Drain) -> Card:
    """A card on a board whose work folder is the bucket."""
    board = make_board(alice)
    give_bucket_folder(alice, board, endpoint=bucket.url())
    drain_jobs()
    return make_card(alice, board)


@pytest.fixture
def waiting(alice: Caller, card: Card, bucket: FakeS3, drain_jobs: Drain) -> FolderFile:
    """A file in Needs review/."""
    file = put_result(alice, WorkFolder.objects.get(), card, TEXT)
    drain_jobs()
    bucket.writes.clear()
    return file


def approve(file: FolderFile, drain: Drain) -> None:
    locked = lock_file(file.pk)
    assert locked is not None
    send([locked], FolderArea.APPROVED)
    drain()


def sweep(drain: Drain) -> None:
    FolderFile.objects.update(try_at=Now())
    sweep_folders()
    drain()


def there(bucket: FakeS3) -> dict[str, bytes]:
    return {key: content for key, content in bucket.objects.items() if not key.endswith("/")}


@pytest.mark.requirement("V020", "C018")
@pytest.mark.parametrize("method", ["HEAD", "PUT", "GET", "DELETE"])
@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_file_is_moved_once_the_bucket_behaves(
    waiting: FolderFile, bucket: FakeS3, drain_jobs: Drain, method: str, fault: str
) -> None:
    bucket.bent[method] = FAULTS[fault]
    approve(waiting, drain_jobs)
    sweep(drain_jobs)
    stuck = FolderFile.objects.get()
    kept = TEXT.encode() in there(bucket).values()

    bucket.bent.clear()
    for _ in range(5):
        sweep(drain_jobs)

    file = FolderFile.objects.get()
    assert kept
    assert stuck.is_settled or stuck.code != "" or stuck.steps.filter(code="OUTCOME_UNKNOWN").exists()
    assert (file.is_settled, file.code) == (True, "")
    assert TEXT.encode() in [there(bucket)[f"out/Approved/{file.path}"]]
    assert bucket.writes[f"out/Approved/{file.path}"] == 1


@pytest.mark.requirement("C051")
@pytest.mark.parametrize("status", [301, 307, 308])
def test_nobody_is_followed_to_another_host(
    waiting: FolderFile, bucket: FakeS3, drain_jobs: Drain, status: int
) -> None:
    with FakeService() as other, override_settings(OUTBOUND_LOOPBACK=[bucket.pair, other.pair]):
        leads = answering(status, headers={"Location": other.url("/cheese/out/x"), "x-amz-bucket-region": "eu-north-1"})
        bucket.bent = dict.fromkeys(("HEAD", "PUT", "GET", "DELETE"), leads)
        approve(waiting, drain_jobs)

        assert other.requests == []

    file = FolderFile.objects.get()
    assert (file.code, file.is_settled) == ("BUCKET_ELSEWHERE", False)
    assert there(bucket) == {f"out/Needs review/{file.path}": TEXT.encode()}


@pytest.mark.requirement("V020")
def test_what_reads_back_as_something_else_is_no_copy_and_the_old_one_stays(
    waiting: FolderFile, bucket: FakeS3, drain_jobs: Drain
) -> None:
    bucket.bent["GET"] = answering(200, body=b"# Lies\n", headers={"ETag": '"the same"'})

    approve(waiting, drain_jobs)
    lied = (bucket.removals.total(), f"out/Needs review/{waiting.path}" in bucket.objects)
    bucket.bent.clear()
    for _ in range(4):
        sweep(drain_jobs)

    file = FolderFile.objects.get()
    assert lied == (0, True)
    assert (file.is_settled, bucket.objects[f"out/Approved/{file.path}"]) == (True, TEXT.encode())


@pytest.mark.parametrize(
    "key",
    [
        "out/Done/report.md",
        "elsewhere/Inbox/plan.txt",
        "out/Inbox",
        "out/Inbox/\x00.txt",
        "out/Inbox/" + "x" * 2000,
        "/etc/passwd",
        "Inbox/plan.txt",
    ],
    ids=lambda key: repr(key)[:30],
)
def test_a_list_that_tells_what_was_not_asked_for_is_not_followed(
    card: Card, bucket: FakeS3, drain_jobs: Drain, key: str
) -> None:
    bucket.listed = [key]
    bucket.objects[f"out/Inbox/{card_hash(card.pk)}/plan.txt"] = b"a plan"

    found = look(WorkFolder.objects.get().pk)
    drain_jobs()

    assert found == 1
    assert [file.name for file in CardFile.objects.all()] == ["plan.txt"]
    assert there(bucket) == {}


def test_a_list_that_leads_out_of_inbox_or_tells_a_file_twice_takes_it_once_or_not(
    card: Card, bucket: FakeS3, drain_jobs: Drain
) -> None:
    ours = f"out/Inbox/{card_hash(card.pk)}/größe\u202e\u0301 🎉.txt"
    bucket.objects[ours] = b"listed"
    bucket.objects["out/secret.txt"] = b"secret"
    bucket.listed = [ours, ours, f"out/Inbox/{card_hash(card.pk)}/../../secret.txt"]

    look(WorkFolder.objects.get().pk)
    drain_jobs()

    assert CardFile.objects.get().bytes == len(b"listed")
    assert there(bucket) == {"out/secret.txt": b"secret"}
    assert FolderFile.objects.get(gone_at=None).code == "NAME_UNSAFE"


def test_a_long_list_is_taken_in_parts(card: Card, bucket: FakeS3, drain_jobs: Drain) -> None:
    for n in range(30):
        bucket.objects[f"out/Inbox/{card_hash(card.pk)}/{n}.txt"] = b"a plan"

    first = look(WorkFolder.objects.get().pk)
    drain_jobs()
    taken = CardFile.objects.count()
    WorkFolder.objects.update(try_at=Now())
    second = look(WorkFolder.objects.get().pk)
    drain_jobs()

    assert (first, taken, second, CardFile.objects.count()) == (30, 20, 10, 30)
    assert there(bucket) == {}
