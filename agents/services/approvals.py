"""Asking people: a turn whose agent has to ask waits for exactly one answer to exactly what was shown (A012)."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from agents.access import lock_turn
from agents.models import Agent, AiAccount, Approval, Permit, Turn
from agents.refusals import APPROVAL_ANSWERED, APPROVAL_CLOSED
from agents.rules import verdict
from agents.services.open_approvals import OPEN
from agents.services.turns import event_data, hold_turn
from agents.states import ApprovalAnswer, ApprovalState, WaitReason
from bakedbrie.lib import clock, once
from bakedbrie.lib.hashing import canonical_hash
from bakedbrie.lib.jobs import Job, poke
from bakedbrie.lib.refusals import NOT_FOUND, PREVIEW_CHANGED
from boards.access import lock_any_card, require_manager, require_open
from boards.models import Card, CardFile
from boards.services.events import record_event
from boards.states import EventKind
from workspaces.access import require_capability, require_writer
from workspaces.caller import Caller
from workspaces.capabilities import effective
from workspaces.models import Actor

logger = logging.getLogger(__name__)

READ_FILES = "read_files"
LASTS = timedelta(days=7)
_ANSWERED = frozenset({ApprovalState.ALLOWED, ApprovalState.DENIED, ApprovalState.USED})


@dataclass(frozen=True, kw_only=True)
class Question:
    """What the agent would do now. ``shown`` names every thing that the answer covers; ``target`` is who gets it."""

    area: str
    target: uuid.UUID
    shown: tuple[dict[str, object], ...]

    @property
    def input_hash(self) -> str:
        about = {"area": self.area, "target": str(self.target), "shown": list(self.shown)}
        return canonical_hash("approval", about)


@dataclass(frozen=True, kw_only=True)
class Leave:
    """Whether a turn may read the card's files. ``files`` are the only ones it was allowed; None is all of them.

    ``question`` is to be asked first. ``approval`` is the answer that sending the turn uses up.
    """

    is_allowed: bool
    was_denied: bool = False
    files: frozenset[uuid.UUID] | None = None
    approval: uuid.UUID | None = None
    question: Question | None = None


def question_about_files(turn: Turn) -> Question:
    """Return what reading the card's files in this turn would be: which files, and the account that gets them."""
    files = CardFile.objects.filter(card=turn.card_id, removed_at__isnull=True).order_by("pk")
    shown = files.values("id", "name", "media_type", "bytes", "sha256")
    return Question(
        area=READ_FILES,
        target=turn.account_id or turn.agent_id,
        shown=tuple({**file, "id": str(file["id"])} for file in shown),
    )


def leave_to_read(turn: Turn) -> Leave:
    """Weigh what was set, what stands and what was answered for this turn. Changes nothing."""
    said = verdict(turn.version.permissions, READ_FILES)
    if said == "off" or "media" not in effective(turn.card.board.workspace.capabilities):
        return Leave(is_allowed=False)
    if said == "allowed":
        return Leave(is_allowed=True)
    question = question_about_files(turn)
    if not question.shown or stands(turn, question):
        return Leave(is_allowed=True)
    last = Approval.objects.filter(turn=turn, area=READ_FILES).order_by("-pk").first()
    if last is not None and last.state == ApprovalState.DENIED:
        return Leave(is_allowed=False, was_denied=True)
    if last is not None and last.state == ApprovalState.ALLOWED and last.input_hash == question.input_hash:
        files = frozenset(uuid.UUID(str(file["id"])) for file in question.shown)
        return Leave(is_allowed=True, files=files, approval=last.pk)
    return Leave(is_allowed=False, question=question)


def would_ask_for_files(agent: Agent, *, card: Card, account: AiAccount | None) -> bool:
    """Whether a turn that began now would wait for an answer about the files which the card has now."""
    permissions = agent.published.permissions if agent.published else {}
    if verdict(permissions, READ_FILES) != "ask" or "media" not in effective(card.board.workspace.capabilities):
        return False
    if not CardFile.objects.filter(card=card, removed_at__isnull=True).exists():
        return False
    return not has_permit(agent, card=card, area=READ_FILES, target=account.pk if account else agent.pk)


def has_permit(agent: Agent, *, card: Card, area: str, target: uuid.UUID) -> bool:
    """Whether an earlier answer stands, so that the agent would not ask."""
    return _permits(agent.pk, card.pk).filter(area=area, target=target).exists()


@transaction.atomic
def ask_first(turn: Turn, question: Question) -> None:
    """Let a queued turn wait for the answer to a question; `bakedbrie.lib.once.LostRace` when it moved on.

    One that was asked already is not asked again. An older question about something else is closed.
    """
    hold_turn(turn, WaitReason.APPROVAL)
    open_ones = Approval.objects.filter(turn=turn, area=question.area, state__in=OPEN)
    if open_ones.filter(state=ApprovalState.PENDING, input_hash=question.input_hash).exists():
        return
    open_ones.update(state=ApprovalState.CANCELED, updated_at=clock.now())
    open_approval(turn, question)


def open_approval(turn: Turn, question: Question) -> Approval:
    """Write a question down, in its card's history too. The card and the turn are locked."""
    approval = Approval.objects.create(
        turn=turn,
        card=turn.card,
        agent=turn.agent,
        area=question.area,
        target=question.target,
        input_hash=question.input_hash,
        shown=list(question.shown),
        expires_at=clock.now() + LASTS,
    )
    data = {**event_data(turn), "approval": str(approval.pk), "area": approval.area}
    record_event(turn.card.board, EventKind.APPROVAL_ASKED, actor=turn.agent.actor, card=turn.card, **data)
    logger.info("A person is asked", extra={"turn": turn.pk, "approval": approval.pk})
    return approval


@transaction.atomic
def answer_approval(
    caller: Caller, *, approval: Approval, answer: ApprovalAnswer, question: Question, input_hash: str
) -> Approval:
    """Answer a question that `lock_approval` gave, for exactly what ``input_hash`` was shown for.

    Refuses PREVIEW_CHANGED when ``question`` (what it is about now) is not what the caller saw: nothing is kept then.
    What stands for every card is a board manager's to say.
    """
    require_writer(caller)
    require_capability(caller, "agents")
    locked, board = approval, approval.card.board
    require_open(board)
    if answer is ApprovalAnswer.ALWAYS:
        require_manager(caller, board)
    if question.input_hash != input_hash:
        raise PREVIEW_CHANGED()
    is_allowed = answer is not ApprovalAnswer.DENY
    now = clock.now()
    locked.state = ApprovalState.ALLOWED if is_allowed else ApprovalState.DENIED
    locked.answer, locked.answered_by, locked.answered_at = answer, caller.actor, now
    locked.input_hash, locked.target, locked.shown = input_hash, question.target, list(question.shown)
    locked.save()
    if is_allowed and answer is not ApprovalAnswer.ONCE:
        _let_stand(caller.actor, locked)
    data = {**event_data(locked.turn), "approval": str(locked.pk), "area": locked.area, "answer": str(answer)}
    record_event(board, EventKind.APPROVAL_ANSWERED, actor=caller.actor, card=locked.card, **data)
    poke(Job.WAKE_TURNS, board.workspace_id)
    return locked


def lock_approval(approval: Approval) -> Approval:
    """Return a question that can still be answered; refuse APPROVAL_ANSWERED and APPROVAL_CLOSED for one that cannot.

    Its turn, its card and itself are locked, in this order everywhere.
    """
    turn = lock_turn(approval.turn_id)
    card = lock_any_card(turn.card)
    rows = Approval.objects.select_for_update(of=("self",), no_key=True)
    locked = rows.select_related("agent__actor").get(pk=approval.pk)
    locked.turn, locked.card = turn, card
    turn.card = card
    if locked.state in _ANSWERED:
        raise APPROVAL_ANSWERED(answer=locked.answer)
    is_asked = locked.area != READ_FILES or turn.state in once.UNSENT
    if locked.state != ApprovalState.PENDING or locked.expires_at <= clock.now() or not is_asked:
        raise APPROVAL_CLOSED(state=locked.state)
    return locked


def use_approval(approval_id: uuid.UUID) -> None:
    """Use an answer up as its act begins; `bakedbrie.lib.once.LostRace` when it does not hold any more."""
    allowed = Approval.objects.filter(pk=approval_id, state=ApprovalState.ALLOWED)
    if not allowed.update(state=ApprovalState.USED, updated_at=clock.now()):
        raise once.LostRace(f"Approval {approval_id}")


@transaction.atomic
def withdraw_permit(caller: Caller, *, permit: Permit) -> None:
    """Let an agent ask again where an earlier answer stood."""
    board = permit.agent.board
    require_manager(caller, board)
    gone, _ = Permit.objects.filter(pk=permit.pk).delete()
    if not gone:
        raise NOT_FOUND()
    record_event(
        board,
        EventKind.AGENT_CHANGED,
        actor=caller.actor,
        agent=str(permit.agent_id),
        name=permit.agent.name,
        change="permit_withdrawn",
    )


def stands(turn: Turn, question: Question) -> bool:
    """Whether an earlier answer covers this, on the card of the turn or on every card."""
    return _permits(turn.agent_id, turn.card_id).filter(area=question.area, target=question.target).exists()


def _permits(agent_id: uuid.UUID, card_id: uuid.UUID) -> QuerySet[Permit]:
    return Permit.objects.filter(Q(card=card_id) | Q(card__isnull=True), agent=agent_id)


def _let_stand(actor: Actor, approval: Approval) -> None:
    card = approval.card if approval.answer == ApprovalAnswer.CARD else None
    about = {"agent": approval.agent, "area": approval.area, "target": approval.target, "card": card}
    Permit.objects.get_or_create(**about, defaults={"given_by": actor})
