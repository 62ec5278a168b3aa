"""Archiving a board: nothing starts on it any more."""

from __future__ import annotations

from django.db import transaction

from agents.models import Turn
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
    closed without a decision.

    The columns are locked as placing a card locks them: a card that is just entering one has its turn queued before
    this looks, or finds the board archived.
    """
    archived = set_archived(caller, board=board, is_archived=True)
    _close_reviews(caller, archived)  # while the cards can still be locked before their columns
    list(Stage.objects.select_for_update(no_key=True).filter(board=archived).order_by("pk"))
    _close_reviews(caller, archived)
    cancel_unsent(caller, Turn.objects.filter(card__board=archived))
    return archived


def restore_board(caller: Caller, *, board: Board) -> Board:
    """Take the board back. Nothing starts by itself: its cards are moved again by hand."""
    return set_archived(caller, board=board, is_archived=False)


def _close_reviews(caller: Caller, board: Board) -> None:
    cards = Card.objects.select_for_update(of=("self",), no_key=True).select_related("board")
    for card in cards.filter(board=board, reviews__state=ReviewState.OPEN).order_by("pk"):
        if cancel_review(caller.actor, card=card, code=BOARD_ARCHIVED.code) is not None:
            set_badge(card, Badge.IDLE)
