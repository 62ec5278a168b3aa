"""Which board or card a destination is for. Naming one approves every later delivery to it."""

from __future__ import annotations

from django.db import transaction

from boards.access import lock_board, lock_card, require_manager
from boards.models import Board, Card
from boards.services.events import record_event
from boards.states import EventKind
from destinations.models import BoardDestination, CardDestination, Destination
from destinations.services.destinations import Cleared, lock_on
from workspaces.caller import Caller
from workspaces.services.audit import record_audit


@transaction.atomic
def set_default(caller: Caller, *, destination: Destination, board: Board) -> BoardDestination:
    """Let the finished cards of a board go to a destination, by its managers."""
    require_manager(caller, board)
    locked = lock_board(board)
    row, _ = BoardDestination.objects.update_or_create(
        board=locked, defaults={"destination": lock_on(destination), "set_by": caller.actor}
    )
    _tell_board(caller, locked)
    named = {"name": destination.name, "board_name": locked.name}
    record_audit(caller, "destination.default_set", destination=str(destination.pk), board=str(board.pk), **named)
    return row


@transaction.atomic
def clear_default(caller: Caller, *, board: Board) -> Cleared:
    """Let a board's finished cards go nowhere any more; say what was cleared."""
    require_manager(caller, board)
    locked = lock_board(board)
    rows = BoardDestination.objects.filter(board=locked)
    gone = list(rows.select_related("board"))
    if gone:
        rows.delete()
        _tell_board(caller, locked)
        record_audit(caller, "destination.default_cleared", board=str(board.pk), board_name=locked.name)
    return Cleared(boards=gone)


@transaction.atomic
def set_override(caller: Caller, *, destination: Destination, card: Card) -> CardDestination:
    """Let one card go to a destination, whatever its board says, by the managers of its board."""
    require_manager(caller, card.board)
    locked = lock_card(card)
    row, _ = CardDestination.objects.update_or_create(
        card=locked, defaults={"destination": lock_on(destination), "set_by": caller.actor}
    )
    _tell_card(caller, locked)
    record_audit(caller, "destination.override_set", destination=str(destination.pk), card=str(card.pk))
    return row


@transaction.atomic
def clear_override(caller: Caller, *, card: Card) -> Cleared:
    """Let a card go where its board says again; say what was cleared."""
    require_manager(caller, card.board)
    locked = lock_card(card)
    rows = CardDestination.objects.filter(card=locked)
    gone = list(rows.select_related("card"))
    if gone:
        rows.delete()
        _tell_card(caller, locked)
        record_audit(caller, "destination.override_cleared", card=str(card.pk))
    return Cleared(cards=gone)


def _tell_board(caller: Caller, board: Board) -> None:
    record_event(board, EventKind.BOARD_CHANGED, actor=caller.actor, fields=["destination"])


def _tell_card(caller: Caller, card: Card) -> None:
    record_event(card.board, EventKind.CARD_EDITED, actor=caller.actor, card=card, fields=["destination"])
