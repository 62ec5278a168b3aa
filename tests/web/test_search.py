"""The search: what it finds, what it never shows, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from boards.models import Card
from boards.selectors.search import excerpt
from tests.factories.boards import make_board, make_card
from tests.support.cast import browser
from tests.web.pages import code_of, text_of
from workflows.services.cards import trash_card
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

SEARCH = "/search/"
HOSTILE = '<script>alert("1")</script>'


def found(caller: Caller, query: str, **more: str) -> list[str]:
    answer = browser(caller).get(SEARCH, {"q": query, **more})
    return [card.title for card, _ in answer.context["hits"]]


def test_every_word_must_stand_in_title_or_brief(alice: Caller) -> None:
    board = make_board(alice)
    make_card(alice, board, title="Rye bread", brief="For the market on Saturday.")
    make_card(alice, board, title="Wheat bread", brief="")
    make_card(alice, board, title="Market stall", brief="No BREAD at all: 100% cake_")

    assert found(alice, "bread market") == ["Market stall", "Rye bread"]
    assert found(alice, "  BREAD  ") == ["Market stall", "Wheat bread", "Rye bread"]
    assert [found(alice, query) for query in ("100%", "_", "%%", "bread rye wheat")] == [
        ["Market stall"],
        ["Market stall"],
        [],
        [],
    ]


def test_only_boards_that_one_may_open_are_searched(alice: Caller, mia: Caller, vic: Caller, charlie: Caller) -> None:
    make_card(alice, make_board(alice, members=[vic.member]), title="Shared secret")
    make_card(alice, make_board(alice), title="Hidden secret")
    make_card(charlie, make_board(charlie), title="Foreign secret")

    seen = {caller.actor.name: sorted(found(caller, "secret")) for caller in (alice, mia, vic, charlie)}

    assert seen == {
        alice.actor.name: ["Hidden secret", "Shared secret"],
        mia.actor.name: [],
        vic.actor.name: ["Shared secret"],
        charlie.actor.name: ["Foreign secret"],
    }


def test_the_trash_and_the_archive_are_left_out(alice: Caller) -> None:
    board = make_board(alice)
    trash_card(alice, card=make_card(alice, board, title="Old secret"))
    make_card(alice, board, title="New secret")

    before = found(alice, "secret")
    type(board).objects.filter(pk=board.pk).update(archived_at="2026-01-01T00:00:00Z")

    assert (before, found(alice, "secret")) == (["New secret"], [])


def test_long_lists_go_on_by_cursor_and_keep_the_words(alice: Caller) -> None:
    board = make_board(alice)
    for number in range(27):
        make_card(alice, board, title=f"Loaf {number} & more")
    client = browser(alice)

    first = client.get(SEARCH, {"q": "& more"})
    second = client.get(SEARCH, {"q": "& more", "cursor": first.context["next_cursor"]})

    assert [len(answer.context["hits"]) for answer in (first, second)] == [25, 2]
    assert second.context["next_cursor"] is None
    assert "q=%26+more" in text_of(first)


def test_the_number_of_questions_does_not_depend_on_what_is_found(
    alice: Caller, django_assert_num_queries: Callable[..., Any]
) -> None:
    board = make_board(alice)
    client = browser(alice)
    for number in range(3):
        make_card(alice, board, title=f"Loaf {number}")
        with django_assert_num_queries(4):  # session, person, memberships, cards
            client.get(SEARCH, {"q": "loaf"})


@pytest.mark.parametrize(
    "asked",
    [{"q": "x" * 201}, {"q": "a\x00b"}, {"q": "loaf", "cursor": "nonsense"}, {"q": "loaf", "cursor": "x" * 401}],
)
def test_what_cannot_be_asked_is_refused_in_place(alice: Caller, asked: dict[str, str]) -> None:
    answer = browser(alice).get(SEARCH, asked)

    assert (answer.status_code, code_of(answer)) == (422, "INVALID_INPUT")


def test_words_and_finds_are_shown_as_text(alice: Caller) -> None:
    make_card(alice, make_board(alice), title=f"Title {HOSTILE}", brief=f"Brief {HOSTILE}")

    page = text_of(browser(alice).get(SEARCH, {"q": HOSTILE}))

    assert "<script>alert" not in page
    assert "<mark>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</mark>" in page


def test_nothing_found_says_what_was_searched(alice: Caller) -> None:
    client = browser(alice)

    assert "No card holds “brioche”" in text_of(client.get(SEARCH, {"q": "brioche"}))
    assert "Find a card on any of your boards" in text_of(client.get(SEARCH, {"q": "   "}))


def test_an_excerpt_holds_the_first_word_that_stands_there() -> None:
    long = "start " + "x" * 100 + " needle " + "y" * 200
    cards = [Card(brief=brief) for brief in (long, "short", "İstanbul needle", "")]

    shown = [excerpt(card, ["absent", "NEEDLE"]) for card in cards]

    assert shown[0] == ("…" + "x" * 59 + " ", "needle", " " + "y" * 119 + "…")
    assert shown[1:] == [("short", "", ""), ("İstanbul ", "needle", ""), ("", "", "")]
