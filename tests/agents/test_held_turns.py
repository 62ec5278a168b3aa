"""What stands against sending a queued turn, looked at before it is written and again when it is claimed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from agents.calls.hosted import run_turn
from agents.models import AiAccount, ModelCall
from agents.services.agents import pause_agent, retire
from agents.services.attempts import Held, Written, claim_turn
from agents.states import TurnState
from bakedbrie.lib import once
from boards.services.boards import set_archived
from boards.states import Badge
from tests.agents.conftest import Desk, ended
from tests.factories.boards import make_card
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.capabilities import switch_capability
from workspaces.services.dispatch import pause_dispatch
from workspaces.services.members import change_role

pytestmark = pytest.mark.django_db

WRITTEN = Written(sha256="0" * 64, record={}, notes=[])


@pytest.mark.requirement("I014", "W042")
def test_without_hosted_ai_a_key_runs_nothing(paid_desk: Desk, service: FakeProvider) -> None:
    switch_capability(paid_desk.caller, name="hosted_ai", is_on=False)
    turn = paid_desk.queue()

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.REFUSED, "AI_ACCOUNT_UNAVAILABLE")
    assert "HOSTED_AI_OFF" in turn.message
    assert (service.calls, ModelCall.objects.count()) == ([], 0)


@pytest.mark.requirement("W012", "W014")
def test_a_pause_between_queue_and_start_lets_the_turn_wait(paid_desk: Desk, service: FakeProvider) -> None:
    turn = paid_desk.queue()
    pause_dispatch(paid_desk.caller, reason="Look first")

    run_turn(turn.pk)

    turn.refresh_from_db()
    assert (turn.state, turn.reason, service.calls) == (TurnState.WAITING, "DISPATCH_PAUSED", [])
    assert paid_desk.badge() == (Badge.WAITING, "DISPATCH_PAUSED")


@pytest.mark.requirement("A016")
def test_a_paused_agent_lets_the_turn_wait(paid_desk: Desk, service: FakeProvider) -> None:
    turn = paid_desk.queue()
    pause_agent(paid_desk.caller, agent=paid_desk.fresh_agent())

    run_turn(turn.pk)

    turn.refresh_from_db()
    assert (turn.state, turn.reason, service.calls) == (TurnState.WAITING, "AGENT_PAUSED", [])


def test_a_retired_agent_and_an_archived_board_send_nothing(paid_desk: Desk, service: FakeProvider) -> None:
    other = paid_desk.queue(make_card(paid_desk.caller, paid_desk.board, title="Next"))
    turn = paid_desk.queue()
    retire(paid_desk.caller, agent=paid_desk.fresh_agent())

    run_turn(turn.pk)
    set_archived(paid_desk.caller, board=paid_desk.board, is_archived=True)
    run_turn(other.pk)

    assert ended(turn) == (TurnState.REFUSED, "AGENT_RETIRED")
    assert ended(other) == (TurnState.CANCELED, "BOARD_ARCHIVED")
    assert service.calls == []


def test_a_maker_who_lost_their_role_starts_nothing(paid_desk: Desk, service: FakeProvider, amir: Caller) -> None:
    owner, paid_desk.caller = paid_desk.caller, amir
    turn = paid_desk.queue()
    change_role(owner, member=amir.member, role=Role.VIEWER)

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.REFUSED, "MEMBER_REMOVED")
    assert service.calls == []


def test_a_pause_while_the_card_is_read_holds_the_turn_back(paid_desk: Desk) -> None:
    turn = paid_desk.queue()
    pause_dispatch(paid_desk.caller, reason="Audit")

    with pytest.raises(Held) as held:
        claim_turn(turn, written=WRITTEN, deadline=timedelta(seconds=5))

    assert (held.value.obstacle.code, ended(turn)) == ("DISPATCH_PAUSED", (TurnState.QUEUED, ""))
    assert not ModelCall.objects.exists()


@pytest.mark.parametrize(
    "changed", [{"model": "gpt-other"}, {"base_url": "https://other.example"}, {"asks_for_counts": False}]
)
def test_what_was_written_for_an_account_that_changed_since_is_not_sent(
    paid_desk: Desk, account: AiAccount, changed: dict[str, object]
) -> None:
    turn = paid_desk.queue()
    AiAccount.objects.filter(pk=account.pk).update(**changed)

    with pytest.raises(once.LostRace):
        claim_turn(turn, written=WRITTEN, deadline=timedelta(seconds=5))

    assert ended(turn) == (TurnState.QUEUED, "")
    assert not ModelCall.objects.exists()
