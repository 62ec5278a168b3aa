"""Moving a card on the web: the preview in sentences, then the move with its hash."""

from __future__ import annotations

import json

import pytest

from agents.models import Turn
from boards.models import Board, BoardEvent, Card
from boards.services.comments import add_comment
from boards.states import EventKind, StageRole
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card, stage_of
from tests.factories.workflows import make_rule
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, has_form, move_form, text_of, url
from workspaces.caller import Caller


@pytest.fixture
def board(alice: Caller, mia: Caller) -> Board:
    return make_board(alice, members=[mia.member])


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    return make_card(alice, board)


@pytest.mark.requirement("B030")
def test_the_preview_tells_in_sentences_what_will_happen_and_changes_nothing(
    mia: Caller, alice: Caller, board: Board, card: Card
) -> None:
    doing = stage_of(board, StageRole.MIDDLE)
    agent = make_agent(alice, board, name="Writer")
    make_rule(alice, board, from_stage=doing, agent=agent, to_stage=stage_of(board, StageRole.DONE))
    events = BoardEvent.objects.count()

    answer = browser(mia).get(url("move-card", card.pk), {"stage_id": str(doing.pk)}, headers=HTMX)

    sentences = answer.context["preview"].consequences["sentences"]
    assert answer.status_code == 200
    assert any("Writer" in sentence for sentence in sentences)
    assert all(sentence.replace("“", "“") in text_of(answer) for sentence in sentences)
    card.refresh_from_db()
    assert (card.stage, card.revision, BoardEvent.objects.count()) == (stage_of(board), 1, events)
    assert Turn.objects.count() == 0


@pytest.mark.requirement("B031")
def test_a_confirmed_move_happens_and_the_page_is_told(mia: Caller, board: Board, card: Card) -> None:
    client = browser(mia)
    form = move_form(client, card.pk, stage_of(board, StageRole.MIDDLE).pk)

    answer = client.post(url("move-card", card.pk), form, headers=HTMX)

    card.refresh_from_db()
    assert card.stage == stage_of(board, StageRole.MIDDLE)
    assert (answer.status_code, answer.content) == (204, b"")
    assert json.loads(answer["HX-Trigger"]) == {"bakedbrie:changed": {"said": "Moved to Doing."}}


def test_without_scripts_a_move_leads_to_the_card(mia: Caller, board: Board, card: Card) -> None:
    client = browser(mia)
    form = move_form(client, card.pk, stage_of(board, StageRole.DONE).pk)

    answer = client.post(url("move-card", card.pk), form)

    assert (answer.status_code, answer["Location"]) == (302, url("card", card.pk))


@pytest.mark.requirement("B032", "B033")
def test_a_card_that_changed_meanwhile_shows_the_new_preview_and_moves_with_it(
    mia: Caller, alice: Caller, board: Board, card: Card
) -> None:
    client = browser(mia)
    doing = stage_of(board, StageRole.MIDDLE)
    stale = move_form(client, card.pk, doing.pk)
    add_comment(alice, card=card, text="Wait.")

    refused = client.post(url("move-card", card.pk), stale, headers=HTMX)

    assert (refused.status_code, code_of(refused)) == (409, "PREVIEW_CHANGED")
    assert refused.context["card"].stage == stage_of(board)
    fresh = {
        "stage_id": str(doing.pk),
        "preview_hash": refused.context["preview"].preview_hash,
        "request_id": refused.context["form"].request_id,
    }
    assert fresh["preview_hash"] != stale["preview_hash"]
    assert client.post(url("move-card", card.pk), fresh, headers=HTMX).status_code == 204
    card.refresh_from_db()
    assert card.stage == doing


@pytest.mark.requirement("B031")
def test_a_move_without_its_hash_is_refused(mia: Caller, board: Board, card: Card) -> None:
    refused = browser(mia).post(url("move-card", card.pk), {"stage_id": str(stage_of(board, StageRole.DONE).pk)})

    card.refresh_from_db()
    assert (refused.status_code, code_of(refused)) == (400, "PREVIEW_REQUIRED")
    assert card.stage == stage_of(board)


@pytest.mark.requirement("C089", "W059")
def test_a_move_that_is_sent_twice_moves_and_starts_once(mia: Caller, alice: Caller, board: Board, card: Card) -> None:
    doing = stage_of(board, StageRole.MIDDLE)
    agent = make_agent(alice, board)
    make_rule(alice, board, from_stage=doing, agent=agent, to_stage=stage_of(board, StageRole.DONE))
    client = browser(mia)
    form = move_form(client, card.pk, doing.pk)

    answers = [client.post(url("move-card", card.pk), form, headers=HTMX) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [204, 204]
    assert BoardEvent.objects.filter(kind=EventKind.CARD_MOVED).count() == 1
    assert Turn.objects.count() == 1


def test_the_column_the_card_is_in_cannot_be_chosen(mia: Caller, board: Board, card: Card) -> None:
    client = browser(mia)

    asked = client.get(url("move-card", card.pk), {"stage_id": str(card.stage_id)})

    assert (asked.status_code, code_of(asked)) == (409, "MOVE_INVALID")
    assert asked.context["preview"] is None


def test_a_card_at_work_says_so_instead_of_moving(mia: Caller, alice: Caller, board: Board, card: Card) -> None:
    doing = stage_of(board, StageRole.MIDDLE)
    make_rule(alice, board, from_stage=doing, agent=make_agent(alice, board), to_stage=stage_of(board, StageRole.DONE))
    client = browser(mia)
    client.post(url("move-card", card.pk), move_form(client, card.pk, doing.pk))

    asked = client.get(url("move-card", card.pk), {"stage_id": str(stage_of(board, StageRole.DONE).pk)})

    assert (asked.status_code, code_of(asked)) == (409, "CARD_BUSY")
    assert asked.context["preview"] is None


def test_a_column_of_another_board_does_not_exist_here(mia: Caller, alice: Caller, card: Card) -> None:
    elsewhere = stage_of(make_board(alice, name="Closed"))

    asked = browser(mia).get(url("move-card", card.pk), {"stage_id": str(elsewhere.pk)})

    assert (asked.status_code, code_of(asked)) == (404, "NOT_FOUND")


def test_the_dialog_is_a_page_of_its_own_without_scripts(mia: Caller, card: Card) -> None:
    client = browser(mia)

    page, piece = client.get(url("move-card", card.pk)), client.get(url("move-card", card.pk), headers=HTMX)

    assert "<html" in text_of(page)
    assert "hx-post" not in text_of(page).split('id="move-box"')[1].split("</main>")[0]
    assert "<html" not in text_of(piece)
    assert has_form(page, url("move-card", card.pk))
