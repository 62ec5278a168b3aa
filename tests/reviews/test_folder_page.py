"""The page of a work folder: it says where it is, asks before it changes, and leads to files by short-lived links."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from bakedbrie.lib import clock
from boards.models import Board
from boards.services.members import add_board_member
from reviews.models import WorkFolder
from reviews.services.folders import ANYBODY
from reviews.web.folder_words import sentences_of
from tests.factories.boards import make_board, make_card
from tests.factories.reviews import make_hosted_folder, put_result, switch_reviews_on
from tests.reviews.conftest import Shelf
from tests.support.cast import browser
from tests.support.jobs import Ran
from tests.web.pages import form_of, text_of
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    switch_reviews_on(alice)
    return make_board(alice, members=[mia.member, vic.member])


def url(board: Board) -> str:
    return reverse("work-folder", args=[board.pk])


def form_in(page: Any) -> dict[str, str]:
    form = page.context["form"]
    return {**form.values, "request_id": form.request_id}


def test_it_is_set_after_a_question_that_says_what_changes(alice: Caller, mia: Caller, board: Board) -> None:
    client = browser(alice)
    shown = client.get(url(board))
    chosen = {**form_in(shown), "place": "hosted", "reviewer_id": str(mia.member.pk)}

    asked = client.post(url(board), chosen, headers=HTMX)
    before = WorkFolder.objects.count()
    done = client.post(url(board), {**form_in(asked), "confirm": "yes"}, headers=HTMX)

    assert (asked.status_code, before) == (409, 0)
    assert asked.context["changes"] == [
        "Reviews begin on this board.",
        "What agents make waits in BakedBrie storage until a person approves it; only then it counts.",
        "Mia Moreau alone decides.",
    ]
    assert (done.status_code, done["HX-Redirect"]) == (204, url(board))
    folder = WorkFolder.objects.get()
    assert (folder.storage, folder.reviewer) == ("hosted", mia.member)


def test_a_member_who_manages_nothing_reads_it_and_a_viewer_too(
    alice: Caller, mia: Caller, vic: Caller, board: Board
) -> None:
    make_hosted_folder(alice, board)

    pages = [browser(who).get(url(board)) for who in (mia, vic)]

    assert [page.status_code for page in pages] == [200, 200]
    assert all("BakedBrie storage" in text_of(page) and "save-folder" not in text_of(page) for page in pages)


@pytest.mark.requirement("V028")
def test_the_use_of_storage_is_shown_beside_the_quota(alice: Caller, board: Board, settings: Any) -> None:
    settings.STORAGE_QUOTA_BYTES = 5_000_000_000

    page = browser(alice).get(url(board))

    assert (page.context["usage"].bytes, page.context["usage"].quota_bytes) == (0, 5_000_000_000)
    assert 'id="storage-use"' in text_of(page)


@pytest.mark.parametrize("is_ready", [True, False])
def test_what_stands_against_a_bucket_is_a_sentence_and_can_be_tried_at_once(shelf: Shelf, is_ready: bool) -> None:
    later = clock.now() + timedelta(minutes=5)
    ready_at = shelf.folder.ready_at if is_ready else None
    WorkFolder.objects.update(code="HTTP_418", try_at=later, ready_at=ready_at)
    client = browser(shelf.caller)
    page = client.get(url(shelf.board))

    done = client.post(f"{url(shelf.board)}try/", form_of(page, f"{url(shelf.board)}try/"))
    shelf.drain()

    folder = WorkFolder.objects.get()
    assert "The service answered with status 418" in text_of(page)
    assert "HTTP_418" not in text_of(page)
    assert (done.status_code, folder.code, folder.ready_at is not None) == (302, "", True)
    assert "try-folder" not in text_of(client.get(url(shelf.board)))


def test_a_member_who_manages_nothing_cannot_have_it_tried(shelf: Shelf, mia: Caller) -> None:
    add_board_member(shelf.caller, board=shelf.board, member=mia.member)
    WorkFolder.objects.update(code="HTTP_418")
    client = browser(mia)

    page = client.get(url(shelf.board))
    refused = client.post(f"{url(shelf.board)}try/")

    assert "try-folder" not in text_of(page)
    assert (refused.status_code, WorkFolder.objects.get().code) == (403, "HTTP_418")


@pytest.mark.requirement("V030")
def test_a_bucket_stands_under_advanced_while_hosted_is_on(shelf: Shelf) -> None:
    page = text_of(browser(shelf.caller).get(url(shelf.board)))

    before, _, inside = page.partition('<details id="folder-advanced"')
    assert "BakedBrie storage" in before
    assert f'value="{shelf.destination.pk}"' in inside.partition("</details>")[0]
    assert f'value="{shelf.destination.pk}"' not in before


@pytest.mark.requirement("V027")
def test_a_file_leads_to_a_signed_link(
    alice: Caller, vic: Caller, charlie: Caller, board: Board, drain_jobs: Callable[..., Ran]
) -> None:
    file = put_result(alice, make_hosted_folder(alice, board), make_card(alice, board))
    drain_jobs()
    path = reverse("folder-file", args=[file.pk])
    page = text_of(browser(vic).get(url(board)))

    led = browser(vic).get(path)
    stranger = browser(charlie).get(path)

    assert path in page
    assert (led.status_code, "/downloads/folders/" in led["Location"]) == (302, True)
    assert stranger.status_code in {403, 404}


NONE = {"storage": "none", "reviewer": ANYBODY, "inbox": "attach"}
HOSTED = {**NONE, "storage": "hosted"}
BUCKET = {**NONE, "storage": "s3", "destination": "Website", "target": "s3.example.com/cheese"}
IN_BUCKET = "the bucket “Website” (s3.example.com/cheese)"
BEGIN = "Reviews begin on this board."
ANYONE = "Anyone decides who opens the board and is no viewer."
TO_CARD = "Files that people drop into Inbox/ of the bucket go to the card they name."
HELD = "What agents make waits in {} until a person approves it; only then it counts."
ENDS = "Reviews end on this board: what agents make counts at once, and nobody is asked."
LEFT = "Files that people drop into Inbox/ of the bucket are left alone."


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (NONE, HOSTED, [BEGIN, HELD.format("BakedBrie storage"), ANYONE]),
        (NONE, BUCKET, [BEGIN, HELD.format(IN_BUCKET), ANYONE, TO_CARD]),
        (
            HOSTED,
            BUCKET,
            [f"What agents make waits in {IN_BUCKET} from now on, and no longer in BakedBrie storage.", TO_CARD],
        ),
        (BUCKET, NONE, [ENDS, "What waits for a decision now still does."]),
        (HOSTED, {**HOSTED, "reviewer": "Mia Moreau"}, ["Mia Moreau alone decides."]),
        ({**HOSTED, "reviewer": "Mia Moreau"}, HOSTED, [ANYONE]),
        (BUCKET, {**BUCKET, "inbox": "off"}, [LEFT]),
        (HOSTED, {**HOSTED, "inbox": "off"}, []),
    ],
)
def test_what_changes_is_told_in_sentences(before: dict[str, str], after: dict[str, str], told: list[str]) -> None:
    assert sentences_of(before, after) == told
