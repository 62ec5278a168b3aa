"""Letting a card go: done at once where it starts nothing, asked first where it does."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from agents.models import Turn
from boards.models import Board, BoardEvent, Card, Stage
from boards.services.boards import set_archived
from boards.services.trash import put_into_trash
from boards.states import EventKind, StageRole
from reviews.states import Verdict
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card, stage_of
from tests.factories.destinations import make_destination
from tests.factories.reviews import decide, give_folder, work
from tests.factories.workflows import make_line, make_rule
from tests.support.buckets import S3Server
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import HTMX, code_of, form_of, text_of, url
from workspaces.caller import Caller


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, members=[mia.member, vic.member])


@pytest.fixture
def cards(alice: Caller, board: Board) -> list[Card]:
    return [make_card(alice, board, title=title) for title in ("One", "Two", "Three")]


def drop(caller: Caller, card: Card, stage: Stage, headers: dict[str, str] | None = HTMX, **place: Any) -> Any:
    given = {"stage_id": str(stage.pk), **{name: str(value) for name, value in place.items()}}
    return browser(caller).post(url("drop-card", card.pk), given, headers=headers)


def order_of(stage: Stage) -> list[str]:
    return list(Card.objects.filter(stage=stage).order_by("place__position").values_list("title", flat=True))


@pytest.mark.requirement("B034", "C084")
@pytest.mark.parametrize(
    ("place", "order"),
    [
        (lambda cards: {"before_card_id": cards[0].pk}, ["Three", "One", "Two"]),
        (lambda cards: {"after_card_id": cards[0].pk}, ["One", "Three", "Two"]),
        (lambda _: {"end": "top"}, ["Three", "One", "Two"]),
        (lambda _: {}, ["One", "Two", "Three"]),
    ],
)
def test_within_its_column_a_card_goes_beside_its_neighbour(
    mia: Caller, board: Board, cards: list[Card], place: Any, order: list[str]
) -> None:
    answer = drop(mia, cards[2], stage_of(board), **place(cards))

    assert (answer.status_code, "bakedbrie:changed" in answer["HX-Trigger"]) == (204, True)
    assert order_of(stage_of(board)) == order
    assert BoardEvent.objects.filter(kind=EventKind.CARD_MOVED).count() == 0


@pytest.mark.requirement("C084")
def test_into_a_column_where_nothing_starts_it_moves_at_once_to_its_place(
    mia: Caller, alice: Caller, board: Board, cards: list[Card]
) -> None:
    done = stage_of(board, StageRole.DONE)
    other = make_card(alice, board, stage=done, title="Other")

    first = drop(mia, cards[0], done, before_card_id=other.pk)
    put_into_trash(alice, card=other)
    second = drop(mia, cards[1], done, before_card_id=other.pk)

    assert [answer.status_code for answer in (first, second)] == [204, 204]
    assert order_of(done) == ["One", "Two"]


@pytest.mark.requirement("B030", "C085")
def test_where_work_would_start_it_asks_and_the_answer_keeps_the_place(
    mia: Caller, alice: Caller, board: Board, cards: list[Card]
) -> None:
    doing = stage_of(board, StageRole.MIDDLE)
    other = make_card(alice, board, stage=doing, title="Other")
    make_rule(alice, board, from_stage=doing, agent=make_agent(alice, board), to_stage=stage_of(board, StageRole.DONE))

    asked = drop(mia, cards[0], doing, before_card_id=other.pk, drop="1")
    unmoved = order_of(doing)
    form = form_of(asked, url("move-card", cards[0].pk))
    answer = browser(mia).post(url("move-card", cards[0].pk), form, headers=HTMX)

    assert (asked.status_code, unmoved, form["before_card_id"]) == (200, ["Other"], str(other.pk))
    assert "To which column?" not in text_of(asked)
    assert (answer.status_code, order_of(doing)) == (204, ["One", "Other"])
    assert Turn.objects.filter(card=cards[0]).count() == 1


@pytest.mark.requirement("C089")
def test_a_drop_that_is_sent_twice_moves_once(mia: Caller, board: Board, cards: list[Card]) -> None:
    done = stage_of(board, StageRole.DONE)

    answers = [drop(mia, cards[0], done, request_id="once") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [204, 204]
    assert BoardEvent.objects.filter(kind=EventKind.CARD_MOVED).count() == 1


def test_what_is_refused_is_told_beside_the_board_and_moves_nothing(
    mia: Caller, alice: Caller, board: Board, cards: list[Card]
) -> None:
    put_into_trash(alice, card=cards[0])

    refused = [
        drop(mia, cards[0], stage_of(board, StageRole.DONE)),
        drop(mia, cards[1], stage_of(board), end="middle"),
        drop(mia, cards[1], stage_of(board), end="top", before_card_id=cards[2].pk),
    ]

    assert [(one.status_code, code_of(one), one["HX-Retarget"]) for one in refused] == [
        (409, "CARD_TRASHED", "#notices"),
        (422, "INVALID_INPUT", "#notices"),
        (422, "INVALID_INPUT", "#notices"),
    ]
    assert order_of(stage_of(board)) == ["Two", "Three"]


def test_viewers_and_archived_boards_keep_their_cards(
    alice: Caller, vic: Caller, board: Board, cards: list[Card]
) -> None:
    seen = drop(vic, cards[0], stage_of(board, StageRole.DONE))
    set_archived(alice, board=board, is_archived=True)
    archived = [drop(alice, cards[1], stage, end="top") for stage in (stage_of(board, StageRole.DONE), stage_of(board))]

    assert (seen.status_code, code_of(seen)) == (403, "FORBIDDEN")
    assert [(one.status_code, code_of(one)) for one in archived] == [(409, "BOARD_ARCHIVED")] * 2
    assert order_of(stage_of(board)) == ["One", "Two", "Three"]


def test_without_scripts_a_card_goes_to_an_end_of_its_column(mia: Caller, board: Board, cards: list[Card]) -> None:
    client = browser(mia)
    form = form_of(client.get(url("move-card", cards[2].pk)), url("drop-card", cards[2].pk))

    answer = client.post(url("drop-card", cards[2].pk), {**form, "end": "top"})

    assert (answer.status_code, answer["Location"]) == (302, url("card", cards[2].pk))
    assert order_of(stage_of(board)) == ["Three", "One", "Two"]


@pytest.mark.requirement("B030")
@pytest.mark.django_db(transaction=True)
def test_a_drop_that_closes_a_review_asks_first(alice: Caller, settings: Settings) -> None:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        line = make_line(alice, provider)
        give_folder(line)
        review = work(line)

        asked = drop(alice, line.fresh_card(), line.todo, drop="1")

    review.refresh_from_db()
    assert (asked.status_code, "closed without a decision" in text_of(asked)) == (200, True)
    assert (line.fresh_card().stage, review.state) == (line.doing, "open")


@pytest.mark.requirement("B030", "V032")
@pytest.mark.django_db(transaction=True)
def test_a_drop_into_done_asks_first_where_nobody_approved_what_was_made(
    alice: Caller, settings: Settings, moto_server: S3Server
) -> None:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair, moto_server.pair]
        line = make_line(alice, provider)
        give_folder(line)
        make_destination(alice, moto_server, board=line.board)
        decide(alice, work(line), Verdict.REJECT)

        asked = drop(alice, line.fresh_card(), line.done, drop="1")

    assert (asked.status_code, "nobody has approved what was made" in text_of(asked)) == (200, True)
    assert line.fresh_card().stage == line.doing
