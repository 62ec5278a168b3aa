"""Boards: create, edit, archive and restore."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from bakedbrie.lib import clock
from boards.access import lock_board, lock_board_or_archived, require_manager
from boards.models import Board, BoardMember, Stage
from boards.services.events import record_event
from boards.states import EventKind, StageRole
from workspaces.access import require_writer
from workspaces.caller import Caller


@transaction.atomic
def create_board(caller: Caller, *, name: str, description: str = "", middle: Sequence[str] = ("Doing",)) -> Board:
    """Create a board with To do, the ``middle`` columns and Done. The caller is its first member and a manager."""
    require_writer(caller)
    board = Board.objects.create(
        workspace=caller.workspace, name=name, description=description, created_by=caller.actor
    )
    BoardMember.objects.create(board=board, member=caller.member, is_manager=True)
    stages = [("To do", StageRole.FIRST), *((one, StageRole.MIDDLE) for one in middle), ("Done", StageRole.DONE)]
    Stage.objects.bulk_create(
        Stage(board=board, name=name, role=role, position=position) for position, (name, role) in enumerate(stages)
    )
    record_event(board, EventKind.BOARD_CREATED, actor=caller.actor, name=name)
    return board


@transaction.atomic
def edit_board(
    caller: Caller,
    *,
    board: Board,
    expected_revision: int | None,
    name: str | None = None,
    description: str | None = None,
    guidelines: str | None = None,
) -> Board:
    """Change what is given. Guidelines are every member's to write; name and description a manager's."""
    require_writer(caller)
    if name is not None or description is not None:
        require_manager(caller, board)
    board = lock_board(board, expected_revision)
    given = {"name": name, "description": description, "guidelines": guidelines}
    changed = [field for field, value in given.items() if value is not None and value != getattr(board, field)]
    if not changed:
        return board
    for field in changed:
        setattr(board, field, given[field])
    count_change(board, *changed)
    record_event(board, EventKind.BOARD_CHANGED, actor=caller.actor, fields=changed)
    return board


def count_change(board: Board, *fields: str) -> None:
    """Save these fields of a locked board, and count the change."""
    board.revision += 1
    board.save(update_fields=[*fields, "revision", "updated_at"])


@transaction.atomic
def set_archived(caller: Caller, *, board: Board, is_archived: bool) -> Board:
    """Archive or restore; once more changes nothing. What waits on its cards is ended by the flow that calls this."""
    require_manager(caller, board)
    board = lock_board_or_archived(board)
    if is_archived == (board.archived_at is not None):
        return board
    board.archived_at = clock.now() if is_archived else None
    board.save(update_fields=["archived_at", "updated_at"])
    kind = EventKind.BOARD_ARCHIVED if is_archived else EventKind.BOARD_RESTORED
    record_event(board, kind, actor=caller.actor)
    return board


def delete_board(board: Board) -> None:
    """Delete a locked board with its columns, members and history. For one on which nothing was ever done."""
    board.delete()
