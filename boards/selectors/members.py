"""Who opens a board, for the page of its settings: owners and admins anyway, everybody else as they were let in."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from bakedbrie.lib import clock
from boards.access import in_force
from boards.models import Board, BoardMember
from boards.selectors.boards import members_of_board
from workspaces.caller import Caller
from workspaces.models import Member
from workspaces.roles import Role
from workspaces.selectors import members_of

NEW = timedelta(days=30)
_HEADS = (Role.OWNER, Role.ADMIN)


def heads_of(board: Board) -> QuerySet[Member]:
    """Return the owners and admins, who open and manage every board, by name."""
    heads = Member.objects.select_related("actor").filter(workspace=board.workspace_id, removed_at=None)
    return heads.filter(role__in=_HEADS, user__is_active=True).order_by("actor__name", "pk")


def let_into(board: Board) -> QuerySet[BoardMember]:
    """Return who opens the board because they were let in, the first one first; owners and admins are not among
    them."""
    return members_of_board(board).exclude(member__role__in=_HEADS)


def joined_lately(caller: Caller) -> QuerySet[Member]:
    """Return who joined the workspace within `NEW` and opens no board yet, the newest first."""
    opens = in_force(BoardMember.objects.filter(member=OuterRef("pk"), board__archived_at__isnull=True))
    new = members_of(caller).exclude(role__in=_HEADS).filter(user__is_active=True, created_at__gte=clock.now() - NEW)
    return new.filter(~Exists(opens)).order_by("-pk")


def may_be_let_in(caller: Caller, board: Board, find: str = "") -> QuerySet[Member]:
    """Return the members of the workspace who do not open a board that came from access, by name; ``find`` is a part
    of the name or the address."""
    inside = in_force(BoardMember.objects.filter(board=board)).values("member")
    others = members_of(caller).exclude(role__in=_HEADS).exclude(pk__in=inside).filter(user__is_active=True)
    return others.filter(Q(actor__name__icontains=find) | Q(user__email__icontains=find)) if find else others
