"""New cards."""

from __future__ import annotations

from django.db import transaction

from boards.models import Board, Card, Stage
from boards.services.cards import add_card
from boards.states import StageRole
from workflows.services.entering import enter_stage
from workspaces.caller import Caller
from workspaces.models import Actor


@transaction.atomic
def create_card(
    caller: Caller,
    *,
    board: Board,
    stage: Stage | None = None,
    title: str,
    brief: str = "",
    owner: Actor | None = None,
) -> Card:
    """Put a new card into ``stage``, else into the first column, and start what starts there."""
    place = stage or board.stages.get(role=StageRole.FIRST)
    card = add_card(caller, board=board, stage=place, title=title, brief=brief, owner=owner)
    enter_stage(caller, card=card)
    return card
