"""Who may open a board."""

from __future__ import annotations

from django.db import transaction

from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import get_board_member, require_manager
from boards.models import Board, BoardMember
from boards.services.events import record_event
from boards.states import EventKind
from workspaces.caller import Caller
from workspaces.models import Member


@transaction.atomic
def add_board_member(caller: Caller, *, board: Board, member: Member, is_manager: bool = False) -> BoardMember:
    """Let a member open the board, or change whether they manage it."""
    require_manager(caller, board)
    if member.workspace_id != board.workspace_id or member.removed_at is not None:
        raise NOT_FOUND()
    row, is_new = BoardMember.objects.select_for_update(no_key=True).get_or_create(
        board=board, member=member, defaults={"is_manager": is_manager}
    )
    if is_new:
        kind = EventKind.MEMBER_ADDED
    elif row.is_manager != is_manager:
        row.is_manager = is_manager
        row.save(update_fields=["is_manager", "updated_at"])
        kind = EventKind.MEMBER_CHANGED
    else:
        return row
    record_event(board, kind, actor=caller.actor, member=str(member.pk), is_manager=is_manager)
    return row


@transaction.atomic
def remove_board_member(caller: Caller, *, board: Board, member: Member) -> None:
    """Owners and admins still open the board afterwards, and manage it."""
    require_manager(caller, board)
    get_board_member(caller, board, member.pk).delete()
    record_event(board, EventKind.MEMBER_REMOVED, actor=caller.actor, member=str(member.pk))
