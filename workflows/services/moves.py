"""Moving a card in two steps: see what will happen, then do exactly that."""

from __future__ import annotations

import re

from django.db import transaction

from agents.models import Turn
from agents.services.open_approvals import close_approvals_of_card
from bakedbrie.lib.refusals import PREVIEW_CHANGED
from boards.access import lock_card, require_open
from boards.models import Card, Stage
from boards.refusals import CARD_BUSY, CARD_TRASHED, PREVIEW_REQUIRED
from boards.services.placing import place_card
from destinations.states import Cause
from reviews.services.reviews import cancel_review
from workflows.refusals import MOVE_INVALID
from workflows.selectors.previews import MovePreview, preview_of
from workflows.services.delivering import deliver
from workflows.services.entering import enter_stage, is_as_shown
from workspaces.access import require_reader, require_writer
from workspaces.caller import Caller

CARD_MOVED = "CARD_MOVED"  # why a review was closed

_HASH = re.compile(r"[0-9a-f]{64}")


def preview_move(caller: Caller, *, card: Card, stage: Stage) -> MovePreview:
    """Say what moving the card would start, all the way to where it next needs a person. Changes nothing."""
    require_reader(caller)
    require_open(card.board)
    _require_movable(card, stage)
    return preview_of(caller, card=card, stage=stage)


@transaction.atomic
def move_card(
    caller: Caller,
    *,
    card: Card,
    stage: Stage,
    preview_hash: str | None,
    before: Card | None = None,
    after: Card | None = None,
) -> Card:
    """Move the card if everything its preview showed still holds; refuse with PREVIEW_CHANGED otherwise.

    The hash is compared under the card's lock, and the move raises the card's revision, so one hash moves once. The
    card goes to the end of the column, or next to the one neighbour that is named.
    """
    require_writer(caller)
    if preview_hash is None or not _HASH.fullmatch(preview_hash):
        raise PREVIEW_REQUIRED()
    locked = lock_card(card)
    preview = preview_of(caller, card=locked, stage=stage)
    if preview.preview_hash != preview_hash:
        raise PREVIEW_CHANGED()
    _require_movable(locked, stage)
    cancel_review(caller.actor, card=locked, code=CARD_MOVED)
    close_approvals_of_card(locked)
    moved = place_card(caller, card=locked, stage=stage, before=before, after=after)
    if not is_as_shown(enter_stage(caller, card=moved), preview.first):
        raise PREVIEW_CHANGED()
    if preview.outgoing is not None:
        deliver(caller.actor, card=moved, outgoing=preview.outgoing, cause=Cause.MOVE)
    return moved


def _require_movable(card: Card, stage: Stage) -> None:
    if card.stage_id is None:
        raise CARD_TRASHED()
    if stage.board_id != card.board_id or stage.pk == card.stage_id:
        raise MOVE_INVALID()
    if Turn.objects.filter(card=card, finished_at__isnull=True).exists():
        raise CARD_BUSY()
