"""The history of a card in parts and pages, its older results and earlier comments, each with an address."""

from __future__ import annotations

import re

import pytest

from boards.models import Board, Card, Result
from boards.selectors.cards import COMMENTS_SHOWN
from boards.services.cards import edit_card
from boards.services.comments import add_comment
from boards.services.rounds import keep_result, start_round
from boards.states import EventKind
from tests.factories.boards import make_board, make_card, make_file
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, text_of, url
from workflows.selectors.cards import HISTORY_SHOWN
from workflows.selectors.history import PART_OF
from workspaces.caller import Caller

# What happens to boards, and to no card.
OF_BOARDS = ("board_", "member_", "stage_", "stages_", "agent_changed", "rule_changed")


@pytest.fixture
def board(alice: Caller) -> Board:
    return make_board(alice)


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    """A card on which one thing of each part happened."""
    card = make_card(alice, board)
    edit_card(alice, card=card, expected_revision=None, title="Other")
    add_comment(alice, card=card, text="Hello.")
    make_file(alice, card)
    _keep(alice, card, "# One")
    return card


def _keep(caller: Caller, card: Card, markdown: str) -> Result:
    return keep_result(card=card, iteration=start_round(caller, card=card), made_by=caller.actor, markdown=markdown)


def told(text: str) -> list[str]:
    """Return the sentences of the history on the page."""
    history = text.partition('id="history"')[2]
    return re.findall(r"<li[^>]*><span>(?:Alice Archer )?([^<]*)</span>", history)


@pytest.mark.parametrize(
    ("part", "sentences"),
    [
        ("", ["left a result in round 1", "started round 1", "added the file “notes.md”", "commented",
              "changed the title", "added the card"]),
        ("decisions", ["changed the title", "added the card"]),
        ("agents", ["left a result in round 1", "started round 1"]),
        ("comments", ["commented"]),
        ("files", ["added the file “notes.md”"]),
        ("made-up", ["left a result in round 1", "started round 1", "added the file “notes.md”", "commented",
                     "changed the title", "added the card"]),
    ],
)  # fmt: skip
def test_the_history_shows_the_part_that_the_address_names(
    alice: Caller, card: Card, part: str, sentences: list[str]
) -> None:
    page = browser(alice).get(url("card", card.pk), {"story": part})

    assert told(text_of(page)) == sentences


def test_every_kind_of_event_of_a_card_is_in_a_part() -> None:
    of_cards = {kind for kind in EventKind if not kind.value.startswith(OF_BOARDS)}

    assert set(PART_OF) == of_cards


def test_a_part_without_events_says_so(alice: Caller, board: Board) -> None:
    page = text_of(browser(alice).get(url("card", make_card(alice, board).pk), {"story": "files"}))

    assert "Nothing of this kind has happened here yet." in page


def test_a_long_history_is_paged_within_its_part(alice: Caller, board: Board) -> None:
    card = make_card(alice, board)
    for n in range(HISTORY_SHOWN + 2):
        edit_card(alice, card=card, expected_revision=None, title=f"Title {n}")
    client = browser(alice)

    first = text_of(client.get(url("card", card.pk), {"story": "decisions"}))
    older = re.search(r'id="older-story" href="([^"]*)#history"', first)
    assert older is not None
    second = text_of(client.get(older[1].replace("&amp;", "&")))

    assert (len(told(first)), told(second)) == (HISTORY_SHOWN, ["changed the title"] * 2 + ["added the card"])
    assert 'id="older-story"' not in second
    assert 'id="newest-story"' in second


def test_what_one_looks_at_stays_after_a_form_was_sent(alice: Caller, card: Card) -> None:
    client = browser(alice)
    looked_at = f"{url('card', card.pk)}?story=comments"
    form = form_of(client.get(looked_at), url("add-comment", card.pk))

    headers = {**HTMX, "HX-Current-URL": f"http://testserver{looked_at}"}
    answer = client.post(url("add-comment", card.pk), {**form, "text": "Again."}, headers=headers)

    assert told(text_of(answer)) == ["commented", "commented"]


def test_an_older_result_is_shown_when_it_is_asked_for(alice: Caller, card: Card) -> None:
    old, new = Result.objects.get(), _keep(alice, card, "# Two")
    client = browser(alice)

    newest = client.get(url("card", card.pk))
    older = client.get(url("card", card.pk), {"result": str(old.pk)})
    absent = client.get(url("card", card.pk), {"result": str(card.pk)})

    assert [page.context["result"].pk for page in (newest, older, absent)] == [new.pk, old.pk, new.pk]
    assert "<h3>One</h3>" in text_of(older)
    assert "This is an older result." in text_of(older)
    assert "This is an older result." not in text_of(newest)


def test_earlier_comments_are_a_page_away_in_the_order_they_were_written(alice: Caller, board: Board) -> None:
    card = make_card(alice, board)
    for n in range(COMMENTS_SHOWN + 2):
        add_comment(alice, card=card, text=f"Comment {n}.")
    client = browser(alice)

    newest = client.get(url("card", card.pk))
    earlier = client.get(newest.context["earlier_comments"])

    assert [one.text for one in newest.context["comments"]][::49] == ["Comment 2.", f"Comment {COMMENTS_SHOWN + 1}."]
    assert [one.text for one in earlier.context["comments"]] == ["Comment 0.", "Comment 1."]
    assert (earlier.context["earlier_comments"], earlier.context["newest_comments"]) == ("", url("card", card.pk))


@pytest.mark.parametrize("name", ["story_from", "comments_from"])
def test_a_made_up_place_in_the_history_is_refused(alice: Caller, card: Card, name: str) -> None:
    refused = browser(alice).get(url("card", card.pk), {name: "nonsense"})

    assert (refused.status_code, code_of(refused)) == (400, "INVALID_INPUT")


def test_a_text_is_previewed_as_it_will_look_and_nothing_is_kept(alice: Caller, card: Card) -> None:
    client = browser(alice)

    piece = client.post(url("preview-text"), {"brief": "**Bold** <b>not</b>\n"}, headers=HTMX)
    page = client.post(url("preview-text"), {"text": "**Bold**"})
    long = client.post(url("preview-text"), {"text": "x" * 100_001}, headers=HTMX)

    assert "<strong>Bold</strong> &lt;b&gt;not&lt;/b&gt;" in text_of(piece)
    assert "<html" not in text_of(piece)
    assert "<html" in text_of(page)
    assert (long.status_code, code_of(long)) == (422, "INVALID_INPUT")
