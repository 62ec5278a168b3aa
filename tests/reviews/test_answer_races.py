"""Answers to what an agent asked while something else happens to its card: one comes first, and the other is told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction

from agents.access import get_agent, get_approval
from agents.models import Approval
from agents.services.agents import publish_agent, write_draft
from agents.services.attempts import expire_approval
from agents.states import ApprovalState
from bakedbrie.lib import clock
from boards.access import lock_board_or_archived, lock_card
from boards.services.members import remove_board_member
from destinations.models import Delivery
from tests.factories.destinations import bare_destination
from tests.factories.reviews import switch_on
from tests.factories.workflows import Line, make_line
from tests.support.fake_provider import FakeProvider
from tests.support.races import codes, in_thread, wait_until_waiting
from workers.turns import run_turn
from workflows.services.approvals import answer_approval, as_it_is_now
from workflows.services.cards import trash_card
from workflows.services.moves import move_card, preview_move
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.members import change_role, remove_member

pytestmark = pytest.mark.django_db(transaction=True)

Job = Callable[[], object]


@pytest.fixture
def asked(alice: Caller, mia: Caller, provider: FakeProvider) -> Line:
    """A card of a shared board in Done, whose agent asks whether it may deliver what it made."""
    line = make_line(alice, provider)
    line.let_in(mia)
    switch_on(alice, "destinations")
    bare_destination(alice, line.board)
    write_draft(alice, board=line.board, agent=line.agent, permissions={"deliver": "ask"})
    line.agent = publish_agent(alice, agent=get_agent(alice, line.agent.pk), confirm_outward=True)
    provider.reply("Work.")
    run_turn(str(line.start().pk))
    return line


def answering(caller: Caller) -> Job:
    seen = as_it_is_now(get_approval(caller, Approval.objects.get().pk))
    return lambda: answer_approval(caller, approval=seen, answer="once", input_hash=seen.input_hash)


def moving(line: Line) -> Job:
    card = line.fresh_card()
    seen = preview_move(line.caller, card=card, stage=line.todo).preview_hash
    return lambda: move_card(line.caller, card=card, stage=line.todo, preview_hash=seen)


def trashing(line: Line) -> Job:
    return lambda: trash_card(line.caller, card=line.fresh_card())


@pytest.mark.requirement("A012", "C090")
@pytest.mark.parametrize("taking", [moving, trashing])
def test_an_answer_behind_whoever_takes_the_card_is_told_and_delivers_nothing(
    asked: Line, mia: Caller, taking: Callable[[Line], Job]
) -> None:
    take, answer = taking(asked), answering(mia)

    with transaction.atomic():
        lock_card(asked.fresh_card())
        taken = in_thread(take)
        wait_until_waiting(1)
        late = in_thread(answer)
        wait_until_waiting(2)

    assert codes([taken.outcome()]) == ["done"]
    assert codes([late.outcome()]) == ["APPROVAL_CLOSED"]
    assert (Approval.objects.get().state, Delivery.objects.count()) == (ApprovalState.CANCELED, 0)


@pytest.mark.requirement("A012", "C090")
def test_a_question_that_expires_behind_a_move_is_closed_by_the_move(asked: Line) -> None:
    Approval.objects.update(expires_at=clock.now() - timedelta(seconds=1))
    approval, move = Approval.objects.get(), moving(asked)

    with transaction.atomic():
        lock_card(asked.fresh_card())
        moved = in_thread(move)
        wait_until_waiting(1)
        expiring = in_thread(lambda: expire_approval(approval.pk))
        wait_until_waiting(2)

    card = moved.outcome()
    approval.refresh_from_db()
    assert (expiring.outcome(), approval.state) == (False, ApprovalState.CANCELED)
    assert asked.fresh_card() == card
    assert asked.fresh_card().badge_reason == ""


@pytest.mark.requirement("A012", "C095")
@pytest.mark.parametrize(
    ("loss", "code"), [("board", "NOT_FOUND"), ("role", "FORBIDDEN"), ("workspace", "UNAUTHENTICATED")]
)
def test_an_answer_of_somebody_who_lost_their_rights_on_the_way_does_not_count(
    asked: Line, mia: Caller, loss: str, code: str
) -> None:
    answer = answering(mia)

    with transaction.atomic():
        lock_board_or_archived(asked.board)
        late = in_thread(answer)
        wait_until_waiting(1)
        if loss == "board":
            remove_board_member(asked.caller, board=asked.board, member=mia.member)
        elif loss == "role":
            change_role(asked.caller, member=mia.member, role=Role.VIEWER)
        else:
            remove_member(asked.caller, member=mia.member)

    assert codes([late.outcome()]) == [code]
    assert (Approval.objects.get().state, Delivery.objects.count()) == (ApprovalState.PENDING, 0)
