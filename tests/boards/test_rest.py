"""Boards, cards and history over REST."""

from __future__ import annotations

import pytest

from boards.models import Board, Card
from boards.services.cards import edit_card
from boards.services.comments import add_comment
from tests.factories.boards import make_board, make_card, stage_of
from tests.support.cast import api
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability
from workspaces.states import Preset


def test_boards_are_listed_page_after_page(alice: Caller) -> None:
    older, newer = make_board(alice, name="Older"), make_board(alice, name="Newer")
    client = api(alice)

    first = client.get("/api/v1/boards", {"limit": "1"}).json()
    second = client.get("/api/v1/boards", {"limit": "1", "cursor": first["next_cursor"]}).json()

    assert [board["id"] for board in first["boards"]] == [str(newer.pk)]
    assert [board["id"] for board in second["boards"]] == [str(older.pk)]
    assert second["next_cursor"] is None


def test_a_board_is_read_with_columns_and_members(alice: Caller, mia: Caller) -> None:
    board = make_board(alice, members=[mia.member])

    answer = api(mia).get(f"/api/v1/boards/{board.pk}").json()

    assert answer["board"]["name"] == "Research"
    assert [stage["name"] for stage in answer["stages"]] == ["To do", "Doing", "Done"]
    assert [(member["name"], member["is_manager"]) for member in answer["members"]] == [
        ("Alice Archer", True),
        ("Mia Moreau", False),
    ]


@pytest.mark.requirement("W027")
def test_without_control_a_board_shows_its_name_and_columns_as_read_board_does(alice: Caller) -> None:
    board = make_board(alice)
    switch_capability(alice, name="control", is_on=False)

    shown = api(alice).get(f"/api/v1/boards/{board.pk}").json()

    assert shown["board"] == {"id": str(board.pk), "name": board.name}
    assert [stage["name"] for stage in shown["stages"]] == ["To do", "Doing", "Done"]
    assert set(shown) == {"board", "stages", "request_id"}


@pytest.mark.requirement("B046", "W057")
def test_a_board_is_edited_with_the_revision_that_was_read(alice: Caller) -> None:
    board = make_board(alice)
    client = api(alice)
    path = f"/api/v1/boards/{board.pk}"

    edited = client.patch(path, {"expected_revision": 1, "name": "Competitors"}, format="json")
    stale = client.patch(path, {"expected_revision": 1, "name": "Lost"}, format="json")

    assert (edited.status_code, edited.json()["board"]["revision"]) == (200, 2)
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "REVISION_CONFLICT")
    assert stale.json()["error"]["current_revision"] == 2
    assert Board.objects.get().name == "Competitors"


@pytest.mark.requirement("B023")
def test_guidelines_need_their_capability_over_rest_too(alice: Caller) -> None:
    path = f"/api/v1/boards/{make_board(alice).pk}"
    body = {"expected_revision": 1, "guidelines": "Cite sources."}

    refused = api(alice).patch(path, body, format="json")
    switch_capability(alice, name="api_workflow", is_on=True)
    edited = api(alice).patch(path, body, format="json")

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "CAPABILITY_OFF")
    assert edited.json()["board"]["guidelines"] == "Cite sources."


@pytest.mark.requirement("B046", "W057")
def test_a_card_is_edited_with_the_revision_that_was_read(alice: Caller, amir: Caller) -> None:
    card = make_card(alice, make_board(alice))
    path = f"/api/v1/cards/{card.pk}"
    body = {"expected_revision": 1, "title": "Other", "owner": str(amir.actor.pk)}

    edited = api(alice).patch(path, body, format="json")
    stale = api(alice).patch(path, {"expected_revision": 1, "brief": "Lost"}, format="json")

    assert edited.status_code == 200
    assert (edited.json()["card"]["title"], edited.json()["card"]["owner"]["name"]) == ("Other", amir.actor.name)
    assert (stale.status_code, stale.json()["error"]["current_revision"]) == (409, 2)


def test_an_edit_that_is_repeated_with_its_request_id_answers_the_same(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    client = api(alice)
    body = {"expected_revision": 1, "title": "Other"}

    answers = [
        client.patch(f"/api/v1/cards/{card.pk}", body, format="json", headers={"X-Request-Id": "edit-1"})
        for _ in range(2)
    ]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json()["card"] == answers[1].json()["card"]
    card.refresh_from_db()
    assert card.revision == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"title": "Other"}, "expected_revision"),
        ({"expected_revision": 1}, ""),
        ({"expected_revision": "1", "title": "Other"}, "expected_revision"),
        ({"expected_revision": 1, "title": "x" * 301}, "title"),
        ({"expected_revision": 1, "stage_id": "s"}, "stage_id"),
        ([], ""),
    ],
)
def test_an_edit_says_which_field_is_wrong(alice: Caller, body: object, field: str) -> None:
    card = make_card(alice, make_board(alice))

    answer = api(alice).patch(f"/api/v1/cards/{card.pk}", body, format="json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_INPUT")
    assert field in answer.json()["error"]["fields"]
    assert Card.objects.get().revision == 1


def test_a_card_is_read_with_its_parts_and_history(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    add_comment(alice, card=card, text="Look.")
    edit_card(alice, card=card, expected_revision=None, title="Other")
    client = api(alice)

    whole = client.get(f"/api/v1/cards/{card.pk}").json()
    comments = client.get(f"/api/v1/cards/{card.pk}/comments").json()
    events = client.get(f"/api/v1/cards/{card.pk}/events", {"limit": "2"}).json()

    assert (whole["card"]["title"], whole["card"]["state"], whole["comments_total"]) == ("Other", "idle", 1)
    assert [comment["text"] for comment in comments["comments"]] == ["Look."]
    assert [event["kind"] for event in events["events"]] == ["card_edited", "comment_added"]
    assert events["next_cursor"] is not None


def test_cards_of_a_column_are_listed(alice: Caller) -> None:
    board = make_board(alice)
    for title in ("A", "B"):
        make_card(alice, board, title=title)

    answer = api(alice).get("/api/v1/cards", {"stage_id": str(stage_of(board).pk), "state": "idle"}).json()

    assert [card["title"] for card in answer["cards"]] == ["A", "B"]


def test_the_events_of_a_board_are_listed(alice: Caller) -> None:
    board = make_board(alice)

    answer = api(alice).get(f"/api/v1/boards/{board.pk}/events").json()

    assert [event["kind"] for event in answer["events"]] == ["board_created"]


@pytest.mark.parametrize(
    "query",
    [{"limit": "0"}, {"limit": "101"}, {"limit": "many"}, {"cursor": "???"}, {"state": "asleep"}, {"page": "2"}],
)
def test_a_wrong_query_is_refused_by_field(alice: Caller, query: dict[str, str]) -> None:
    answer = api(alice).get("/api/v1/cards", query)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_INPUT")
    assert list(answer.json()["error"]["fields"]) == list(query)


@pytest.mark.requirement("B045", "C092")
def test_what_a_caller_may_not_open_is_answered_like_what_does_not_exist(
    alice: Caller, mia: Caller, charlie: Caller
) -> None:
    card = make_card(alice, make_board(alice))
    paths = [
        f"/api/v1/boards/{card.board_id}",
        f"/api/v1/boards/{card.board_id}/events",
        f"/api/v1/cards/{card.pk}",
        f"/api/v1/cards/{card.pk}/comments",
        f"/api/v1/cards/{card.pk}/events",
        f"/api/v1/cards/{card.pk}/files",
    ]

    for caller in (mia, charlie):
        client = api(caller)
        for path in paths:
            foreign = client.get(path)
            absent = client.get(path.replace(str(card.pk), "x").replace(str(card.board_id), "x"))
            assert foreign.status_code == absent.status_code == 404
            assert foreign.json()["error"] == absent.json()["error"]


def test_read_only_tokens_and_viewers_change_nothing(alice: Caller, vic: Caller) -> None:
    board = make_board(alice, members=[vic.member])
    card = make_card(alice, board)
    body = {"expected_revision": 1, "title": "Mine"}

    read_only = api(alice, Preset.READ_ONLY).patch(f"/api/v1/cards/{card.pk}", body, format="json")
    viewer = api(vic).patch(f"/api/v1/cards/{card.pk}", body, format="json")

    assert (read_only.status_code, read_only.json()["error"]["code"]) == (403, "TOKEN_READ_ONLY")
    assert (viewer.status_code, viewer.json()["error"]["code"]) == (403, "FORBIDDEN")
    card.refresh_from_db()
    assert card.revision == 1
