"""An agent that has to ask: its turn waits for one answer to exactly what was shown, and goes on as it was told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from agents.access import get_approval
from agents.calls.hosted import run_turn
from agents.models import AiAccount, Approval, ModelCall, Permit, Turn
from agents.services.agents import publish_agent, write_draft
from agents.services.approvals import withdraw_permit
from agents.services.bindings import bind_account
from agents.services.sweep import sweep_turns
from agents.services.turns import request_stop, wake_turns
from agents.states import ApprovalState, BindingScope, TurnState
from bakedbrie.lib import clock
from bakedbrie.lib.jobs import Job
from bakedbrie.lib.refusals import Refused
from boards.models import CardFile
from boards.services.files import remove_file
from boards.services.members import add_board_member
from boards.states import Badge, EventKind
from tests.agents.conftest import Desk, ended, rung
from tests.factories.agents import make_account
from tests.factories.boards import make_card, make_file
from tests.factories.workspaces import token_caller
from tests.support.cast import token_of
from tests.support.fake_provider import FakeProvider
from workflows.services.approvals import answer_approval, as_it_is_now
from workspaces.caller import Caller
from workspaces.services.dispatch import pause_dispatch, resume_dispatch
from workspaces.states import Preset

pytestmark = pytest.mark.django_db


@pytest.fixture
def asking(paid_desk: Desk) -> Desk:
    """A desk whose agent asks before it reads files, and a card with one file."""
    write_draft(paid_desk.caller, board=paid_desk.board, agent=paid_desk.agent, permissions={"read_files": "ask"})
    publish_agent(paid_desk.caller, agent=paid_desk.fresh_agent())
    make_file(paid_desk.caller, paid_desk.card, name="notes.md", content=b"Proof for an hour.")
    return paid_desk


def ask(desk: Desk) -> Approval:
    """Run the agent up to its question."""
    turn = desk.queue()
    run_turn(turn.pk)
    return Approval.objects.get(turn=turn)


def answer(caller: Caller, approval: Approval, answer: str) -> Approval:
    seen = as_it_is_now(get_approval(caller, approval.pk))
    return answer_approval(caller, approval=seen, answer=answer, input_hash=seen.input_hash)


def go_on(desk: Desk, approval: Approval) -> Turn:
    """Do what the ring after an answer does."""
    wake_turns(desk.caller.workspace.pk)
    run_turn(approval.turn_id)
    return Turn.objects.get(pk=approval.turn_id)


def refused(caller: Caller, approval: Approval, given: str, input_hash: str) -> str:
    with pytest.raises(Refused) as refusal:
        answer_approval(caller, approval=approval, answer=given, input_hash=input_hash)
    return refusal.value.code


@pytest.mark.requirement("A003", "A004", "A012")
def test_a_turn_that_has_to_ask_waits_and_sends_nothing(asking: Desk, service: FakeProvider) -> None:
    approval = ask(asking)

    file = CardFile.objects.get()
    assert (approval.state, approval.area, approval.target) == ("pending", "read_files", approval.turn.account_id)
    assert approval.shown == [
        {"id": str(file.pk), "name": "notes.md", "media_type": "text/markdown", "bytes": 18, "sha256": file.sha256}
    ]
    assert (approval.turn.state, approval.turn.reason) == (TurnState.WAITING, "APPROVAL")
    assert asking.badge() == (Badge.WAITING, "APPROVAL")
    assert service.calls == []
    kinds = list(asking.card.events.order_by("pk").values_list("kind", flat=True))[-2:]
    assert kinds == [EventKind.TURN_WAITING, EventKind.APPROVAL_ASKED]


@pytest.mark.requirement("A012")
def test_an_allowed_turn_reads_what_was_allowed_and_uses_the_answer_up(asking: Desk, service: FakeProvider) -> None:
    approval = ask(asking)
    answered = answer(asking.caller, approval, "once")
    rings = rung()

    turn = go_on(asking, approval)

    assert (answered.state, answered.answered_by) == ("allowed", asking.caller.actor)
    assert (Job.WAKE_TURNS, (asking.caller.workspace.pk,)) in rings
    assert turn.state == TurnState.DONE
    assert "Proof for an hour." in service.calls[0].body.decode()
    approval.refresh_from_db()
    assert approval.state == ApprovalState.USED
    assert Permit.objects.count() == 0


@pytest.mark.requirement("A012")
def test_allowed_once_is_once(asking: Desk, service: FakeProvider) -> None:
    first = ask(asking)
    answer(asking.caller, first, "once")
    go_on(asking, first)
    Turn.objects.update(finished_at=clock.now())

    second = ask(asking)

    assert (second.pk != first.pk, second.state, len(service.calls)) == (True, "pending", 1)


@pytest.mark.requirement("A012")
def test_a_denied_turn_works_without_the_files_and_is_told_so(asking: Desk, service: FakeProvider) -> None:
    approval = ask(asking)
    answer(asking.caller, approval, "deny")

    turn = go_on(asking, approval)

    body = service.calls[0].body.decode()
    assert turn.state == TurnState.DONE
    assert "a person said no" in body
    assert "Proof for an hour." not in body
    assert "notes.md" not in body
    assert turn.notes == [{"code": "ASKED_AND_DENIED"}]


def test_a_file_that_came_after_the_question_is_asked_for_anew(asking: Desk, service: FakeProvider) -> None:
    approval = ask(asking)
    answer(asking.caller, approval, "once")
    make_file(asking.caller, asking.card, name="secret.md", content=b"The alarm code.")

    go_on(asking, approval)

    approval.refresh_from_db()
    again = Approval.objects.get(state=ApprovalState.PENDING)
    assert approval.state == ApprovalState.CANCELED
    assert [file["name"] for file in again.shown] == ["notes.md", "secret.md"]
    assert service.calls == []


def test_an_answer_to_what_changed_meanwhile_is_refused_and_changes_nothing(asking: Desk) -> None:
    approval = ask(asking)
    seen = approval.input_hash
    make_file(asking.caller, asking.card, name="secret.md", content=b"The alarm code.")

    code = refused(asking.caller, approval, "once", seen)

    approval.refresh_from_db()
    assert (code, approval.state, approval.answer) == ("PREVIEW_CHANGED", "pending", "")
    assert answer(asking.caller, approval, "once").state == "allowed"


def test_a_question_about_files_that_are_gone_can_still_be_answered(asking: Desk, service: FakeProvider) -> None:
    approval = ask(asking)
    remove_file(asking.caller, file=CardFile.objects.select_related("card").get())

    answer(asking.caller, approval, "once")

    assert go_on(asking, approval).state == TurnState.DONE
    assert len(service.calls) == 1


def test_a_second_answer_is_refused_and_changes_nothing(asking: Desk) -> None:
    approval = ask(asking)
    answer(asking.caller, approval, "deny")

    code = refused(asking.caller, approval, "always", approval.input_hash)

    approval.refresh_from_db()
    assert (code, approval.answer, Permit.objects.count()) == ("APPROVAL_ANSWERED", "deny", 0)


def test_stopping_the_work_closes_the_question(asking: Desk) -> None:
    approval = ask(asking)

    request_stop(asking.caller, turn=approval.turn)

    approval.refresh_from_db()
    assert approval.state == ApprovalState.CANCELED
    assert refused(asking.caller, approval, "once", approval.input_hash) == "APPROVAL_CLOSED"
    assert ended(approval.turn) == (TurnState.CANCELED, "")


def test_a_question_nobody_answers_ends_with_its_turn(asking: Desk) -> None:
    approval = ask(asking)
    Approval.objects.update(expires_at=clock.now() - timedelta(seconds=1))

    assert refused(asking.caller, approval, "once", approval.input_hash) == "APPROVAL_CLOSED"
    counts = sweep_turns()

    approval.refresh_from_db()
    assert (counts["expired_approvals"], approval.state) == (1, ApprovalState.EXPIRED)
    assert ended(approval.turn) == (TurnState.REFUSED, "APPROVAL_EXPIRED")
    assert sweep_turns()["expired_approvals"] == 0


def test_for_this_card_asks_no_more_there_and_still_elsewhere(asking: Desk, service: FakeProvider) -> None:
    approval = ask(asking)
    answer(asking.caller, approval, "card")
    go_on(asking, approval)
    Turn.objects.update(finished_at=clock.now())
    other = make_card(asking.caller, asking.board, title="Other")
    make_file(asking.caller, other, name="other.md", content=b"Other.")

    again, elsewhere = asking.queue(), asking.queue(other)
    run_turn(again.pk)
    run_turn(elsewhere.pk)

    assert ended(again)[0] == TurnState.DONE
    assert ended(elsewhere)[0] == TurnState.WAITING
    assert len(service.calls) == 2


def test_always_stands_on_every_card_until_it_is_taken_back(asking: Desk, service: FakeProvider) -> None:
    approval = ask(asking)
    answer(asking.caller, approval, "always")
    go_on(asking, approval)
    Turn.objects.update(finished_at=clock.now())
    other = make_card(asking.caller, asking.board, title="Other")
    make_file(asking.caller, other, name="other.md", content=b"Other.")
    elsewhere = asking.queue(other)
    run_turn(elsewhere.pk)

    withdraw_permit(asking.caller, permit=Permit.objects.select_related("agent__board").get())
    Turn.objects.update(finished_at=clock.now())
    run_turn((third := asking.queue(other)).pk)

    assert (ended(elsewhere)[0], ended(third)[0]) == (TurnState.DONE, TurnState.WAITING)
    assert len(service.calls) == 2


def test_always_is_for_the_account_it_was_said_for(asking: Desk, service: FakeProvider) -> None:
    approval = ask(asking)
    answer(asking.caller, approval, "always")
    go_on(asking, approval)
    Turn.objects.update(finished_at=clock.now())
    other: AiAccount = make_account(asking.caller, service, label="Other")
    bind_account(asking.caller, account=other, scope=BindingScope.BOARD, board=asking.board)

    run_turn((turn := asking.queue()).pk)

    assert (ended(turn)[0], len(service.calls)) == (TurnState.WAITING, 1)


def test_only_a_manager_says_always(asking: Desk, mia: Caller) -> None:
    add_board_member(asking.caller, board=asking.board, member=mia.member)
    approval = ask(asking)

    code = refused(mia, approval, "always", approval.input_hash)

    assert (code, answer(mia, approval, "card").state) == ("NOT_BOARD_MANAGER", "allowed")


@pytest.mark.parametrize("who", ["viewer", "read_only", "runner", "outsider", "foreign"])
def test_who_may_not_answer(asking: Desk, vic: Caller, mia: Caller, charlie: Caller, who: str) -> None:
    approval = ask(asking)
    add_board_member(asking.caller, board=asking.board, member=vic.member)
    tokens = {"read_only": Preset.READ_ONLY, "runner": Preset.RUNNER}
    caller = {"viewer": vic, "outsider": mia, "foreign": charlie}.get(who) or token_caller(
        token_of(asking.caller, tokens[who])
    )

    with pytest.raises(Refused) as refusal:
        answer(caller, approval, "once")

    approval.refresh_from_db()
    codes = {
        "viewer": "FORBIDDEN",
        "read_only": "TOKEN_READ_ONLY",
        "runner": "TOKEN_RUNNER_ONLY",
        "outsider": "NOT_FOUND",
        "foreign": "NOT_FOUND",
    }
    assert (refusal.value.code, approval.state) == (codes[who], "pending")


def test_a_pause_and_its_end_do_not_ask_again(asking: Desk, service: FakeProvider) -> None:
    approval = ask(asking)
    pause_dispatch(asking.caller, reason="Look")
    resume_dispatch(asking.caller)

    woken = wake_turns(asking.caller.workspace.pk)

    assert (woken, Approval.objects.count(), service.calls) == (0, 1, [])
    assert ended(approval.turn)[0] == TurnState.WAITING


def test_a_lost_ring_after_an_answer_is_made_up_for(asking: Desk) -> None:
    approval = ask(asking)
    answer(asking.caller, approval, "once")

    assert sweep_turns()["woken"] == 1


def test_a_card_without_files_needs_no_answer(asking: Desk, service: FakeProvider) -> None:
    plain = make_card(asking.caller, asking.board, title="Plain")

    run_turn((turn := asking.queue(plain)).pk)

    assert (ended(turn)[0], Approval.objects.count(), ModelCall.objects.count()) == (TurnState.DONE, 0, 1)
