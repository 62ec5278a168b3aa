"""Objects of a board, for a caller: an absent one, a foreign one and one without access answer alike."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from bakedbrie.lib import ids
from bakedbrie.lib.lookups import Lookup
from bakedbrie.lib.refusals import NOT_FOUND, REVISION_CONFLICT
from boards.models import Board, BoardMember, Card, CardFile, Result, Stage
from boards.refusals import BOARD_ARCHIVED, CARD_TRASHED, NOT_BOARD_MANAGER
from workspaces.access import caller_from_subject, require_capability, require_reader, require_writer
from workspaces.caller import Caller
from workspaces.models import Actor, Member
from workspaces.roles import Role, is_at_least
from workspaces.states import ActorKind

_LOCKED_CARD = Lookup(
    lambda pk: (
        Card.objects.select_for_update(of=("self",), no_key=True)
        .select_related("board", "stage", "owner")
        .filter(pk=pk)
    )
)


def opens_every_board(caller: Caller) -> bool:
    return is_at_least(caller.role, Role.ADMIN)


def boards_of(caller: Caller) -> QuerySet[Board]:
    """Return the boards the caller may open: all for owners and admins, their own for everybody else (W007)."""
    require_reader(caller)
    boards = Board.objects.filter(workspace=caller.workspace)
    if opens_every_board(caller):
        return boards
    return boards.filter(pk__in=_let_in(caller).values("board"))


def managed_boards_of(caller: Caller) -> QuerySet[Board]:
    """Return the boards the caller manages."""
    boards = boards_of(caller)
    if opens_every_board(caller):
        return boards
    return boards.filter(pk__in=_let_in(caller).filter(is_manager=True).values("board"))


def _let_in(caller: Caller) -> QuerySet[BoardMember]:
    """Return the rows that let the caller in; those from before they left the workspace and came back do not count."""
    rows = BoardMember.objects.filter(member=caller.member)
    returned_at = caller.member.returned_at
    return rows.filter(created_at__gte=returned_at) if returned_at else rows


def in_force(rows: QuerySet[BoardMember]) -> QuerySet[BoardMember]:
    """Leave out rows of people who were removed, also of those who came back since."""
    counts = Q(member__returned_at__isnull=True) | Q(created_at__gte=F("member__returned_at"))
    return rows.filter(counts, member__removed_at__isnull=True)


def may_work_on(member: Member, board: Board) -> bool:
    """Whether agents may go on with what a member started on a board: still in the workspace and active, no viewer,
    and let in. The member comes with the user."""
    if member.removed_at is not None or not member.user.is_active or not is_at_least(Role(member.role), Role.MEMBER):
        return False
    if is_at_least(Role(member.role), Role.ADMIN):
        return member.workspace_id == board.workspace_id
    return in_force(BoardMember.objects.filter(member=member, board=board)).exists()


def workers_on(board: Board) -> QuerySet[Member]:
    """Return everybody for whom `may_work_on` holds on this board, with their user."""
    let_in = in_force(BoardMember.objects.filter(board=board)).values("member")
    may_open = Q(role__in=[Role.OWNER, Role.ADMIN]) | Q(pk__in=let_in)
    there = Member.objects.filter(workspace=board.workspace_id, removed_at=None, user__is_active=True)
    return there.filter(may_open).exclude(role=Role.VIEWER).select_related("user")


def _may_open(caller: Caller, board: str) -> Q:
    """Return the condition "on a board the caller may open" for a row that reaches its board through ``board``."""
    inside = Q(**{f"{board}__workspace": caller.workspace})
    if opens_every_board(caller):
        return inside
    return inside & Q(**{f"{board}__in": _let_in(caller).values("board")})


def get_board(caller: Caller, board_id: object) -> Board:
    """Return a board the caller may open, archived or not, with its workspace."""
    board = boards_of(caller).select_related("workspace").filter(pk=ids.parse_id(board_id)).first()
    if board is None:
        raise NOT_FOUND()
    return board


def get_stage(caller: Caller, stage_id: object) -> Stage:
    """Return a column of a board the caller may open, with its board."""
    require_reader(caller)
    stages = Stage.objects.select_related("board").filter(_may_open(caller, "board"))
    stage = stages.filter(pk=ids.parse_id(stage_id)).first()
    if stage is None:
        raise NOT_FOUND()
    return stage


def cards_of(caller: Caller) -> QuerySet[Card]:
    """Return the cards on boards the caller may open, also those in the trash."""
    require_reader(caller)
    return Card.objects.filter(_may_open(caller, "board"))


def get_card(caller: Caller, card_id: object) -> Card:
    """Return a card on a board the caller may open, with board, stage and owner; also one in the trash."""
    cards = cards_of(caller).select_related("board", "stage", "owner")
    card = cards.filter(pk=ids.parse_id(card_id)).first()
    if card is None:
        raise NOT_FOUND()
    return card


def get_file(caller: Caller, file_id: object) -> CardFile:
    """Return one of `card_files_of`, while files are on."""
    require_capability(caller, "media")
    file = card_files_of(caller).filter(pk=ids.parse_id(file_id)).first()
    if file is None:
        raise NOT_FOUND()
    return file


def card_files_of(caller: Caller) -> QuerySet[CardFile]:
    """Return the files that were not removed, on cards the caller may open, each with card and board."""
    require_reader(caller)
    files = CardFile.objects.select_related("card__board").filter(_may_open(caller, "card__board"))
    return files.filter(removed_at__isnull=True)


def get_result(caller: Caller, result_id: object) -> Result:
    """Return one of `card_results_of`."""
    result = card_results_of(caller).filter(pk=ids.parse_id(result_id)).first()
    if result is None:
        raise NOT_FOUND()
    return result


def card_results_of(caller: Caller) -> QuerySet[Result]:
    """Return what was made on cards the caller may open, each with card and board."""
    require_reader(caller)
    return Result.objects.select_related("card__board").filter(_may_open(caller, "card__board"))


def owners_of(caller: Caller, board: Board) -> QuerySet[Actor]:
    """Return who may own a card of a board that came from here: members who open it and work, agents of this board
    that are not retired, and automations (A001, A018, W007)."""
    require_reader(caller)
    let_in = in_force(BoardMember.objects.filter(board=board)).values("member")
    works = Q(member__removed_at__isnull=True) & ~Q(member__role=Role.VIEWER)
    opens = Q(member__role__in=[Role.OWNER, Role.ADMIN]) | Q(member__in=let_in)
    may_own = (
        (Q(kind=ActorKind.MEMBER) & works & opens)
        | Q(kind=ActorKind.AGENT, board_id=board.pk, retired_at__isnull=True)
        | Q(kind=ActorKind.AUTOMATION)
    )
    return Actor.objects.filter(may_own, workspace=caller.workspace)


def get_owner(caller: Caller, board: Board, actor_id: object) -> Actor:
    """Return one of those who may own a card of the board."""
    actor = owners_of(caller, board).filter(pk=ids.parse_id(actor_id)).first()
    if actor is None:
        raise NOT_FOUND()
    return actor


def get_board_member(caller: Caller, board: Board, member_id: object) -> BoardMember:
    """Return the row that lets a member open a board which came from here."""
    require_reader(caller)
    rows = BoardMember.objects.select_related("member__actor", "member__user").filter(board=board)
    row = in_force(rows).filter(member_id=ids.parse_id(member_id)).first()
    if row is None:
        raise NOT_FOUND()
    return row


def lock_card(card: Card) -> Card:
    """Return the card's newest row, locked until the transaction ends; the card must be in no trash, its board in
    no archive.

    Rows that only point at the card (events, comments) may be written meanwhile.
    """
    locked = lock_card_or_trashed(card)
    require_not_trashed(locked)
    return locked


def lock_card_or_trashed(card: Card) -> Card:
    """Do as `lock_card`, also for a card in the trash."""
    locked = lock_any_card(card)
    require_open(locked.board)
    return locked


def lock_any_card(card: Card) -> Card:
    """Do as `lock_card`, wherever the card is."""
    locked = _LOCKED_CARD.first(card.pk)
    if locked is None:
        raise NOT_FOUND()
    return locked


def lock_board(board: Board, expected_revision: int | None = None) -> Board:
    """Return the board's newest row, locked until the transaction ends; it must not be archived, nor have changed
    since ``expected_revision``."""
    locked = lock_board_or_archived(board)
    require_open(locked)
    if expected_revision is not None and expected_revision != locked.revision:
        raise REVISION_CONFLICT(current_revision=locked.revision)
    return locked


def lock_board_or_archived(board: Board) -> Board:
    """Do as `lock_board`, also for an archived board."""
    locked = Board.objects.select_for_update(no_key=True).filter(pk=board.pk).first()
    if locked is None:  # its setup was undone meanwhile
        raise NOT_FOUND()
    return locked


def look_again(asked_by: Caller, board: Board) -> tuple[Caller, Board]:
    """Lock a board, archived or not, and return it with the rights that the caller has by then; refuse NOT_FOUND to
    who may not open it any more.

    Who opens a board changes with the board locked, so nobody comes or goes until the transaction ends.
    """
    locked = lock_board_or_archived(board)
    caller = caller_from_subject(asked_by.subject)
    return caller, get_board(caller, locked.pk)


def require_open(board: Board) -> None:
    if board.archived_at is not None:
        raise BOARD_ARCHIVED()


def require_not_trashed(card: Card) -> None:
    if card.trashed_at is not None:
        raise CARD_TRASHED()


def is_manager(caller: Caller, board: Board) -> bool:
    """Managers are the creator, members named manager, and the workspace's owners and admins."""
    if opens_every_board(caller):
        return True
    return _let_in(caller).filter(board=board, is_manager=True).exists()


def require_manager(caller: Caller, board: Board) -> None:
    """Every change of how a board works passes here."""
    require_writer(caller)
    if not is_manager(caller, board):
        raise NOT_BOARD_MANAGER()
