"""Columns: add one before Done, rename, reorder, delete an empty one. Each counts as a change of the board."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import DEFAULT_DB_ALIAS, models, transaction
from django.db.models import Case, F, ProtectedError, Value, When
from django.db.models.deletion import Collector

from bakedbrie.lib import clock, ids
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import lock_board, require_manager
from boards.models import Board, Stage
from boards.refusals import STAGE_IN_USE, STAGE_NOT_EMPTY, STAGE_ORDER_INVALID, STAGE_PROTECTED, TOO_MANY_STAGES
from boards.services.boards import count_change
from boards.services.events import record_event
from boards.states import EventKind, StageRole
from workspaces.access import require_writer
from workspaces.caller import Caller

MOST_STAGES = 50


@transaction.atomic
def add_stage(caller: Caller, *, board: Board, name: str, expected_revision: int | None = None) -> Stage:
    """Add a column just before Done."""
    require_writer(caller)
    board = lock_board(board, expected_revision)
    stages = Stage.objects.filter(board=board)
    if stages.count() >= MOST_STAGES:
        raise TOO_MANY_STAGES(limit=MOST_STAGES)
    done = stages.get(role=StageRole.DONE)
    stages.filter(pk=done.pk).update(position=F("position") + 1, updated_at=clock.now())
    stage = Stage.objects.create(board=board, name=name, position=done.position)
    count_change(board)
    record_event(board, EventKind.STAGE_ADDED, actor=caller.actor, stage=str(stage.pk), name=name)
    return stage


@transaction.atomic
def rename_stage(caller: Caller, *, stage: Stage, name: str, expected_revision: int | None = None) -> Stage:
    require_writer(caller)
    board = lock_board(stage.board, expected_revision)
    stage = _find(board, stage)
    if stage.name == name:
        return stage
    before, stage.name = stage.name, name
    stage.save(update_fields=["name", "updated_at"])
    count_change(board)
    record_event(board, EventKind.STAGE_RENAMED, actor=caller.actor, stage=str(stage.pk), before=before, name=name)
    return stage


@transaction.atomic
def reorder_stages(
    caller: Caller, *, board: Board, stage_ids: Sequence[object], expected_revision: int | None = None
) -> list[Stage]:
    """Put the columns in this order: every one exactly once, the first one first and Done last."""
    require_writer(caller)
    board = lock_board(board, expected_revision)
    stages = {stage.pk: stage for stage in Stage.objects.filter(board=board)}
    wanted = [ids.parse_id(stage_id) for stage_id in stage_ids]
    if len(wanted) != len(stages) or set(wanted) != set(stages):
        raise STAGE_ORDER_INVALID()
    ordered = [stages[pk] for pk in wanted]
    if ordered[0].role != StageRole.FIRST or ordered[-1].role != StageRole.DONE:
        raise STAGE_ORDER_INVALID()
    if [stage.position for stage in ordered] == sorted(stage.position for stage in ordered):
        return ordered
    places = [When(pk=stage.pk, then=Value(position)) for position, stage in enumerate(ordered)]
    Stage.objects.filter(board=board).update(
        position=Case(*places, output_field=models.PositiveIntegerField()), updated_at=clock.now()
    )
    for position, stage in enumerate(ordered):
        stage.position = position
    count_change(board)
    record_event(board, EventKind.STAGES_REORDERED, actor=caller.actor, stages=[str(pk) for pk in wanted])
    return ordered


@transaction.atomic
def delete_stage(caller: Caller, *, stage: Stage, expected_revision: int | None = None) -> None:
    """Delete an empty column that nothing starts in; cards in the trash do not count as its cards."""
    require_manager(caller, stage.board)
    board = lock_board(stage.board, expected_revision)
    stage = _find(board, stage)
    require_deletable(stage)
    stage_id = str(stage.pk)
    stage.delete()
    count_change(board)
    record_event(board, EventKind.STAGE_DELETED, actor=caller.actor, stage=stage_id, name=stage.name)


def require_deletable(stage: Stage) -> None:
    """Refuse with what stands in the way of deleting the column; for the answer to stay true it must be locked."""
    if stage.role != StageRole.MIDDLE:
        raise STAGE_PROTECTED()
    cards = stage.cards.count()
    if cards:
        raise STAGE_NOT_EMPTY(cards=cards)
    try:
        Collector(using=DEFAULT_DB_ALIAS, origin=stage).collect([stage])
    except ProtectedError as error:
        raise STAGE_IN_USE(details=_describe(error.protected_objects)) from error


def _find(board: Board, stage: Stage) -> Stage:
    """Return the column's newest row, locked against a card that would be placed in it meanwhile."""
    locked = Stage.objects.select_for_update().filter(board=board, pk=stage.pk).first()
    if locked is None:
        raise NOT_FOUND()
    return locked


def _describe(users: set[models.Model]) -> list[dict[str, object]]:
    """Say in words what uses a column, whatever app it is of. Its name was given by somebody, so it is wrapped."""
    rows: list[dict[str, object]] = [
        {"kind": str(user._meta.verbose_name), "id": str(user.pk), "untrusted_data": {"name": str(user)}}
        for user in users
    ]
    return sorted(rows, key=lambda row: (str(row["kind"]), str(row["id"])))
