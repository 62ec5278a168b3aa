"""An agent's work on the card page: its figures, stop, and run again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from agents.models import ModelCall, Turn
from agents.states import TurnState
from bakedbrie.lib import clock, ids
from boards.models import Card
from boards.states import StageRole
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card, stage_of
from tests.factories.workflows import make_rule
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, has_form, move_form, text_of, url
from workspaces.caller import Caller


@pytest.fixture
def turn(alice: Caller, vic: Caller) -> Turn:
    """A turn that waits for an AI account."""
    board = make_board(alice, members=[vic.member])
    doing = stage_of(board, StageRole.MIDDLE)
    make_rule(alice, board, from_stage=doing, agent=make_agent(alice, board), to_stage=stage_of(board, StageRole.DONE))
    card = make_card(alice, board)
    client = browser(alice)
    client.post(url("move-card", card.pk), move_form(client, card.pk, doing.pk))
    return Turn.objects.get(card=card)


def test_a_waiting_turn_says_why_and_can_be_stopped(alice: Caller, turn: Turn) -> None:
    client = browser(alice)
    page = client.get(url("card", turn.card_id))

    answer = client.post(url("stop-turn", turn.pk), form_of(page, url("stop-turn", turn.pk)), headers=HTMX)

    turn.refresh_from_db()
    assert "No AI account pays for this work yet." in text_of(page)
    assert (answer.status_code, turn.state) == (200, TurnState.CANCELED)
    assert not has_form(answer, url("stop-turn", turn.pk))
    assert has_form(answer, url("run-turn-again", turn.pk))


def test_a_stopped_turn_runs_again_in_the_same_round(alice: Caller, turn: Turn) -> None:
    client = browser(alice)
    client.post(url("stop-turn", turn.pk))
    form = form_of(client.get(url("card", turn.card_id)), url("run-turn-again", turn.pk))

    answers = [client.post(url("run-turn-again", turn.pk), form) for _ in range(2)]

    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, url("card", turn.card_id))] * 2
    assert [one.iteration_id for one in Turn.objects.filter(card=turn.card_id)] == [turn.iteration_id] * 2


def test_a_turn_that_is_over_cannot_be_stopped(alice: Caller, turn: Turn) -> None:
    client = browser(alice)
    client.post(url("stop-turn", turn.pk))

    refused = client.post(url("stop-turn", turn.pk), headers=HTMX)

    assert (refused.status_code, code_of(refused)) == (409, "TURN_NOT_RUNNING")


def test_an_unclear_turn_runs_again_only_when_the_cost_is_accepted(alice: Caller, turn: Turn) -> None:
    _end(turn, TurnState.UNKNOWN)
    client = browser(alice)

    page = client.get(url("card", turn.card_id))
    refused = client.post(url("run-turn-again", turn.pk), headers=HTMX)
    accepted = client.post(url("run-turn-again", turn.pk), {"confirm": "true"})

    assert "confirm" in form_of(page, url("run-turn-again", turn.pk))
    assert (refused.status_code, code_of(refused)) == (409, "CONFIRMATION_NEEDED")
    assert accepted.status_code == 302
    assert Turn.objects.filter(card=turn.card_id).count() == 2


def test_tokens_and_cost_are_summed_and_what_is_not_known_is_called_unknown(alice: Caller, turn: Turn) -> None:
    _end(turn, TurnState.DONE)
    _add_call(turn, 1, input_tokens=1200, output_tokens=30, cost_micros=4_200)
    _add_call(turn, 2, input_tokens=300, output_tokens=70, cost_micros=800)
    client = browser(alice)

    known = client.get(url("card", turn.card_id))
    _add_call(turn, 3, input_tokens=10, output_tokens=None, cost_micros=None)
    unknown = client.get(url("card", turn.card_id))

    assert "1,500 tokens in · 100 out" in text_of(known)
    assert "cost $0.005" in text_of(known)
    assert "1,510 tokens in · unknown out" in text_of(unknown)
    assert "cost unknown" in text_of(unknown)


def test_of_turns_without_any_known_cost_nothing_is_said_to_be_the_least(alice: Caller, turn: Turn) -> None:
    _end(turn, TurnState.FAILED)
    _add_call(turn, 1, input_tokens=10, output_tokens=1, cost_micros=None)
    client = browser(alice)
    client.post(url("run-turn-again", turn.pk))
    newest = Turn.objects.filter(card=turn.card_id).latest("pk")
    _end(newest, TurnState.DONE)

    unknown = text_of(client.get(url("card", turn.card_id)))
    _add_call(newest, 1, input_tokens=10, output_tokens=1, cost_micros=800)
    known = text_of(client.get(url("card", turn.card_id)))

    assert "2 turns · cost unknown" in unknown
    assert "2 turns · cost at least $0.0008" in known


@pytest.mark.parametrize("name", ["stop-turn", "run-turn-again"])
def test_a_viewer_sees_the_turn_and_may_not_touch_it(vic: Caller, turn: Turn, name: str) -> None:
    client: Client = browser(vic)

    page = client.get(url("card", turn.card_id))
    refused = client.post(url(name, turn.pk), {"confirm": "true"})

    turn.refresh_from_db()
    assert not has_form(page, url(name, turn.pk))
    assert (refused.status_code, code_of(refused)) == (403, "FORBIDDEN")
    assert turn.state == TurnState.WAITING


def test_many_turns_take_as_many_queries_as_one(
    alice: Caller,
    turn: Turn,
    django_assert_num_queries: Callable[..., object],
    django_assert_max_num_queries: Callable[..., object],
) -> None:
    client = browser(alice)
    _end(turn, TurnState.FAILED)
    card = Card.objects.get(pk=turn.card_id)

    def queries() -> int:
        with django_assert_max_num_queries(25) as asked:  # type: ignore[attr-defined]
            client.get(url("card", card.pk))
        return len(asked)

    one = queries()
    for _ in range(5):
        client.post(url("run-turn-again", Turn.objects.filter(card=card).latest("pk").pk))
        newest = Turn.objects.filter(card=card).latest("pk")
        _add_call(newest, 1, input_tokens=1, output_tokens=1, cost_micros=1)
        _end(newest, TurnState.FAILED)

    assert queries() == one
    assert Turn.objects.filter(card=card).count() == 6


def _end(turn: Turn, state: TurnState) -> None:
    """Put a turn where a worker would have left it."""
    Turn.objects.filter(pk=turn.pk).update(state=state, reason="", settled_at=clock.now(), finished_at=clock.now())


def _add_call(
    turn: Turn, n: int, *, input_tokens: int | None, output_tokens: int | None, cost_micros: int | None
) -> None:
    ModelCall.objects.create(
        turn=turn,
        n=n,
        attempt=ids.new_id(),
        provider="anthropic",
        model="a-model",
        sent_at=clock.now(),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost_micros=cost_micros,
    )
