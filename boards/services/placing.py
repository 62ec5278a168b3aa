"""The order of cards in a column, whatever happens at once.

Positions are big integers far apart. Every placing locks the columns it touches, in the order of their ids, takes the
middle between two neighbours, and spreads the whole column in one statement when there is no number left between them.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django.db import connection, transaction
from django.db.models import Max, Min

from bakedbrie.lib import clock, live
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import require_not_trashed, require_open
from boards.models import Card, CardPlace, Stage
from boards.refusals import NOT_SAME_STAGE
from boards.services.events import record_event
from boards.states import Badge, EventKind
from workspaces.access import require_writer
from workspaces.caller import Caller

GAP = 2**32
_FARTHEST = 2**62

_SPREAD = """
    UPDATE boards_cardplace AS place SET position = fresh.n * %s
    FROM (SELECT card_id, row_number() OVER (ORDER BY position) AS n FROM boards_cardplace WHERE stage_id = %s) AS fresh
    WHERE place.card_id = fresh.card_id
"""
_APPEND = """
    INSERT INTO boards_cardplace (card_id, stage_id, position)
    SELECT %(card)s, %(stage)s, coalesce(max(position), 0) + %(gap)s
    FROM boards_cardplace WHERE stage_id = %(stage)s AND card_id <> %(card)s
    HAVING coalesce(max(position), 0) + %(gap)s <= %(farthest)s
    ON CONFLICT (card_id) DO UPDATE SET stage_id = excluded.stage_id, position = excluded.position
"""


@transaction.atomic(savepoint=False)
def place_card(
    caller: Caller,
    *,
    card: Card,
    stage: Stage,
    before: Card | None = None,
    after: Card | None = None,
    locked: Mapping[uuid.UUID, Stage] | None = None,
) -> Card:
    """Put a locked card into a column of its board: at the end, or next to the one neighbour that is named.

    No rights and no rules here. Another column counts as a change of the card and is told in its history; another
    place in the same column does not. In Done it shows that it is done. ``locked``: both columns, by `lock_stages`.
    """
    stages = lock_stages(card.stage_id, stage.pk) if locked is None else locked
    if stage.pk not in stages or stages[stage.pk].board_id != card.board_id:
        raise NOT_FOUND()
    _put(card, stage, before=before, after=after)
    if card.stage_id == stage.pk:
        live.hint(card.board_id, "card_placed", card.pk)
        return card
    left = stages.get(card.stage_id) if card.stage_id else None
    card.stage = stages[stage.pk]
    card.revision += 1
    changed = ["stage", "revision", "updated_at"]
    if card.stage.is_done:
        card.badge, card.badge_reason, card.badge_since = Badge.DONE, "", clock.now()
        changed += ["badge", "badge_reason", "badge_since"]
    card.save(update_fields=changed)
    record_event(
        card.board,
        EventKind.CARD_MOVED,
        actor=caller.actor,
        card=card,
        from_stage=str(left.pk) if left else None,
        from_name=left.name if left else "",
        to_stage=str(stage.pk),
        to_name=card.stage.name,
    )
    return card


@transaction.atomic
def reorder_card(caller: Caller, *, card: Card, before: Card | None = None, after: Card | None = None) -> Card:
    """Put a card next to another one of its column. A card that was moved meanwhile stays where it is."""
    require_writer(caller)
    require_not_trashed(card)
    if card.stage is None:
        raise NOT_SAME_STAGE()
    stage = lock_stage(card.stage)
    if not CardPlace.objects.filter(card=card, stage=stage).exists():
        raise NOT_SAME_STAGE()
    _put(card, stage, before=before, after=after)
    live.hint(card.board_id, "card_placed", card.pk)
    return card


def add_to_end(card: Card, stage: Stage) -> None:
    """Give a new card its place; the column is locked."""
    _put(card, stage)


def take_place_away(card: Card) -> None:
    """Free the place of a card that leaves its column for the trash; the card is locked, its column is locked here."""
    lock_stages(card.stage_id)
    CardPlace.objects.filter(card=card).delete()


def lock_stage(stage: Stage) -> Stage:
    """Return the column's newest row with its board, locked against other placings until the transaction ends."""
    locked = lock_stages(stage.pk).get(stage.pk)
    if locked is None:
        raise NOT_FOUND()
    require_open(locked.board)
    return locked


def hold_stage(stage_id: uuid.UUID) -> bool:
    """Keep a column from being deleted until the transaction ends; False when it is gone.

    Only deleting it waits for this, so it may be called in any order with the locks of other columns.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM boards_stage WHERE id = %s FOR KEY SHARE", [stage_id])
        return cursor.fetchone() is not None


def lock_stages(*stage_ids: uuid.UUID | None) -> dict[uuid.UUID, Stage]:
    """Return those columns that are there, with their board, locked against other placings until the transaction
    ends."""
    rows = Stage.objects.select_for_update(of=("self",), no_key=True).select_related("board")
    return {stage.pk: stage for stage in rows.filter(pk__in=[pk for pk in stage_ids if pk]).order_by("pk")}


def _put(card: Card, stage: Stage, *, before: Card | None = None, after: Card | None = None) -> None:
    """Write the card's place in a locked column, spreading the column first if it has to be."""
    if before is None and after is None:
        if not _append(card, stage):
            _spread(stage)
            _append(card, stage)
        return
    position = _position(card, stage, before, after)
    if position is None:
        _spread(stage)
        position = _position(card, stage, before, after)
    CardPlace.objects.update_or_create(card=card, defaults={"stage": stage, "position": position})


def _spread(stage: Stage) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_SPREAD, [GAP, stage.pk])


def _append(card: Card, stage: Stage) -> bool:
    """Write the place behind all others, or return False when there is no number left there."""
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, {"card": card.pk, "stage": stage.pk, "gap": GAP, "farthest": _FARTHEST})
        placed: int = cursor.rowcount
    return placed == 1


def _position(card: Card, stage: Stage, before: Card | None, after: Card | None) -> int | None:
    """Return a free number beside the one neighbour that is named, or None when there is none left there."""
    others = CardPlace.objects.filter(stage=stage).exclude(card=card)
    lower: int | None
    upper: int | None
    if before is not None:
        upper = _position_of(before, card, stage)
        lower = others.filter(position__lt=upper).aggregate(found=Max("position"))["found"]
    else:
        assert after is not None
        lower = _position_of(after, card, stage)
        upper = others.filter(position__gt=lower).aggregate(found=Min("position"))["found"]
    return between(lower, upper)


def _position_of(neighbour: Card, card: Card, stage: Stage) -> int:
    place = CardPlace.objects.filter(card=neighbour, stage=stage).exclude(card=card).first()
    if place is None:
        raise NOT_SAME_STAGE()
    return place.position


def between(lower: int | None, upper: int | None) -> int | None:
    """Return a number strictly between two neighbours, either of which may be missing; None when there is none."""
    if lower is None:
        position = GAP if upper is None else upper - GAP
    elif upper is None:
        position = lower + GAP
    else:
        position = (lower + upper) // 2
        if position == lower:
            return None
    return position if abs(position) <= _FARTHEST else None
