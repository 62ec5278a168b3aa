"""What a list of reviews costs in statements: for two hundred as for one, but for a page that counts the rest."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Turn
from bakedbrie.lib.ids import new_id
from boards.models import Card, Iteration
from reviews.models import Review, ReviewFile
from tests.factories.reviews import work
from tests.factories.workflows import Line
from tests.support.cast import api, browser

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 200


def fill(review: Review, total: int = MANY) -> None:
    """Let so many cards wait in all, each with a file, as the one that does."""
    card, file = review.card, review.files.get()
    cards = Card.objects.bulk_create(
        Card(board=card.board, stage=card.stage, title=f"Card {n}", owner=card.owner, created_by=card.created_by)
        for n in range(1, total)
    )
    rounds = Iteration.objects.bulk_create(Iteration(card=card, n=1, started_by=review.maker) for card in cards)
    turns = Turn.objects.bulk_create(turn_like(review.turn, one) for one in rounds)
    reviews = Review.objects.bulk_create(
        Review(
            board=review.board,
            card=one.card,
            iteration=one,
            turn=turn,
            maker=review.maker,
            n=1,
            next=review.next,
            intent_hash=review.intent_hash,
        )
        for one, turn in zip(rounds, turns, strict=True)
    )
    ReviewFile.objects.bulk_create(
        ReviewFile(
            review=one,
            n=1,
            name=file.name,
            media_type=file.media_type,
            bytes=file.bytes,
            sha256=file.sha256,
            result=file.result,
        )
        for one in reviews
    )


def turn_like(turn: Turn, iteration: Iteration) -> Turn:
    """A turn as another one, on the card of another round."""
    made = copy(turn)
    made.pk, made.card, made.iteration = new_id(), iteration.card, iteration
    made._state.adding = True
    return made


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

    fill(review)

    assert Review.objects.count() == MANY
    # A page counts those it has no room for.
    assert costs(doors) == {name: count + ("page" in name) for name, count in little.items()}
    assert "Card 1" in doors["page"]()
    assert "Card 199" in doors["tool"]()
