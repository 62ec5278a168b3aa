"""The board page, and adding a card on it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from agents.services.agents import pause_agent
from agents.states import WaitReason
from boards.models import Board, BoardEvent, Card
from boards.services.boards import set_archived
from boards.services.cards import set_badge
from boards.services.comments import add_comment
from boards.states import Badge, EventKind
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card, make_file, stage_of
from tests.factories.workflows import make_line, make_rule
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workflows.selectors.starts import Start
from workspaces.caller import Caller

HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(2)>'
ESCAPED = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;"


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, name="Bread", members=[mia.member, vic.member])


@pytest.mark.requirement("B001", "B005", "B006")
def test_the_board_shows_its_columns_with_counts_and_its_cards(alice: Caller, board: Board) -> None:
    card = make_card(alice, board, title="Weigh the flour")
    make_file(alice, card)
    add_comment(alice, card=card, text="One kilo.")

    columns = browser(alice).get(url("board", board.pk)).context["columns"]

    assert [(item["column"].stage.name, item["column"].total) for item in columns] == [
        ("To do", 1),
        ("Doing", 0),
        ("Done", 0),
    ]
    shown = columns[0]["column"].cards[0]
    assert (shown.title, shown.owner.name, shown.file_count, shown.comment_count) == (
        "Weigh the flour",
        "Alice Archer",
        1,
        1,
    )


def test_a_tile_names_a_state_that_is_one_and_its_reason(alice: Caller, board: Board) -> None:
    make_card(alice, board, title="Nothing going on")
    set_badge(make_card(alice, board, title="Rejected"), Badge.IDLE, "REJECTED")
    set_badge(make_card(alice, board, title="Waits"), Badge.WAITING, "AI_ACCOUNT_REQUIRED")

    tiles = text_of(browser(alice).get(url("board", board.pk))).split('<li class="tile')[1:]

    badges = [re.findall(r'class="badge is-(\w+)"', tile) for tile in tiles]
    assert badges == [[], ["idle"], ["waiting"]]
    assert [tile.count("<time data-short") for tile in tiles] == [1, 1, 1]


def test_text_that_people_wrote_is_escaped_on_the_board(alice: Caller, board: Board) -> None:
    board.name = board.description = HOSTILE
    board.save(update_fields=["name", "description"])
    make_card(alice, board, title=HOSTILE)

    page = text_of(browser(alice).get(url("board", board.pk)))

    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert page.count(ESCAPED) >= 4


@pytest.mark.requirement("B003")
def test_a_member_adds_a_card_in_a_column(mia: Caller, board: Board) -> None:
    client = browser(mia)
    action = url("add-card", board.pk)
    form = form_of(client.get(url("board", board.pk)), action)

    answer = client.post(action, {**form, "title": " Buy salt ", "brief": "Coarse."}, headers=HTMX)

    card = Card.objects.get()
    assert answer.status_code == 200
    assert (card.title, card.brief, card.stage, card.owner) == ("Buy salt", "Coarse.", stage_of(board), mia.actor)
    assert "<html" not in text_of(answer)
    assert "Buy salt" in text_of(answer)


def test_without_scripts_a_new_card_leads_back_to_the_board(mia: Caller, board: Board) -> None:
    client = browser(mia)
    form = form_of(client.get(url("board", board.pk)), url("add-card", board.pk))

    answer = client.post(url("add-card", board.pk), {**form, "title": "Buy salt"})

    assert (answer.status_code, answer["Location"]) == (302, url("board", board.pk))


@pytest.mark.requirement("C089", "W059")
def test_a_form_that_is_sent_twice_adds_one_card(mia: Caller, board: Board) -> None:
    client = browser(mia)
    form = form_of(client.get(url("board", board.pk)), url("add-card", board.pk))

    answers = [client.post(url("add-card", board.pk), {**form, "title": "Buy salt"}) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [302, 302, 302]
    assert Card.objects.count() == 1
    assert BoardEvent.objects.filter(kind=EventKind.CARD_CREATED).count() == 1


def test_a_refused_card_keeps_what_was_typed_and_can_be_sent_again(mia: Caller, board: Board) -> None:
    client = browser(mia)
    action = url("add-card", board.pk)
    form = form_of(client.get(url("board", board.pk)), action)

    refused = client.post(action, {**form, "title": "   ", "brief": HOSTILE}, headers=HTMX)

    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert ESCAPED in text_of(refused)
    assert "<script>alert" not in text_of(refused)
    assert Card.objects.count() == 0
    again = form_of(refused, action)
    assert again["request_id"] != form["request_id"]
    assert client.post(action, {**again, "title": "Buy salt"}, headers=HTMX).status_code == 200
    assert Card.objects.count() == 1


@pytest.mark.requirement("W004")
def test_a_viewer_sees_no_forms_and_is_refused(vic: Caller, alice: Caller, board: Board) -> None:
    card = make_card(alice, board)
    client = browser(vic)

    page = client.get(url("board", board.pk))
    refused = client.post(url("add-card", board.pk), {"stage_id": str(stage_of(board).pk), "title": "No"})

    assert card.title in text_of(page)
    assert not has_form(page, url("add-card", board.pk))
    assert url("move-card", card.pk) not in text_of(page)
    assert (refused.status_code, code_of(refused)) == (403, "FORBIDDEN")
    assert Card.objects.count() == 1


@pytest.mark.requirement("W002")
def test_a_stranger_gets_what_an_absent_board_gives(charlie: Caller, alice: Caller, board: Board) -> None:
    client = browser(charlie)
    add = {"stage_id": str(stage_of(board).pk), "title": "Mine"}

    answers = [
        client.get(url("board", board.pk)),
        client.post(url("add-card", board.pk), add),
        client.get(url("board", "01890000-0000-7000-8000-000000000000")),
        client.get(url("board", "nonsense")),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404, 404]
    assert {code_of(answer) for answer in answers} == {"NOT_FOUND"}
    assert Card.objects.count() == 0


def test_a_card_cannot_be_added_to_a_column_of_another_board(mia: Caller, alice: Caller, board: Board) -> None:
    elsewhere = stage_of(make_board(alice, name="Closed"))

    refused = browser(mia).post(url("add-card", board.pk), {"stage_id": str(elsewhere.pk), "title": "There"})

    assert (refused.status_code, code_of(refused)) == (404, "NOT_FOUND")
    assert Card.objects.count() == 0


def test_an_archived_board_is_shown_without_forms(alice: Caller, board: Board) -> None:
    set_archived(alice, board=board, is_archived=True)
    client = browser(alice)

    page = client.get(url("board", board.pk))
    refused = client.post(url("add-card", board.pk), {"stage_id": str(stage_of(board).pk), "title": "No"})

    assert not has_form(page, url("add-card", board.pk))
    assert (refused.status_code, code_of(refused)) == (409, "BOARD_ARCHIVED")


def test_a_card_added_where_a_rule_starts_waits_and_says_why(alice: Caller, board: Board) -> None:
    rule = make_rule(
        alice,
        board,
        from_stage=stage_of(board),
        agent=make_agent(alice, board),
        to_stage=board.stages.get(name="Done"),
    )

    browser(alice).post(url("add-card", board.pk), {"stage_id": str(rule.from_stage_id), "title": "Work"})

    card = Card.objects.get()
    assert (card.badge, card.badge_reason) == (Badge.WAITING, "AI_ACCOUNT_REQUIRED")
    assert "needs an AI account" in text_of(browser(alice).get(url("board", board.pk)))


@pytest.mark.parametrize("method", ["get", "head"])
def test_reading_the_board_changes_nothing(alice: Caller, board: Board, method: str) -> None:
    make_card(alice, board)
    before = list(BoardEvent.objects.values_list("pk", flat=True))

    getattr(browser(alice), method)(url("board", board.pk))

    assert list(BoardEvent.objects.values_list("pk", flat=True)) == before
    assert browser(alice).get(url("add-card", board.pk)).status_code == 405


def test_a_column_where_an_agent_works_says_what_begins_and_who_pays_before_a_card_is_added(
    alice: Caller, settings: Settings
) -> None:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        line = make_line(alice, provider)
    client, page = browser(alice), url("board", line.board.pk)

    at_once = client.get(page)
    pause_agent(alice, agent=line.agent)
    waits = client.get(page)

    assert [_told(at_once), text_of(at_once).count("Add and start")] == [
        [None, "Researcher starts at once; “Bakery key” pays.", None],
        1,
    ]
    assert [_told(waits), text_of(waits).count("Add and start")] == [
        [None, "Researcher starts once it is resumed.", None],
        0,
    ]


@pytest.mark.parametrize("waits", [one for one in WaitReason if one is not WaitReason.APPROVAL])
def test_every_reason_to_wait_that_a_new_card_may_have_has_words(waits: WaitReason) -> None:
    told = Start(agent="Scout", payer="", waits=waits, trouble="").sentence

    assert told.startswith("Scout starts once ")


def test_the_board_takes_as_many_queries_for_many_cards_as_for_one(
    alice: Caller, board: Board, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    _fill(alice, board, cards=1)
    with django_assert_max_num_queries(25) as one:
        client.get(url("board", board.pk))
    _fill(alice, board, cards=12)

    with django_assert_max_num_queries(25) as many:
        client.get(url("board", board.pk))

    assert len(many) == len(one)


def _told(answer: Any) -> list[str | None]:
    return [item["start"] and item["start"].sentence for item in answer.context["columns"]]


def _fill(caller: Caller, board: Board, *, cards: int) -> None:
    for n in range(cards):
        card = make_card(caller, board, title=f"Card {n}")
        make_file(caller, card)
        add_comment(caller, card=card, text="Noted.")
