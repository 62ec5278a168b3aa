"""What a list of reviews costs in statements: for two hundred as for one, but for a page that counts the rest."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Review
from tests.factories.reviews import let_wait, work
from tests.factories.workflows import Line
from tests.support.cast import api, browser

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 200


def asking(line: Line) -> dict[str, Callable[[], str]]:
    """The doors at which reviews are listed; each returns all that it answers."""
    client, page = api(line.caller), browser(line.caller)
    return {
        "tool": lambda: client.post("/api/v1/tools/list_reviews", {}, format="json").content.decode(),
        "page": lambda: page.get("/reviews/").content.decode(),
        "page of one board": lambda: page.get(f"/reviews/?board_id={line.board.pk}").content.decode(),
    }


def costs(doors: dict[str, Callable[[], str]]) -> dict[str, int]:
    found = {}
    for name, ask in doors.items():
        with CaptureQueriesContext(connection) as statements:
            ask()
        found[name] = len(statements)
    return found


@pytest.mark.requirement("V016")
def test_two_hundred_reviews_are_listed_with_the_statements_of_one(line: Line) -> None:
    review = work(line)
    doors = asking(line)
    for ask in doors.values():
        ask()  # the first call notes when a token was used
    little = costs(doors)

    let_wait(review, MANY)

    assert Review.objects.count() == MANY
    # A page counts those it has no room for.
    assert costs(doors) == {name: count + ("page" in name) for name, count in little.items()}
    assert "Card 1" in doors["page"]()
    assert "Card 199" in doors["tool"]()
