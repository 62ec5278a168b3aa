"""The one attempt of a turn: what stands against it, its claim, and how it ends."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from agents.access import find_queued, lock_turn
from agents.models import AiAccount, Approval, ModelCall, Turn
from agents.providers.base import Reply, Usage
from agents.providers.outcomes import OUTCOMES, AiCode
from agents.providers.prices import most_micros
from agents.refusals import AGENT_RETIRED
from agents.rules import wait_reason
from agents.selectors import trouble_of
from agents.services.accounts import note_outcome
from agents.services.approvals import use_approval
from agents.services.caps import cap_reached
from agents.services.open_approvals import close_approvals
from agents.services.turns import event_data, hold_turn
from agents.states import ASKED, AgentState, ApprovalState, TurnState, WaitReason
from bakedbrie.lib import clock, once
from bakedbrie.lib.jobs import Job, poke
from boards.access import lock_any_card, may_work_on
from boards.refusals import BOARD_ARCHIVED
from boards.services.cards import set_badge
from boards.services.events import record_event
from boards.states import Badge, EventKind

logger = logging.getLogger(__name__)

MEMBER_REMOVED = "MEMBER_REMOVED"
LATE_ANSWER = "LATE_ANSWER"
APPROVAL_EXPIRED = "APPROVAL_EXPIRED"


class Held(Exception):
    """Something stands against sending this turn now."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(obstacle.code)
        self.obstacle = obstacle


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """Why a queued turn is not sent: it waits, is refused or is canceled."""

    to: TurnState
    code: str
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How an attempt ended. ``reply`` is None when no answer came."""

    code: AiCode
    text: str = field(default="", repr=False)
    notes: tuple[dict[str, object], ...] = ()
    reply: Reply | None = None
    cost_micros: int | None = None


@dataclass(frozen=True, kw_only=True)
class Written:
    """What the turn keeps of its prompt, and the answer that sending it uses up."""

    sha256: str
    record: dict[str, object]
    notes: list[dict[str, object]]
    approval: uuid.UUID | None = None


def unavailable(why: str) -> Obstacle:
    """Refuse a turn whose account cannot be used; ``why`` names the reason."""
    outcome = OUTCOMES[AiCode.ACCOUNT_UNAVAILABLE]
    return Obstacle(to=outcome.state, code=AiCode.ACCOUNT_UNAVAILABLE, message=f"{outcome.message} Reason: {why}.")


def obstacle_of(turn: Turn) -> Obstacle | None:
    """Return what stands against sending a turn that was just read with `agents.access.find_queued`."""
    board, agent = turn.card.board, turn.agent
    if board.archived_at is not None:
        return Obstacle(to=TurnState.CANCELED, code=BOARD_ARCHIVED.code)
    if agent.state == AgentState.RETIRED:
        return Obstacle(to=TurnState.REFUSED, code=AGENT_RETIRED.code, message=AGENT_RETIRED.message)
    maker = turn.iteration.started_by.member
    if maker and not may_work_on(maker, board):
        message = "Whoever started this round may not work on this board any more. Move the card again."
        return Obstacle(to=TurnState.REFUSED, code=MEMBER_REMOVED, message=message)
    reason = wait_reason(
        is_dispatch_paused=board.workspace.dispatch_paused,
        agent_state=agent.state,
        needs_publish=agent.needs_publish,
        has_payer=turn.account is not None,
    )
    if reason is not None or turn.account is None:
        return Obstacle(to=TurnState.WAITING, code=reason or WaitReason.AI_ACCOUNT_REQUIRED)
    trouble = trouble_of(turn.account, board.workspace)
    return unavailable(trouble) if trouble else None


@transaction.atomic
def put_aside(turn: Turn, obstacle: Obstacle) -> None:
    """Let a queued turn wait, or end it unsent; raise `bakedbrie.lib.once.LostRace` when it moved on meanwhile."""
    if obstacle.to is TurnState.WAITING:
        hold_turn(turn, WaitReason(obstacle.code))
        return
    code, message = obstacle.code, obstacle.message[:300]
    once.move(Turn, turn.pk, from_=TurnState.QUEUED, to=obstacle.to, code=code, message=message)
    close_approvals(turn.pk)
    _tell_end(turn, obstacle.to, obstacle.code)


@transaction.atomic
def expire_approval(approval_id: uuid.UUID) -> bool:
    """End a question that nobody answered in time, and the turn that waits for it. Returns whether it ended here."""
    turn_id = Approval.objects.values_list("turn", flat=True).get(pk=approval_id)
    turn = lock_turn(turn_id)
    turn.card = lock_any_card(turn.card)  # before the question, as whoever moves the card does
    pending = Approval.objects.filter(pk=approval_id, state=ApprovalState.PENDING, expires_at__lte=clock.now())
    if not pending.update(state=ApprovalState.EXPIRED, updated_at=clock.now()):
        return False
    if turn.state in once.UNSENT:
        message = "Nobody said in time whether the agent may do what it asked for. Run it again to be asked anew."
        once.move(Turn, turn.pk, from_=once.UNSENT, to=TurnState.REFUSED, code=APPROVAL_EXPIRED, message=message)
        _tell_end(turn, TurnState.REFUSED, APPROVAL_EXPIRED)
    elif turn.card.badge_reason in ASKED:
        set_badge(turn.card, Badge.BLOCKED, APPROVAL_EXPIRED)
    return True


@transaction.atomic
def claim_turn(turn: Turn, *, written: Written, deadline: timedelta) -> uuid.UUID:
    """Take a queued turn and record its call, or raise `Held` or `bakedbrie.lib.once.LostRace`.

    Reading the card took a while, so everything that could stand against it is looked at again here. A turn that
    another account or version shall work on by now was written from the old one: it stays queued.
    """
    fresh = find_queued(turn.pk)
    if fresh is None:
        raise once.LostRace(f"Turn {turn.pk}")
    obstacle = obstacle_of(fresh)
    if obstacle is not None:
        raise Held(obstacle)
    account = fresh.account
    assert account is not None  # obstacle_of answers a missing one
    if turn.account is None or _sent_by(account) != _sent_by(turn.account) or fresh.version_id != turn.version_id:
        raise once.LostRace(f"Turn {turn.pk}")
    turn.notes = written.notes
    attempt = once.claim(
        Turn, turn.pk, deadline=deadline, prompt_sha256=written.sha256, prompt=written.record, notes=written.notes
    )
    if written.approval is not None:
        use_approval(written.approval)
    now = clock.now()
    ModelCall.objects.create(
        turn=fresh,
        n=1,
        attempt=attempt,
        provider=account.provider,
        model=account.model,
        sent_at=now,
        most_micros=_reserve(account, written, now),
    )
    record_event(
        fresh.card.board, EventKind.TURN_STARTED, actor=fresh.agent.actor, card=fresh.card, **event_data(fresh)
    )
    set_badge(fresh.card, Badge.WORKING)
    logger.info("Turn started", extra={"turn": turn.pk, "account": account.pk})
    return attempt


def _sent_by(account: AiAccount) -> tuple[object, ...]:
    """Return what a request is written from, and what its call is recorded with."""
    ways = (account.context_tokens, account.answer_tokens, account.asks_for_counts)
    return (account.pk, account.provider, account.base_url, account.model, account.secret_id, *ways)


def _reserve(account: AiAccount, written: Written, now: datetime) -> int | None:
    """Return the most this call can cost, having seen that the account's cap holds it; raise `Held` otherwise."""
    estimate = written.record.get("estimated_tokens")
    read = estimate if isinstance(estimate, int) else account.context_tokens - account.answer_tokens
    most = most_micros(account.provider, account.model, Usage(read=read, written=account.answer_tokens), now)
    over = cap_reached(account, most, now)
    if over is not None:
        raise Held(Obstacle(to=TurnState.REFUSED, code=over.code, message=over.message))
    return most


@transaction.atomic
def settle_claimed(turn: Turn, attempt: uuid.UUID, ending: Ending) -> None:
    """Keep how the attempt of a turn that this process claimed ended: `settle_turn` without reading it again.

    Almost always nobody stopped it and the sweep did not come by; if somebody did, `settle_turn` weighs that.
    """
    to, code = OUTCOMES[ending.code].state, str(ending.code)
    try:
        once.settle(Turn, turn.pk, attempt, to, from_=[TurnState.SENDING], **_kept(turn, ending, code))
    except once.LostRace:
        settle_turn(turn.pk, attempt, ending)
        return
    _keep_call(attempt, turn, ending)
    if turn.account_id is not None:
        note_outcome(turn.account_id, ending.code)
    _tell_end(turn, to, code)


@transaction.atomic
def settle_turn(turn_id: uuid.UUID, attempt: uuid.UUID, ending: Ending) -> bool:
    """Keep how an attempt ended, once: turn, model call, history, and the ring for what follows.

    A stop that was asked for meanwhile makes it canceled; what it used is kept. An answer that comes after the sweep
    named the turn unknown heals it as long as nobody has acted on that; once the card stands there blocked, the model
    call learns the truth and the turn keeps the answer with a note. Returns whether the turn was settled here.
    """
    rows = Turn.objects.select_for_update(of=("self",), no_key=True).select_related("agent__actor", "card__board")
    turn = rows.filter(pk=turn_id, attempt=attempt).first()
    if turn is None:
        return False
    _keep_call(attempt, turn, ending)
    if turn.account_id is not None:
        note_outcome(turn.account_id, ending.code)
    to = OUTCOMES[ending.code].state
    is_open = turn.finished_at is None and turn.state in _open_for(to)
    if not is_open:
        _keep_late(turn, ending)
        return False
    code = str(ending.code)
    if turn.state == TurnState.CANCEL_REQUESTED and to is not TurnState.UNKNOWN:
        to, code = TurnState.CANCELED, ""
    once.settle(Turn, turn.pk, attempt, to, **_kept(turn, ending, code))
    _tell_end(turn, to, code)
    return True


def _kept(turn: Turn, ending: Ending, code: str) -> dict[str, Any]:
    """Return what the turn keeps of its end."""
    message = _message(ending) if code else ""
    return {"code": code, "message": message, "reply": ending.text, "notes": [*turn.notes, *ending.notes]}


def _keep_late(turn: Turn, ending: Ending) -> None:
    """Keep an answer that came after its turn was given up: a person can read it before running the turn again."""
    if turn.state == TurnState.UNKNOWN and ending.text and not turn.reply:
        notes = [*turn.notes, *ending.notes, {"code": LATE_ANSWER}]
        Turn.objects.filter(pk=turn.pk).update(reply=ending.text, notes=notes, updated_at=Now())


def _open_for(to: TurnState) -> frozenset[TurnState]:
    out = frozenset({TurnState.SENDING, TurnState.CANCEL_REQUESTED})
    return out if to is TurnState.UNKNOWN else out | {TurnState.UNKNOWN}


def _keep_call(attempt: uuid.UUID, turn: Turn, ending: Ending) -> None:
    """Correct the model call of this attempt, unless its answer is kept already."""
    calls = ModelCall.objects.filter(turn=turn, attempt=attempt, answered_at__isnull=True)
    reply = ending.reply
    if reply is None:
        if ending.cost_micros is not None:
            calls.update(cost_micros=ending.cost_micros, updated_at=Now())
        return
    calls.update(
        answered_at=Now(),
        http_status=reply.http_status,
        provider_request_id=reply.request_id,
        stop_reason=reply.stop_reason,
        input_tokens=reply.usage.read if reply.usage else None,
        output_tokens=reply.usage.written if reply.usage else None,
        cost_micros=ending.cost_micros,
        updated_at=Now(),
    )


def _message(ending: Ending) -> str:
    message = OUTCOMES[ending.code].message
    if ending.reply is not None and ending.reply.retry_after_s:
        message += f" It asks to wait {ending.reply.retry_after_s} seconds."
    return message[:300]


def _tell_end(turn: Turn, state: TurnState, code: str) -> None:
    record_event(
        turn.card.board,
        EventKind.TURN_ENDED,
        actor=turn.agent.actor,
        card=turn.card,
        **event_data(turn),
        state=state.value,
        code=code,
    )
    poke(Job.TURN_FINISH, turn.pk)
    logger.info("Turn ended", extra={"turn": turn.pk, "state": state.value, "code": code})
