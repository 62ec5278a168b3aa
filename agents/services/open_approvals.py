"""Questions to people that are still open: looked for, and closed where they have no use any more."""

from __future__ import annotations

import uuid

from agents.models import Approval, Turn
from agents.states import ASKED, ApprovalState, WaitReason
from bakedbrie.lib import clock
from boards.models import Card

OPEN = (ApprovalState.PENDING, ApprovalState.ALLOWED)


def close_approvals(turn_id: uuid.UUID) -> None:
    """Close what a turn asked: it was stopped, or ended without being sent."""
    asked = Approval.objects.filter(turn=turn_id, state__in=OPEN)
    asked.update(state=ApprovalState.CANCELED, updated_at=clock.now())


def close_approvals_of_card(card: Card) -> None:
    """Close what is still asked about a locked card that is taken elsewhere; it says itself whether anything is."""
    if card.badge_reason not in ASKED:
        return
    asked = Approval.objects.filter(card=card, state__in=OPEN)
    asked.update(state=ApprovalState.CANCELED, updated_at=clock.now())


def waits_for_answer(turn: Turn) -> bool:
    """Tell whether a turn that waits for an answer has none yet."""
    asked = Approval.objects.filter(turn=turn, state=ApprovalState.PENDING)
    return turn.reason == WaitReason.APPROVAL and asked.exists()
