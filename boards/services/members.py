"""Who may open a board, and who manages it. Every change is on the audit trail."""

from __future__ import annotations

from django.db import transaction

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import get_board_member, in_force, lock_board_or_archived, require_manager
from boards.models import Board, BoardMember
from boards.refusals import VIEWER_NOT_MANAGER
from boards.services.events import record_event
from boards.states import EventKind
from workspaces.caller import Caller
from workspaces.models import Member
from workspaces.roles import Role
from workspaces.services.audit import record_audit


@transaction.atomic
def add_board_member(caller: Caller, *, board: Board, member: Member, is_manager: bool = False) -> BoardMember:
    """Let a member open the board, or change whether they manage it."""
    _lock(caller, board)
    if member.workspace_id != board.workspace_id or member.removed_at is not None:
        raise NOT_FOUND()
    if in_force(BoardMember.objects.filter(board=board, member=member)).exists():
        return change_board_member(caller, board=board, member=member, is_manager=is_manager)
    _require_fit(member, is_manager=is_manager)
    # A row from before the member left the workspace and came back begins anew.
    row, _ = BoardMember.objects.update_or_create(
        board=board, member=member, defaults={"is_manager": is_manager, "created_at": clock.now()}
    )
    _tell(caller, row, EventKind.MEMBER_ADDED)
    return row


@transaction.atomic
def change_board_member(caller: Caller, *, board: Board, member: Member, is_manager: bool) -> BoardMember:
    """Make somebody who may open the board a manager of it, or no longer."""
    _lock(caller, board)
    row = get_board_member(caller, board, member.pk)
    _require_fit(row.member, is_manager=is_manager)
    if row.is_manager != is_manager:
        row.is_manager = is_manager
        row.save(update_fields=["is_manager", "updated_at"])
        _tell(caller, row, EventKind.MEMBER_CHANGED)
    return row


@transaction.atomic
def remove_board_member(caller: Caller, *, board: Board, member: Member) -> None:
    """Owners and admins still open the board afterwards, and manage it."""
    _lock(caller, board)
    row = get_board_member(caller, board, member.pk)
    BoardMember.objects.filter(pk=row.pk).delete()
    _tell(caller, row, EventKind.MEMBER_REMOVED)


def _lock(caller: Caller, board: Board) -> None:
    """Make changes of who opens a board one after the other, each by somebody who manages it by then."""
    lock_board_or_archived(board)
    require_manager(caller, board)


def _require_fit(member: Member, *, is_manager: bool) -> None:
    if is_manager and member.role == Role.VIEWER:
        raise VIEWER_NOT_MANAGER()


def _tell(caller: Caller, row: BoardMember, kind: EventKind) -> None:
    member = str(row.member_id)
    record_event(row.board, kind, actor=caller.actor, member=member, is_manager=row.is_manager)
    verb = kind.value.replace("member_", "board_member.")
    record_audit(caller, verb, board=str(row.board_id), member=member, is_manager=row.is_manager)
