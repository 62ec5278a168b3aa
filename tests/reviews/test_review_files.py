"""The files of a review in a bucket: they wait, move with the decision, and what people change there counts."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.files.storage import default_storage

from bakedbrie.lib import storage
from bakedbrie.lib.refusals import Refused
from boards.contents import round_contents
from boards.models import CardFile, Result
from boards.services.files import remove_file
from destinations.models import Destination
from reviews.models import Decision, FolderFile, Review, WorkFolder
from reviews.services.folder_edits import Edit, take_edits
from reviews.services.folder_files import put
from reviews.services.folders import FolderPlan, set_work_folder
from reviews.states import Door, FolderStorage, Verdict
from tests.factories.boards import make_file
from tests.factories.destinations import make_destination
from tests.factories.reviews import decide, shown_hash, switch_on, work
from tests.factories.workflows import Line
from tests.support.buckets import S3Server
from tests.support.fake_provider import FakeProvider
from tests.support.jobs import drain_jobs
from workflows.services.cards import trash_card
from workflows.services.reviewing import decide_review
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bucket_line(line: Line, server: S3Server, provider: FakeProvider, settings: Any) -> Line:
    """The line, whose work folder is a bucket."""
    settings.OUTBOUND_LOOPBACK = [server.pair, provider.pair]
    switch_on(line.caller, "destinations")
    destination = make_destination(line.caller, server)
    plan = FolderPlan(storage=FolderStorage.S3, destination=destination)
    set_work_folder(line.caller, board=line.board, plan=plan, confirm=True)
    drain_jobs()
    return line


def lying(server: S3Server) -> dict[str, bytes]:
    """What lies in the bucket, by the folder it is in."""
    bucket = server.bucket(str(Destination.objects.get().config["bucket"]))
    keys = [key for key in server.keys(bucket) if not key.endswith("/")]
    return {key.split("/")[1]: server.read(bucket, key) for key in keys}


def lying_all(server: S3Server) -> list[bytes]:
    """Every file that lies in the bucket."""
    bucket = server.bucket(str(Destination.objects.get().config["bucket"]))
    return [server.read(bucket, key) for key in server.keys(bucket) if not key.endswith("/")]


def edit_by_hand(server: S3Server, content: bytes) -> None:
    name = str(Destination.objects.get().config["bucket"])
    server.write(server.bucket(name), f"out/Needs review/{FolderFile.objects.get().path}", content)


@pytest.mark.requirement("V001", "V020")
def test_what_is_approved_moves_from_needs_review_and_comes_to_done(bucket_line: Line, server: S3Server) -> None:
    review = work(bucket_line)
    drain_jobs()
    waiting = lying(server)

    decide(bucket_line.caller, review)
    drain_jobs()

    assert waiting == {"Needs review": b"Finished work."}
    assert lying(server) == {"Done": b"Finished work."}


def test_what_is_refused_anyway_asks_no_bucket(bucket_line: Line, mia: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket_line.let_in(mia)
    review = work(bucket_line)
    drain_jobs()
    seen = shown_hash(mia, review)
    looks: list[object] = []
    monkeypatch.setattr("reviews.calls.checking.usable_bucket", lambda *_, **__: looks.append(1))

    codes = []
    for caller, intent_hash, verdict in (
        (bucket_line.caller, seen, Verdict.APPROVE),  # the maker
        (mia, "0" * 64, Verdict.APPROVE),
        (mia, seen, Verdict.REQUEST_CHANGES),  # without a note
    ):
        with pytest.raises(Refused) as refused:
            decide_review(caller, review=review, intent_hash=intent_hash, decision=verdict, door=Door.WEB)
        codes.append(refused.value.code)

    assert (codes, looks) == (["MAKER_CANNOT_APPROVE", "PREVIEW_CHANGED", "INVALID_INPUT"], [])
    assert not Decision.objects.exists()


@pytest.mark.parametrize("verdict", [Verdict.REJECT, Verdict.REQUEST_CHANGES])
def test_what_is_not_approved_leaves_the_folder(bucket_line: Line, server: S3Server, verdict: Verdict) -> None:
    review = work(bucket_line)
    drain_jobs()

    decide(bucket_line.caller, review, verdict)

    assert FolderFile.objects.get().unwanted_at is not None


def test_a_review_that_is_canceled_takes_its_files_out(bucket_line: Line, server: S3Server) -> None:
    work(bucket_line)
    drain_jobs()

    trash_card(bucket_line.caller, card=bucket_line.fresh_card())
    drain_jobs()

    assert lying(server) == {}


@pytest.mark.requirement("V013")
def test_an_edit_in_the_bucket_changes_what_is_decided(bucket_line: Line, server: S3Server) -> None:
    review = work(bucket_line)
    drain_jobs()
    seen = shown_hash(bucket_line.caller, review)
    edit_by_hand(server, b"Edited by hand.")

    with pytest.raises(Refused) as refused:
        decide_review(bucket_line.caller, review=review, intent_hash=seen, decision=Verdict.APPROVE, door=Door.WEB)
    after = Review.objects.get()
    decide(bucket_line.caller, after)
    drain_jobs()

    assert (refused.value.code, after.intent_hash != seen, after.state) == ("PREVIEW_CHANGED", True, "open")
    assert Result.objects.latest("pk").markdown == "Edited by hand."
    assert lying(server) == {"Done": b"Edited by hand."}


def test_nobody_decides_while_the_bucket_cannot_be_read(bucket_line: Line) -> None:
    review = work(bucket_line)
    drain_jobs()
    config = Destination.objects.get().config
    Destination.objects.update(config={**config, "bucket": "no-such-bucket"})

    with pytest.raises(Refused) as refused:
        decide(bucket_line.caller, review)

    assert (refused.value.code, Decision.objects.count()) == ("WORK_FOLDER_UNREACHABLE", 0)
    assert Review.objects.get().state == "open"


def late_edits(line: Line) -> list[Edit]:
    """What a check read in the bucket while the review of these files was still open."""
    made = make_file(line.caller, line.fresh_card(), name="plan.bin", content=b"a plan\x00")
    CardFile.objects.update(origin="made")
    review = Review.objects.get()
    contents = [content for content in round_contents(line.fresh_card(), review.iteration) if content.file == made]
    put(WorkFolder.objects.get(), card=line.fresh_card(), n=review.n, contents=contents, review=review)
    drain_jobs()
    text, upload = FolderFile.objects.order_by("pk")
    stored = storage.store(io.BytesIO(b"another\x00"), key_prefix=f"cards/{line.card.pk}", max_bytes=100)
    return [Edit(file=text, etag='"1"', text="Nobody saw this."), Edit(file=upload, etag='"2"', stored=stored)]


@pytest.mark.requirement("V012", "V020")
def test_a_file_that_was_taken_off_the_card_before_the_approval_is_not_in_approved(
    bucket_line: Line, server: S3Server
) -> None:
    review = work(bucket_line, text="Words.")
    drain_jobs()
    late_edits(bucket_line)
    remove_file(bucket_line.caller, file=CardFile.objects.get())

    decided = decide(bucket_line.caller, review)
    drain_jobs()

    assert [file.name for file in decided.files.all()] == ["compare-three-tools.md"]
    assert lying_all(server) == [b"Words."]


@pytest.mark.requirement("V013", "V020")
@pytest.mark.parametrize("verdict", [Verdict.APPROVE, Verdict.REJECT])
def test_a_check_that_comes_after_the_decision_changes_nothing(
    bucket_line: Line, server: S3Server, verdict: Verdict
) -> None:
    review = work(bucket_line, text="Decided words.")
    drain_jobs()
    edits = late_edits(bucket_line)
    decide(bucket_line.caller, review, verdict)

    take_edits(review.card, review.iteration, edits, review)

    drain_jobs()
    assert [result.markdown for result in Result.objects.all()] == ["Decided words."]
    assert [(file.name, file.bytes) for file in CardFile.objects.filter(removed_at__isnull=True)] == [("plan.bin", 7)]
    assert edits[1].stored is not None
    assert not default_storage.exists(edits[1].stored.key)
    approved = verdict is Verdict.APPROVE
    assert sorted(lying_all(server)) == ([b"Decided words.", b"a plan\x00"] if approved else [])
