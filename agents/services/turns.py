"""Turns until they are sent: queued or waiting, woken, stopped."""

from __future__ import annotations

import logging
import uuid

from django.db import IntegrityError, transaction

from agents.access import lock_turn
from agents.models import Agent, AiAccount, Turn
from agents.refusals import AGENT_NOT_PUBLISHED, AGENT_RETIRED, TURN_NOT_RUNNING
from agents.rules import wait_reason
from agents.selectors import payer_for
from agents.services.open_approvals import close_approvals, waits_for_answer
from agents.states import AgentState, TurnState, WaitReason
from bakedbrie.lib import once
from bakedbrie.lib.jobs import Job, poke
from boards.models import Card, Iteration
from boards.refusals import CARD_BUSY
from boards.services.cards import set_badge
from boards.services.events import record_event
from boards.states import Badge, EventKind
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.models import Actor, Workspace

logger = logging.getLogger(__name__)

QUEUED = "QUEUED"  # the reason a card shows while its turn stands in the queue


@transaction.atomic
def queue_turn(caller: Caller, *, card: Card, iteration: Iteration, agent: Agent) -> Turn:
    """Put an agent to work on a card that the caller has locked; it waits when nothing may start or nobody pays yet.

    Version and payer are fixed here. A bound account that cannot be used is no reason to wait: the turn is refused
    when it is its turn. The agent comes with its actor.
    """
    require_writer(caller)
    if agent.state == AgentState.RETIRED:
        raise AGENT_RETIRED()
    if agent.published_id is None:
        raise AGENT_NOT_PUBLISHED()
    payer, reason = _standing(agent, caller.workspace.pk)
    turn = Turn(
        card=card,
        iteration=iteration,
        agent=agent,
        version_id=agent.published_id,
        account=payer,
        state=TurnState.WAITING if reason else TurnState.QUEUED,
        reason=reason or "",
    )
    try:
        with transaction.atomic():
            turn.save(force_insert=True)
    except IntegrityError as error:
        if "one_turn_holds_a_card" not in str(error):
            raise
        raise CARD_BUSY() from None
    _announce(turn, caller.actor)
    return turn


def wake_turns(workspace_id: uuid.UUID) -> int:
    """Look again at every waiting turn on a workspace's open boards, the oldest first: queue those that may start now.

    Each is a transaction of its own; called any number of times. Returns how many were queued.
    """
    if Workspace.objects.filter(pk=workspace_id, dispatch_paused=True).exists():
        return 0
    waiting = Turn.objects.filter(
        card__board__workspace=workspace_id,
        card__board__archived_at__isnull=True,
        state=TurnState.WAITING,
        finished_at__isnull=True,
    )
    return sum(_wake(turn_id) for turn_id in list(waiting.order_by("pk").values_list("pk", flat=True)))


@transaction.atomic
def request_stop(caller: Caller, *, turn: Turn) -> Turn:
    """Stop a turn. One that was not sent ends at once; a sent one ends when its answer comes, which is not used.

    Refuses TURN_NOT_RUNNING when it is over. Stopping twice changes nothing.
    """
    require_writer(caller)
    locked = lock_turn(turn.pk)
    if locked.state == TurnState.CANCEL_REQUESTED:
        return locked
    if locked.state in once.UNSENT:
        once.move(Turn, locked.pk, from_=once.UNSENT, to=TurnState.CANCELED, reason="")
        close_approvals(locked.pk)
        poke(Job.TURN_FINISH, locked.pk)
    elif locked.state == TurnState.SENDING:
        once.move(Turn, locked.pk, from_=TurnState.SENDING, to=TurnState.CANCEL_REQUESTED)
    else:
        raise TURN_NOT_RUNNING(state=locked.state)
    record_event(locked.card.board, EventKind.TURN_STOPPED, actor=caller.actor, card=locked.card, **event_data(locked))
    locked.refresh_from_db(fields=["state", "reason", "settled_at", "updated_at"])
    return locked


def ring_again(turn: Turn) -> Job | None:
    """Ring for a turn that nobody seems to have answered, and return the job; None while its answer is awaited.

    Never sends anything again: only the claim of a queued turn does.
    """
    if turn.state == TurnState.WAITING:
        poke(Job.WAKE_TURNS, turn.agent.actor.workspace_id)
        return Job.WAKE_TURNS
    if turn.state == TurnState.QUEUED:
        poke(Job.TURN_RUN, turn.pk)
        return Job.TURN_RUN
    if turn.state in once.SETTLED and turn.finished_at is None:
        poke(Job.TURN_FINISH, turn.pk)
        return Job.TURN_FINISH
    return None


def event_data(turn: Turn) -> dict[str, object]:
    """Return what every event of a turn says about it."""
    return {"turn": str(turn.pk), "agent": str(turn.agent_id), "agent_name": turn.agent.name}


def hold_turn(turn: Turn, reason: WaitReason) -> None:
    """Let a queued turn wait after all; `bakedbrie.lib.once.LostRace` when it moved on."""
    once.move(Turn, turn.pk, from_=TurnState.QUEUED, to=TurnState.WAITING, reason=reason)
    turn.state, turn.reason = TurnState.WAITING, reason
    _announce(turn, turn.agent.actor)


@transaction.atomic
def _wake(turn_id: uuid.UUID) -> bool:
    turn = lock_turn(turn_id)
    if turn.state != TurnState.WAITING or turn.card.board.archived_at is not None:
        return False
    payer, reason = _standing(turn.agent, turn.card.board.workspace_id)
    if reason is not None:
        if reason != turn.reason:
            Turn.objects.filter(pk=turn.pk).update(reason=reason)
            set_badge(turn.card, Badge.WAITING, reason)
        return False
    if waits_for_answer(turn):
        return False
    turn.account, turn.version_id = payer, turn.agent.published_id or turn.version_id
    once.move(
        Turn,
        turn.pk,
        from_=TurnState.WAITING,
        to=TurnState.QUEUED,
        reason="",
        rings=0,
        pickups=0,
        lease_until=None,
        account=payer,
        version_id=turn.version_id,
    )
    turn.state, turn.reason = TurnState.QUEUED, ""
    _announce(turn, turn.agent.actor)
    return True


def _standing(agent: Agent, workspace_id: uuid.UUID) -> tuple[AiAccount | None, WaitReason | None]:
    """Return who pays and why the turn would wait, both as they are now."""
    payer = payer_for(agent)
    is_paused = Workspace.objects.values_list("dispatch_paused", flat=True).get(pk=workspace_id)
    reason = wait_reason(
        is_dispatch_paused=is_paused,
        agent_state=agent.state,
        needs_publish=agent.needs_publish,
        has_payer=payer is not None,
    )
    return payer, reason


def _announce(turn: Turn, actor: Actor) -> None:
    """Write history, show it on the card, and ring for a queued turn."""
    is_queued = turn.state == TurnState.QUEUED
    kind = EventKind.TURN_QUEUED if is_queued else EventKind.TURN_WAITING
    record_event(turn.card.board, kind, actor=actor, card=turn.card, **event_data(turn), reason=turn.reason)
    set_badge(turn.card, Badge.WAITING, turn.reason or QUEUED)
    if is_queued:
        poke(Job.TURN_RUN, turn.pk)
    logger.info("Turn queued" if is_queued else "Turn waits", extra={"turn": turn.pk, "reason": turn.reason})
