"""Answering what an agent asked, and what follows from the answer."""

from __future__ import annotations

from django.db import transaction

from agents.models import Approval
from agents.services import approvals
from agents.states import ApprovalAnswer, ApprovalState
from workspaces.caller import Caller


def as_it_is_now(approval: Approval) -> Approval:
    """Return the question with what it is about by now, as long as it waits for an answer. Saves nothing."""
    if approval.state == ApprovalState.PENDING:
        question = approvals.question_now(approval)
        approval.target, approval.shown = question.target, list(question.shown)
        approval.input_hash = question.input_hash
    return approval


@transaction.atomic
def answer_approval(caller: Caller, *, approval: Approval, answer: str, input_hash: str) -> Approval:
    """Answer a question once, for exactly what the caller saw. Every door comes through here."""
    question = approvals.question_now(approval)
    return approvals.answer_approval(
        caller, approval=approval, answer=ApprovalAnswer(answer), question=question, input_hash=input_hash
    )
