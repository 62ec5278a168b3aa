"""The sweep of turns: what a lost message or a dead worker left behind. It sends nothing and gives nothing up twice."""

from __future__ import annotations

import logging
import uuid
from datetime import timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from agents.models import AiBinding, Approval, Turn
from agents.providers.outcomes import AiCode
from agents.services.attempts import Ending, expire_approval, settle_turn
from agents.states import AgentState, ApprovalState, BindingScope, TurnState, WaitReason
from bakedbrie.lib import once
from bakedbrie.lib.jobs import Job, poke

logger = logging.getLogger(__name__)

AT_MOST = 500
FIRST_RING = timedelta(seconds=30)
# The sweep rings again after ½, 1, 2, 4 … minutes, so that a long backlog does not fill the broker with copies.
MOST_RINGS = 6


def sweep_turns() -> dict[str, int]:
    """Name unclear turns unknown, and ring again for those that somebody should have answered. Returns the counts."""
    counts = {
        "unknown": _give_up_expired(),
        "queued": _ring_for_queued(),
        "unfinished": _ring(Job.TURN_FINISH, _unfinished()),
        "woken": _wake_forgotten(),
        "expired_approvals": sum(expire_approval(pk) for pk in _unanswered()),
    }
    if any(counts.values()):
        logger.info("Turns swept", extra=counts)
    return counts


def _give_up_expired() -> int:
    ending = Ending(code=AiCode.OUTCOME_UNKNOWN)
    return sum(settle_turn(turn_id, attempt, ending) for turn_id, attempt in once.expired(Turn, AT_MOST))


def _ring_for_queued() -> int:
    late = Q()
    for rings in range(MOST_RINGS + 1):
        condition = Q(rings=rings) if rings < MOST_RINGS else Q(rings__gte=rings)
        late |= condition & Q(updated_at__lt=Now() - FIRST_RING * 2**rings)
    is_free = Q(lease_until__isnull=True) | Q(lease_until__lt=Now())  # no worker is reading its card
    turns = Turn.objects.filter(late, is_free, state=TurnState.QUEUED, finished_at__isnull=True)
    found = list(turns.order_by("pk").values_list("pk", flat=True)[:AT_MOST])
    Turn.objects.filter(pk__in=found, state=TurnState.QUEUED).update(rings=F("rings") + 1, updated_at=Now())
    return _ring(Job.TURN_RUN, found)


def _unfinished() -> QuerySet[Turn, uuid.UUID]:
    turns = Turn.objects.filter(state__in=once.SETTLED, finished_at__isnull=True)
    return turns.order_by("pk").values_list("pk", flat=True)[:AT_MOST]


def _wake_forgotten() -> int:
    """Wake workspaces where a turn waits for something that is there: it was put aside just as the reason went."""
    payer = AiBinding.objects.filter(
        Q(agent=OuterRef("agent"))
        | Q(board=OuterRef("agent__board"))
        | Q(scope=BindingScope.WORKSPACE, workspace=OuterRef("card__board__workspace"))
    )
    asked = Approval.objects.filter(turn=OuterRef("pk"), state=ApprovalState.PENDING)
    is_over = (
        Q(reason=WaitReason.DISPATCH_PAUSED, card__board__workspace__dispatch_paused=False)
        | (Q(reason=WaitReason.AGENT_PAUSED) & ~Q(agent__state=AgentState.PAUSED))
        | Q(reason=WaitReason.AGENT_NOT_PUBLISHED, agent__needs_publish=False)
        | (Q(reason=WaitReason.AI_ACCOUNT_REQUIRED) & Exists(payer))
        | (Q(reason=WaitReason.APPROVAL) & ~Exists(asked))
    )
    waiting = Turn.objects.filter(state=TurnState.WAITING, finished_at__isnull=True)
    turns = waiting.filter(is_over, card__board__archived_at__isnull=True)
    return _ring(Job.WAKE_TURNS, turns.values_list("card__board__workspace", flat=True).distinct()[:AT_MOST])


def _unanswered() -> list[uuid.UUID]:
    late = Approval.objects.filter(state=ApprovalState.PENDING, expires_at__lt=Now())
    return list(late.order_by("expires_at").values_list("pk", flat=True)[:AT_MOST])


def _ring(job: Job, rows: QuerySet[Turn, uuid.UUID] | list[uuid.UUID]) -> int:
    found = list(rows)
    for row in found:
        poke(job, row)
    return len(found)
