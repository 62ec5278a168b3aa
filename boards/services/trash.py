"""The trash: a card leaves its column and comes back to it. Nothing is lost, and nothing works on it meanwhile."""

from __future__ import annotations

from django.db import transaction

from bakedbrie.lib import clock
from boards.models import Card, Stage
from boards.services.cards import set_badge
from boards.services.events import record_event
from boards.services.placing import add_to_end, lock_stage, take_place_away
from boards.states import Badge, EventKind, StageRole
from workspaces.caller import Caller


@transaction.atomic
def put_into_trash(caller: Caller, *, card: Card) -> Card:
    """Take a locked card off its column. No rights and no rules here: that is `workflows.services.cards.trash_card`."""
    left = card.stage
    take_place_away(card)
    card.stage, card.trashed_from, card.trashed_at = None, left, clock.now()
    card.revision += 1
    card.save(update_fields=["stage", "trashed_from", "trashed_at", "revision", "updated_at"])
    set_badge(card, Badge.IDLE)
    record_event(card.board, EventKind.CARD_TRASHED, actor=caller.actor, card=card, stage=_id_of(left))
    return card


@transaction.atomic
def take_from_trash(caller: Caller, *, card: Card) -> Card:
    """Put a locked card back at the end of the column it came from, or of the first one if that was deleted.

    The board is locked before the card, as deleting a column does: that clears ``trashed_from``.
    """
    stage = lock_stage(card.trashed_from or Stage.objects.get(board=card.board, role=StageRole.FIRST))
    card.stage, card.trashed_from, card.trashed_at = stage, None, None
    card.revision += 1
    card.save(update_fields=["stage", "trashed_from", "trashed_at", "revision", "updated_at"])
    add_to_end(card, stage)
    record_event(
        card.board, EventKind.CARD_RESTORED, actor=caller.actor, card=card, stage=_id_of(stage), name=stage.name
    )
    return card


def _id_of(stage: Stage | None) -> str | None:
    return str(stage.pk) if stage else None
