"""Moving a card in two steps: see what will happen, then do exactly that."""

from __future__ import annotations

import re

from django.db import transaction

from agents.models import Turn
from bakedbrie.lib.refusals import PREVIEW_CHANGED
from boards.access import lock_card, require_open
from boards.models import Card, Stage
from boards.refusals import CARD_BUSY, CARD_TRASHED, PREVIEW_REQUIRED
from boards.services.placing import place_card
from workflows.refusals import MOVE_INVALID
from workflows.selectors.previews import MovePreview, preview_of
from workflows.selectors.rules import Link
from workflows.services.entering import enter_stage
from workspaces.access import require_reader, require_writer
from workspaces.caller import Caller

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
    moved = place_card(caller, card=locked, stage=stage, before=before, after=after)
    started = enter_stage(caller, card=moved)
    # The rule, the agent and the payer are not locked, and the next column is held only now: what started is compared
    # with what was shown.
    if not _is_as_shown(started, preview.first):
        raise PREVIEW_CHANGED()
    return moved


def _require_movable(card: Card, stage: Stage) -> None:
    if card.stage_id is None:
        raise CARD_TRASHED()
    if stage.board_id != card.board_id or stage.pk == card.stage_id:
        raise MOVE_INVALID()
    if Turn.objects.filter(card=card, finished_at__isnull=True).exists():
        raise CARD_BUSY()


def _is_as_shown(started: Turn | None, shown: Link | None) -> bool:
    if started is None or shown is None:
        return started is None and shown is None
    run = started.rule_run
    return (run.rule_id, run.version, run.to_stage_id, started.version_id, started.account_id) == (
        shown.rule.pk,
        shown.rule.version,
        shown.to_stage.pk,
        shown.agent.published_id,
        shown.payer.pk if shown.payer else None,
    )
