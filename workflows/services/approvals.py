"""Answering what an agent asked, and what follows from the answer."""

from __future__ import annotations

from django.db import transaction

from agents.models import Approval
from agents.services import approvals
from agents.services.approvals import READ_FILES, Question
from agents.states import ApprovalAnswer, ApprovalState
from boards.access import look_again, require_not_trashed
from boards.services.cards import set_badge
from boards.states import Badge
from workflows.services.delivering import deliver_as_asked, question_of_delivery
from workspaces.caller import Caller


def as_it_is_now(approval: Approval) -> Approval:
    """Return the question with what it is about by now, as long as it waits for an answer. Saves nothing."""
    if approval.state == ApprovalState.PENDING:
        question = _question_now(approval)
        approval.target, approval.shown = question.target, list(question.shown)
        approval.input_hash = question.input_hash
    return approval


@transaction.atomic
def answer_approval(asked_by: Caller, *, approval: Approval, answer: str, input_hash: str) -> Approval:
    """Answer a question once, for exactly what the caller saw, and do what follows. Every door comes through here.

    The rights of who answers are weighed with the board locked: they may have lost them on the way.
    """
    caller, _ = look_again(asked_by, approval.card.board)
    locked = approvals.lock_approval(approval)
    require_not_trashed(locked.card)
    question = _question_now(locked)
    answered = approvals.answer_approval(
        caller, approval=locked, answer=ApprovalAnswer(answer), question=question, input_hash=input_hash
    )
    if answered.area != READ_FILES:
        _end_delivery(answered)
    return answered


def _question_now(approval: Approval) -> Question:
    if approval.area == READ_FILES:
        return approvals.question_about_files(approval.turn)
    return question_of_delivery(approval)


def _end_delivery(answered: Approval) -> None:
    """Deliver what was allowed; with a no, or where nothing is left to deliver, the card is done."""
    if answered.state == ApprovalState.ALLOWED:
        approvals.use_approval(answered.pk)
        answered.state = ApprovalState.USED
        if deliver_as_asked(answered) is not None:
            return
    set_badge(answered.card, Badge.DONE)
