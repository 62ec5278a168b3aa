"""What the frame of every page tells of reviews."""

from __future__ import annotations

from django import template

from boards.access import boards_of
from reviews.access import reviews_of
from reviews.states import ReviewState
from workspaces.caller import Caller

register = template.Library()


@register.simple_tag
def open_reviews(caller: Caller) -> int:
    """Count what waits for a decision on boards that are not archived: one query, and none while reviews are off."""
    if "reviews" not in caller.capabilities:
        return 0
    boards = boards_of(caller).filter(archived_at=None)
    return reviews_of(caller).filter(state=ReviewState.OPEN, board__in=boards).count()
