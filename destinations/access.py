"""Destinations and deliveries for a caller: an absent one, a foreign one and one without access answer alike."""

from __future__ import annotations

import uuid

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import boards_of, managed_boards_of, opens_every_board
from boards.refusals import NOT_BOARD_MANAGER
from destinations.models import Delivery, Destination
from workspaces.access import require_reader, require_writer
from workspaces.caller import Caller
from workspaces.refusals import FORBIDDEN
from workspaces.roles import Role, is_at_least


def get_destination(caller: Caller, destination_id: object) -> Destination:
    """Return a destination of the caller's workspace, on or off, with its sealed key."""
    require_reader(caller)
    rows = Destination.objects.select_related("workspace", "secret", "connected_by")
    destination = rows.filter(workspace=caller.workspace, pk=ids.parse_id(destination_id)).first()
    if destination is None:
        raise NOT_FOUND()
    return destination


def lock_destination(destination: Destination) -> Destination:
    """Return the destination's newest row, locked until the transaction ends."""
    rows = Destination.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("workspace", "secret", "connected_by").get(pk=destination.pk)


def get_delivery(caller: Caller, delivery_id: object) -> Delivery:
    """Return a delivery of a card on a board the caller may open, with destination and card."""
    rows = Delivery.objects.select_related("destination", "card__board", "card__stage", "iteration", "requested_by")
    delivery = rows.filter(card__board__in=boards_of(caller), pk=ids.parse_id(delivery_id)).first()
    if delivery is None:
        raise NOT_FOUND()
    return delivery


def lock_delivery(delivery_id: uuid.UUID) -> Delivery | None:
    """Return the delivery's newest row, locked until the transaction ends. A delivery is locked before its card."""
    rows = Delivery.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("destination", "card__board__workspace", "requested_by").filter(pk=delivery_id).first()


def require_connector(caller: Caller) -> None:
    """A destination is connected by who manages a board, and by owners and admins."""
    require_writer(caller)
    if not _manages_something(caller):
        raise NOT_BOARD_MANAGER()


def may_connect(caller: Caller) -> bool:
    """Whether `require_connector` lets the caller through, as far as roles go."""
    return is_at_least(caller.role, Role.MEMBER) and _manages_something(caller)


def require_keeper(caller: Caller, destination: Destination) -> None:
    """A destination is changed by owners and admins, and by who connected it as long as they manage a board."""
    require_writer(caller)
    if not is_keeper(caller, destination):
        raise FORBIDDEN(needs=Role.ADMIN.value)
    require_connector(caller)


def may_keep(caller: Caller, destination: Destination) -> bool:
    """Whether `require_keeper` lets the caller through, as far as roles go."""
    return is_keeper(caller, destination) and may_connect(caller)


def is_keeper(caller: Caller, destination: Destination) -> bool:
    """Whether a destination is the caller's to change, as far as roles go."""
    return opens_every_board(caller) or destination.connected_by_id == caller.actor.pk


def _manages_something(caller: Caller) -> bool:
    return opens_every_board(caller) or managed_boards_of(caller).exists()
