"""Turning a destination off, with everything that uses it."""

from __future__ import annotations

from django.db import transaction

from destinations.models import Destination
from destinations.services.confirming import require_confirmed_off
from destinations.services.destinations import Cleared, turn_off
from workspaces.caller import Caller


@transaction.atomic
def disable_destination(caller: Caller, *, destination: Destination, confirm: bool | None) -> Cleared:
    """Turn a destination off for good, once the user has agreed to what that clears; say what was cleared."""
    boards, cards = destination.board_rows.count(), destination.card_rows.count()
    require_confirmed_off(confirm, destination, boards=boards, cards=cards)
    return turn_off(caller, destination=destination)
