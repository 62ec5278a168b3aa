"""Which destination counts for a card or a board now, and which ones there are."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from boards.access import boards_of
from boards.models import Board, Card
from destinations.models import BoardDestination, CardDestination, Delivery, Destination
from destinations.states import OPEN, DestinationState
from workspaces import capabilities
from workspaces.access import require_reader
from workspaces.caller import Caller


def destination_of(card: Card) -> Destination | None:
    """Return where a card goes when it is finished: its own override, else its board's default; one query.

    None where neither is set, or the capability is off. The card comes with its board.
    """
    if "destinations" not in capabilities.effective(card.board.workspace.capabilities):
        return None
    used = Q(card_rows__card=card) | Q(board_rows__board=card.board_id)
    own = CardDestination.objects.filter(card=card, destination=OuterRef("pk"))
    rows = Destination.objects.filter(used).exclude(state=DestinationState.OFF)
    return rows.order_by(Exists(own).desc()).first()


def override_of(card: Card) -> Destination | None:
    """Return the destination that this card alone goes to, if it has one; whatever the capability says."""
    rows = Destination.objects.filter(card_rows__card=card)
    return rows.exclude(state=DestinationState.OFF).first()


def default_of(board: Board) -> BoardDestination | None:
    """Return where the finished cards of a board go, with the destination; whatever the capability says."""
    return BoardDestination.objects.select_related("destination").filter(board=board).first()


def board_destination(board: Board) -> Destination | None:
    """Return where the finished cards of a board go now: never one that is off, and none while the capability is."""
    if "destinations" not in capabilities.effective(board.workspace.capabilities):
        return None
    row = default_of(board)
    return row.destination if row is not None and row.destination.state != DestinationState.OFF else None


def deliveries_waiting_for(destination: Destination) -> int:
    """Count what is queued for a destination and has not ended."""
    return Delivery.objects.filter(destination=destination, state__in=OPEN).count()


def destinations_alone_of(caller: Caller) -> QuerySet[Destination]:
    """Return the workspace's destinations that are not off, without what uses them."""
    require_reader(caller)
    rows = Destination.objects.filter(workspace=caller.workspace).exclude(state=DestinationState.OFF)
    return rows.order_by("pk")


def destinations_of(caller: Caller) -> QuerySet[Destination]:
    """Return the workspace's destinations, the oldest first, with the boards and cards that the caller may open."""
    require_reader(caller)
    boards = boards_of(caller)
    board_rows = BoardDestination.objects.filter(board__in=boards).select_related("board").order_by("pk")
    card_rows = CardDestination.objects.filter(card__board__in=boards).select_related("card").order_by("pk")
    return (
        Destination.objects.filter(workspace=caller.workspace)
        .select_related("connected_by")
        .prefetch_related(Prefetch("board_rows", board_rows), Prefetch("card_rows", card_rows))
        .order_by("pk")
    )
