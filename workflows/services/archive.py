"""Archiving a board: nothing starts on it any more."""

from __future__ import annotations

from django.db import transaction

from agents.models import Turn
from agents.services.open_approvals import close_approvals_of_card
from agents.states import DELIVERY_ASKED
from boards.models import Board, Card, Stage
from boards.refusals import BOARD_ARCHIVED
from boards.services.boards import set_archived
from boards.services.cards import set_badge
from boards.states import Badge
from reviews.services.reviews import cancel_review
from reviews.states import ReviewState
from workflows.services.canceling import cancel_unsent
from workspaces.caller import Caller


@transaction.atomic
def archive_board(caller: Caller, *, board: Board) -> Board:
    """Put the board away. Waiting and queued turns are canceled; running ones settle without a move; reviews are
    closed without a decision, and questions without an answer.

    The columns are locked as placing a card locks them: a card that is just entering one has its turn queued before
    this looks, or finds the board archived.
    """
    archived = set_archived(caller, board=board, is_archived=True)
    _close_what_waits(caller, archived)  # while the cards can still be locked before their columns
    list(Stage.objects.select_for_update(no_key=True).filter(board=archived).order_by("pk"))
    _close_what_waits(caller, archived)
    cancel_unsent(caller, Turn.objects.filter(card__board=archived))
    return archived


def restore_board(caller: Caller, *, board: Board) -> Board:
    """Take the board back. Nothing starts by itself: its cards are moved again by hand."""
    return set_archived(caller, board=board, is_archived=False)


def _close_what_waits(caller: Caller, board: Board) -> None:
    """Close reviews, and questions about deliveries: those of a turn that waits end with it, which is locked first."""
    cards = Card.objects.select_for_update(of=("self",), no_key=True).select_related("board").filter(board=board)
    for card in cards.filter(badge_reason=DELIVERY_ASKED).order_by("pk"):
        close_approvals_of_card(card)
        set_badge(card, Badge.DONE)
    for card in cards.filter(reviews__state=ReviewState.OPEN).order_by("pk"):
        if cancel_review(caller.actor, card=card, code=BOARD_ARCHIVED.code) is not None:
            set_badge(card, Badge.IDLE)
