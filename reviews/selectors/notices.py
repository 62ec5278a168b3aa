"""Who is told that a review waits: whoever may decide on it."""

from __future__ import annotations

from boards.access import workers_on
from boards.contents import round_contents
from boards.selectors.boards import is_shared
from reviews.models import Review
from reviews.selectors.standing import makers_of, named_reviewer

MOST_PEOPLE = 100


def people_to_tell(review: Review) -> list[str]:
    """Return the addresses of those who may approve and want to be told: the named reviewer, else everybody who works
    on the board but, on a shared one, its makers."""
    named = named_reviewer(review.board)
    if named is not None:
        return [named.user.email] if named.user.gets_review_mail else []
    makers = makers_of(review, round_contents(review.card, review.iteration)) if is_shared(review.board) else set()
    told = workers_on(review.board).filter(user__gets_review_mail=True).exclude(user__email="")
    others = told.exclude(pk__in=makers).order_by("pk")
    return list(others.values_list("user__email", flat=True)[:MOST_PEOPLE])
