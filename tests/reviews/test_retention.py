"""What is only kept for a while, and what is asked at once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bakedbrie.lib import clock
from reviews.models import FolderStep, Review
from reviews.selectors.notices import people_to_tell
from reviews.services.retention import STEPS_FOR
from tests.factories.reviews import work
from tests.factories.workflows import Line
from tests.factories.workspaces import make_member
from workers.retention import forget_old_rows
from workspaces.roles import Role

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("state", "age", "is_kept"),
    [
        ("queued", 2 * STEPS_FOR, True),
        ("sending", 2 * STEPS_FOR, True),
        ("done", STEPS_FOR - timedelta(hours=1), True),
        ("done", STEPS_FOR + timedelta(hours=1), False),
        ("failed", STEPS_FOR + timedelta(hours=1), False),
        ("unknown", STEPS_FOR + timedelta(hours=1), False),
    ],
)
def test_steps_that_ended_long_ago_are_forgotten(line: Line, state: str, age: timedelta, is_kept: bool) -> None:
    work(line)
    FolderStep.objects.update(state=state, updated_at=clock.now() - age)

    forget_old_rows()

    assert FolderStep.objects.exists() is is_kept


def test_who_is_told_of_a_review_is_asked_at_once(line: Line) -> None:
    review = work(line)
    told: list[int] = []
    asked: list[int] = []
    for number in (2, 4):
        for _ in range(number):
            line.let_in(make_member(line.caller))
        line.let_in(make_member(line.caller, role=Role.VIEWER))
        with CaptureQueriesContext(connection) as queries:
            told.append(len(people_to_tell(fresh(review))))
        asked.append(len(queries))

    assert (told, asked[0]) == ([2, 6], asked[1])


def fresh(review: Review) -> Review:
    return Review.objects.select_related("board__workspace", "card", "maker", "iteration").get(pk=review.pk)
