"""How somebody stands to a review at this moment: maker, named reviewer, on a shared board or alone."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from boards.access import may_work_on
from boards.contents import Content
from boards.models import Board, Result
from boards.selectors.boards import is_shared
from reviews.models import Review
from reviews.rules import Standing
from reviews.selectors.folders import folder_of
from workspaces.caller import Caller
from workspaces.models import Member


def standing_of(caller: Caller, review: Review, contents: Iterable[Content]) -> Standing:
    """Look at a review that came from `reviews.access`, with what it is about as it is now."""
    named = named_reviewer(review.board)
    return Standing(
        is_open=review.is_open,
        is_shared=is_shared(review.board),
        is_maker=caller.member.pk in makers_of(review, contents),
        is_other_named=named is not None and named.pk != caller.member.pk,
    )


def named_reviewer(board: Board) -> Member | None:
    """Return the one person who decides on the board; whoever left, or lost the board, does not keep it stuck."""
    folder = folder_of(board)
    if folder is None or folder.reviewer is None or not may_work_on(folder.reviewer, board):
        return None
    return folder.reviewer


def makers_of(review: Review, contents: Iterable[Content]) -> set[uuid.UUID]:
    """Return the members whose work it is: who started the round, wrote a result in it, or added any of the files."""
    wrote = Result.objects.filter(iteration=review.iteration_id, made_by__member__isnull=False)
    added = [content.file.added_by.member_id for content in contents if content.file is not None]
    makers = {review.maker.member_id, *wrote.values_list("made_by__member", flat=True), *added}
    return {member for member in makers if member is not None}
