"""Reviews and work folders for a caller: an absent one, a foreign one and one without access answer alike.

Whoever decides locks the board, the card and then the review.
"""

from __future__ import annotations

from django.db.models import QuerySet

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import boards_of, may_work_on
from boards.models import Board
from reviews.models import FolderFile, Review, ReviewFile, WorkFolder
from reviews.refusals import REVIEWER_NOT_MEMBER
from reviews.states import FolderStorage
from workspaces.access import require_capability, require_reader
from workspaces.caller import Caller
from workspaces.models import Member

_WITH = ("board__workspace", "reviewer__actor", "set_by", "destination__workspace", "destination__secret")


def find_folder(board: Board) -> WorkFolder | None:
    """Return the folder that was set for a board which came from `boards.access`, also while it does not count."""
    return WorkFolder.objects.select_related(*_WITH).filter(board=board).first()


def lock_folder(board: Board) -> WorkFolder | None:
    """Return the same, locked until the transaction ends."""
    rows = WorkFolder.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related(*_WITH).filter(board=board).first()


def get_reviewer(caller: Caller, board: Board, member_id: object) -> Member:
    """Return a member who may decide on the board: they open it, and are no viewer."""
    members = Member.objects.select_related("user", "actor").filter(workspace=caller.workspace)
    member = members.filter(pk=ids.parse_id(member_id)).first()
    if member is None or not may_work_on(member, board):
        raise REVIEWER_NOT_MEMBER()
    return member


def get_hosted_file(caller: Caller, file_id: object) -> FolderFile:
    """Return a file in our storage, of a folder that counts, on a board the caller may open."""
    require_reader(caller)
    require_capability(caller, "reviews", "hosted_work_folder")
    there = FolderFile.objects.filter(storage=FolderStorage.HOSTED, unwanted_at__isnull=True).exclude(key="")
    files = there.exclude(folder__storage=FolderStorage.NONE)
    file = files.filter(folder__board__in=boards_of(caller), pk=ids.parse_id(file_id)).first()
    if file is None:
        raise NOT_FOUND()
    return file


_PARTS = ("board__workspace", "card__stage", "iteration__started_by", "maker", "turn__agent__actor", "turn__version")


def reviews_of(caller: Caller) -> QuerySet[Review]:
    """Return the reviews on boards the caller may open."""
    return Review.objects.filter(board__in=boards_of(caller))


def get_review(caller: Caller, review_id: object) -> Review:
    """Return one of `reviews_of`, with board, card, round, maker and turn."""
    reviews = reviews_of(caller).select_related(*_PARTS, "decision__decided_by__actor")
    review = reviews.filter(pk=ids.parse_id(review_id)).first()
    if review is None:
        raise NOT_FOUND()
    return review


def reviewed_files_of(caller: Caller) -> QuerySet[ReviewFile]:
    """Return what was and is reviewed on boards the caller may open, with the card of what it is."""
    files = ReviewFile.objects.select_related("result__card__board", "file__card__board")
    return files.filter(review__board__in=boards_of(caller))


def lock_review(review: Review) -> Review:
    """Return the review's newest row, locked until the transaction ends."""
    rows = Review.objects.select_for_update(of=("self",), no_key=True).select_related(*_PARTS)
    locked = rows.filter(pk=review.pk).first()
    if locked is None:  # the setup of its board was undone meanwhile
        raise NOT_FOUND()
    return locked
