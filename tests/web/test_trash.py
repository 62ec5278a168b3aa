"""A card goes into the trash after a question, and comes back from its page or from the list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.models import Turn
from boards.models import Board, BoardEvent, Card
from boards.services.boards import set_archived
from boards.states import Badge, EventKind, StageRole
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card, stage_of
from tests.factories.workflows import make_rule
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workflows.services.cards import trash_card
from workspaces.caller import Caller

HOSTILE = '<script>alert("1")</script>'


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, name="Bread", members=[mia.member, vic.member])


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    return make_card(alice, board, stage=stage_of(board, StageRole.MIDDLE), title="Sum up the feedback")


def test_a_member_is_asked_and_then_the_card_is_in_the_trash(mia: Caller, card: Card) -> None:
    client, action = browser(mia), url("trash-card", card.pk)
    asked = client.get(action, headers=HTMX)

    answer = client.post(action, form_of(asked, action), headers=HTMX)

    card.refresh_from_db()
    assert "<html" not in text_of(asked)
    assert (answer.status_code, "bakedbrie:changed" in answer["HX-Trigger"]) == (204, True)
    assert (card.stage, card.trashed_from) == (None, stage_of(card.board, StageRole.MIDDLE))


@pytest.mark.parametrize("method", ["get", "head"])
def test_asking_puts_nothing_into_the_trash(mia: Caller, card: Card, method: str) -> None:
    answer = getattr(browser(mia), method)(url("trash-card", card.pk))

    card.refresh_from_db()
    assert (answer.status_code, card.trashed_at) == (200, None)
    assert browser(mia).get(url("restore-card", card.pk)).status_code == 405


def test_the_way_back_is_on_the_card_right_after(mia: Caller, card: Card) -> None:
    client, action = browser(mia), url("trash-card", card.pk)
    trashed = client.post(action, form_of(client.get(action), action), follow=True)

    restored = client.post(url("restore-card", card.pk), form_of(trashed, url("restore-card", card.pk)))

    card.refresh_from_db()
    assert "“Doing”" in text_of(trashed)
    assert not has_form(trashed, url("edit-card", card.pk))
    assert (restored.status_code, restored["Location"]) == (302, url("card", card.pk))
    assert (card.stage, card.trashed_at) == (stage_of(card.board, StageRole.MIDDLE), None)


@pytest.mark.requirement("C089", "W059")
def test_questions_that_are_answered_twice_act_once(mia: Caller, card: Card) -> None:
    client, action = browser(mia), url("trash-card", card.pk)
    form = form_of(client.get(action), action)

    for _ in range(2):
        client.post(action, form)
    back = form_of(client.get(url("card", card.pk)), url("restore-card", card.pk))
    for _ in range(2):
        client.post(url("restore-card", card.pk), back)
    late = client.post(action, form)

    card.refresh_from_db()
    kinds = [EventKind.CARD_TRASHED, EventKind.CARD_RESTORED]
    assert list(BoardEvent.objects.filter(kind__in=kinds).order_by("pk").values_list("kind", flat=True)) == kinds
    assert (late.status_code, card.trashed_at) == (302, None)


def test_a_card_that_an_agent_holds_stays_and_the_question_says_why(alice: Caller, board: Board) -> None:
    doing = stage_of(board, StageRole.MIDDLE)
    agent = make_agent(alice, board)
    make_rule(alice, board, from_stage=doing, agent=agent, to_stage=stage_of(board, StageRole.DONE))
    client = browser(alice)
    client.post(url("add-card", board.pk), {"stage_id": str(doing.pk), "title": "Work"})
    card = Card.objects.get()

    refused = client.post(url("trash-card", card.pk), headers=HTMX)

    card.refresh_from_db()
    assert (refused.status_code, code_of(refused)) == (409, "CARD_BUSY")
    assert (card.stage, Turn.objects.get().finished_at) == (doing, None)


def test_restoring_says_what_starts_and_starts_it(mia: Caller, alice: Caller, board: Board, card: Card) -> None:
    trash_card(alice, card=card)
    agent = make_agent(alice, board, name="Scout")
    doing, done = stage_of(board, StageRole.MIDDLE), stage_of(board, StageRole.DONE)
    make_rule(alice, board, from_stage=doing, agent=agent, to_stage=done)
    client, action = browser(mia), url("restore-card", card.pk)
    pages = [client.get(url("card", card.pk)), client.get(url("trash", board.pk))]

    client.post(action, form_of(pages[1], action), headers=HTMX)

    card.refresh_from_db()
    assert ["“Doing”, where Scout starts to work on it" in text_of(page) for page in pages] == [True, True]
    assert (card.stage, card.badge) == (doing, Badge.WAITING)
    assert Turn.objects.get().card == card


@pytest.mark.requirement("W063")
def test_the_list_holds_the_trash_of_one_board_newest_first(mia: Caller, alice: Caller, board: Board) -> None:
    for title in ("First", HOSTILE):
        trash_card(alice, card=make_card(alice, board, title=title))
    elsewhere = make_board(alice, name="Closed")
    trash_card(alice, card=make_card(alice, elsewhere, title="Secret"))
    make_card(alice, board, title="Not in the trash")

    answer = browser(mia).get(url("trash", board.pk))

    assert [trashed.card.title for trashed in answer.context["page"].cards] == [HOSTILE, "First"]
    assert "<script>alert" not in text_of(answer)
    assert "Not in the trash" not in text_of(answer)


def test_restored_from_the_list_the_card_is_named(mia: Caller, alice: Caller, board: Board, card: Card) -> None:
    trash_card(alice, card=card)
    client, action = browser(mia), url("restore-card", card.pk)
    form = form_of(client.get(url("trash", board.pk)), action)

    answer = client.post(action, form, headers=HTMX)

    assert "is back in “Doing”" in text_of(answer)
    assert "The trash is empty." in text_of(answer)
    assert client.post(action, form)["Location"] == url("trash", board.pk)


@pytest.mark.requirement("W002", "W004")
def test_viewers_look_and_strangers_see_nothing(vic: Caller, charlie: Caller, alice: Caller, card: Card) -> None:
    other = make_card(alice, card.board)
    trash_card(alice, card=card)

    seen = [browser(vic).get(url(*page)) for page in (("trash", card.board_id), ("card", card.pk))]
    viewer = [browser(vic).post(url("trash-card", other.pk)), browser(vic).post(url("restore-card", card.pk))]
    asked = browser(vic).get(url("trash-card", other.pk))
    stranger = [browser(charlie).get(url("trash", card.board_id)), browser(charlie).post(url("restore-card", card.pk))]

    card.refresh_from_db()
    assert [(page.status_code, has_form(page, url("restore-card", card.pk))) for page in seen] == [(200, False)] * 2
    assert [code_of(one) for one in (*viewer, asked)] == ["FORBIDDEN"] * 3
    assert [code_of(one) for one in stranger] == ["NOT_FOUND"] * 2
    assert (card.stage, Card.objects.filter(trashed_at__isnull=False).count()) == (None, 1)


def test_on_an_archived_board_nothing_is_restored(mia: Caller, alice: Caller, board: Board, card: Card) -> None:
    trash_card(alice, card=card)
    set_archived(alice, board=board, is_archived=True)
    client = browser(mia)

    pages = [client.get(url("trash", board.pk)), client.get(url("card", card.pk))]
    refused = [client.post(url("restore-card", card.pk), {"from": origin}) for origin in ("", "list")]

    assert [has_form(page, url("restore-card", card.pk)) for page in pages] == [False, False]
    assert [(one.status_code, code_of(one)) for one in refused] == [(409, "BOARD_ARCHIVED")] * 2


def test_the_trash_takes_as_many_queries_for_many_cards_as_for_one(
    alice: Caller, board: Board, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    trash_card(alice, card=make_card(alice, board))
    with django_assert_max_num_queries(20) as one:
        client.get(url("trash", board.pk))
    for _ in range(8):
        trash_card(alice, card=make_card(alice, board))

    with django_assert_max_num_queries(20) as many:
        client.get(url("trash", board.pk))

    assert len(many) == len(one)
