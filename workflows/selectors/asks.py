"""What agents wait to be told: the question in words, and the page on which a person answers it."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Prefetch, QuerySet

from agents.access import approvals_of
from agents.models import Approval
from agents.services.approvals import READ_FILES
from agents.states import ASKED, DELIVERY_ASKED, ApprovalState, WaitReason
from boards.models import Board, Card
from workspaces.caller import Caller

SHOWN_ON_BOARD = 20
_PARTS = ("card__board__workspace", "agent__actor", "turn__account", "turn__iteration")


def asks_on_board(caller: Caller, board: Board) -> list[Approval]:
    """Return the open questions about cards of a board that came from access, the oldest first: one query."""
    if "agents" not in caller.capabilities:
        return []
    return list(_open().filter(card__board=board).order_by("pk")[:SHOWN_ON_BOARD])


def asks_about(caller: Caller, card: Card) -> list[Approval]:
    """Return the open questions about a card that came from access; no query where its badge tells of none."""
    if card.badge_reason not in ASKED or "agents" not in caller.capabilities:
        return []
    return list(_open().filter(card=card).order_by("pk"))


def asks_of_turn() -> Prefetch[str, QuerySet[Approval], str]:
    """Return what brings the open questions of turns with them, as ``asks``."""
    return Prefetch("approvals", _open().order_by("pk"), to_attr="asks")


def open_asks_of(caller: Caller) -> QuerySet[Approval]:
    """Return the open questions on boards the caller may open."""
    return approvals_of(caller).filter(state=ApprovalState.PENDING)


def question_in_words(approval: Approval) -> str:
    """Return what is asked; the approval comes with agent, card, turn and account."""
    agent, card = approval.agent.name, approval.card.title
    if approval.area != READ_FILES:
        place = next((f" to “{thing['destination']}”" for thing in approval.shown if "destination" in thing), "")
        return f"May what “{agent}” made on “{card}” be delivered{place}?"
    payer = approval.turn.account
    told = f" They would go to the AI account “{payer.label}”." if payer is not None else ""
    return f"May “{agent}” read the files of “{card}”?{told}"


def code_of_question(approval: Approval) -> str:
    """Return the word that the card shows while the question waits for its answer."""
    return WaitReason.APPROVAL.value if approval.area == READ_FILES else DELIVERY_ASKED


def address_of(page: str, pk: object) -> str:
    """Return the address of a page about one thing, such as a card or a review."""
    return f"{settings.APP_URL}/{page}/{pk}/"


def _open() -> QuerySet[Approval]:
    return Approval.objects.select_related(*_PARTS).filter(state=ApprovalState.PENDING)
