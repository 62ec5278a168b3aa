"""What may be done on a board while a turn is out, and what becomes of the turn: one test for each act.

Stopping a turn is tried in `tests.agents.test_stream_turn`, running one again in `test_turns`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from agents.access import get_agent
from agents.models import Turn
from agents.services.agents import publish_agent, write_draft
from agents.states import TurnState
from bakedbrie.lib.refusals import Refused
from boards.models import Result
from boards.services.cards import edit_card
from boards.services.comments import add_comment
from boards.states import Badge
from tests.factories.agents import make_agent
from tests.factories.boards import make_card, make_file
from tests.factories.workflows import Line
from tests.support.fake_provider import FakeProvider, Late, streams
from tests.support.jobs import Ran
from tests.support.races import Running, in_thread
from workflows.services.agents import retire_agent
from workflows.services.archive import archive_board
from workflows.services.cards import trash_card
from workflows.services.moves import move_card, preview_move
from workflows.services.rules import pause_rule, publish_rule, write_rule_draft
from workspaces.services.dispatch import pause_dispatch

pytestmark = pytest.mark.django_db(transaction=True)

Drain = Callable[..., Ran]


@dataclass(kw_only=True)
class AtWork:
    """A turn whose call has left; the provider answers when it is told to."""

    line: Line
    turn: Turn
    call: Late
    worker: Running

    def let_end(self, drain_jobs: Drain) -> None:
        """Let the answer come and everything follow that follows from it."""
        self.call.answer_now()
        self.worker.outcome()
        drain_jobs()
        self.turn.refresh_from_db()

    def stands(self) -> tuple[object, str, str]:
        card = self.line.fresh_card()
        return card.stage_id, card.badge, card.badge_reason


@pytest.fixture
def at_work(line: Line, provider: FakeProvider) -> Iterator[AtWork]:
    agent = write_draft(line.caller, board=line.board, agent=line.agent, permissions={"read_files": "allowed"})
    publish_agent(line.caller, agent=agent)
    call = Late(streams("anthropic"))
    provider.script(call)
    turn, asked = line.start(), len(provider.requests)
    worker = in_thread(lambda: line.run(turn))
    provider.wait_for_requests(asked + 1)
    turn.refresh_from_db()
    assert turn.state == TurnState.SENDING
    yield AtWork(line=line, turn=turn, call=call, worker=worker)
    call.answer_now()
    worker.outcome()


def busy(act: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code, refused.value.fix


def prompt_of(provider: FakeProvider, call: int) -> str:
    body = provider.calls[call].json()
    assert isinstance(body, dict)
    return str(body["messages"][0]["content"])


def test_the_card_is_not_moved_and_not_trashed(at_work: AtWork, drain_jobs: Drain) -> None:
    line, card = at_work.line, at_work.line.fresh_card()

    refusals = [
        busy(lambda: preview_move(line.caller, card=card, stage=line.todo)),
        busy(lambda: trash_card(line.caller, card=card)),
    ]

    assert refusals == [("CARD_BUSY", "Stop the turn first, or wait until it ends.")] * 2
    assert at_work.stands() == (line.doing.pk, Badge.WORKING, "")
    at_work.let_end(drain_jobs)
    assert at_work.stands() == (line.done.pk, Badge.DONE, "")


def test_brief_comments_and_files_may_change_and_count_from_the_next_turn(at_work: AtWork, drain_jobs: Drain) -> None:
    line, card = at_work.line, at_work.line.fresh_card()
    edit_card(line.caller, card=card, expected_revision=None, brief="Weigh the kettle.")
    add_comment(line.caller, card=card, text="Mind the plug.")
    make_file(line.caller, card, name="prices.csv", content=b"kettle,30\n")

    at_work.let_end(drain_jobs)
    card = line.fresh_card()
    again = preview_move(line.caller, card=card, stage=line.doing)
    move_card(line.caller, card=card, stage=line.doing, preview_hash=again.preview_hash)
    drain_jobs()

    new = ("Weigh the kettle.", "Mind the plug.", "kettle,30")
    assert at_work.turn.state == TurnState.DONE
    assert [text for text in new if text in prompt_of(line.provider, 0)] == []
    assert [text for text in new if text in prompt_of(line.provider, 1)] == list(new)


def test_a_rule_that_is_paused_lets_the_result_be_kept_and_the_card_stay(at_work: AtWork, drain_jobs: Drain) -> None:
    pause_rule(at_work.line.caller, rule=at_work.line.rule)

    at_work.let_end(drain_jobs)

    assert at_work.stands() == (at_work.line.doing.pk, Badge.BLOCKED, "RULE_PAUSED")
    assert (at_work.turn.state, Result.objects.get().markdown) == (TurnState.DONE, "Finished work.")


def test_an_agent_that_is_retired_lets_the_result_be_kept_and_the_card_stay(at_work: AtWork, drain_jobs: Drain) -> None:
    line = at_work.line
    successor = make_agent(line.caller, line.board, name="Successor")
    write_rule_draft(
        line.caller, board=line.board, rule=line.rule, from_stage=line.doing, agent=successor, to_stage=line.done
    )
    publish_rule(line.caller, rule=line.rule)
    retire_agent(line.caller, agent=get_agent(line.caller, line.agent.pk))

    at_work.let_end(drain_jobs)

    assert at_work.stands() == (line.doing.pk, Badge.BLOCKED, "AGENT_RETIRED")
    assert (at_work.turn.state, Result.objects.get().markdown) == (TurnState.DONE, "Finished work.")


def test_a_board_that_is_archived_cancels_what_was_not_sent_and_lets_the_rest_settle(
    at_work: AtWork, drain_jobs: Drain
) -> None:
    line, card = at_work.line, at_work.line.card
    line.card = make_card(line.caller, line.board, title="Next")
    queued = line.start()
    line.card = card

    archive_board(line.caller, board=line.board)
    at_work.let_end(drain_jobs)

    queued.refresh_from_db()
    assert (queued.state, queued.finished_at is not None) == (TurnState.CANCELED, True)
    assert (at_work.turn.state, Result.objects.get().markdown) == (TurnState.DONE, "Finished work.")
    assert at_work.stands() == (line.doing.pk, Badge.IDLE, "")
    assert len(line.provider.calls) == 1


def test_a_pause_of_all_work_lets_it_settle_and_starts_nothing_new(at_work: AtWork, drain_jobs: Drain) -> None:
    line, card = at_work.line, at_work.line.card
    line.card = make_card(line.caller, line.board, title="Next")
    queued = line.start()
    line.card = card

    pause_dispatch(line.caller, reason="Audit")
    at_work.let_end(drain_jobs)

    queued.refresh_from_db()
    assert at_work.stands() == (line.done.pk, Badge.DONE, "")
    assert (queued.state, queued.reason) == (TurnState.WAITING, "DISPATCH_PAUSED")
    assert len(line.provider.calls) == 1
