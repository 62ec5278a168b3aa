"""Changing title, brief and owner on the card page."""

from __future__ import annotations

import pytest

from boards.models import Board, BoardEvent, Card
from boards.services.boards import set_archived
from boards.services.cards import edit_card
from boards.services.comments import add_comment
from boards.services.members import add_board_member
from boards.states import EventKind
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card
from tests.factories.workspaces import make_member
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workspaces.caller import Caller
from workspaces.models import Actor
from workspaces.services.members import remove_member

HOSTILE = '<script>alert("1")</script></textarea>'


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, members=[mia.member, vic.member])


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    return make_card(alice, board, title="Sum up the feedback", brief="\nName three.\n")


@pytest.mark.requirement("B024", "B025")
def test_a_member_changes_title_brief_and_owner(mia: Caller, alice: Caller, board: Board, card: Card) -> None:
    agent = make_agent(alice, board)
    client, action = browser(mia), url("edit-card", card.pk)
    form = form_of(client.get(url("card", card.pk)), action)

    change = {"title": " Sum it up ", "brief": "Name\r\nfour.", "owner": str(agent.actor_id)}
    answer = client.post(action, {**form, **change}, headers=HTMX)

    card.refresh_from_db()
    assert answer.status_code == 200
    assert "<html" not in text_of(answer)
    assert (card.title, card.brief, card.owner_id) == ("Sum it up", "Name\nfour.", agent.actor_id)
    event = BoardEvent.objects.get(kind=EventKind.CARD_EDITED)
    assert (event.actor, event.data["fields"]) == (mia.actor, ["title", "brief", "owner"])


@pytest.mark.requirement("C088")
def test_people_whose_names_look_alike_are_told_apart_by_their_address(alice: Caller, board: Board, card: Card) -> None:
    twins = [make_member(alice, name) for name in ("Admin", "Αdmin")]  # the second begins with a Greek letter
    for twin in twins:
        add_board_member(alice, board=board, member=twin.member)
    make_agent(alice, board, name="Admin")

    page = text_of(browser(alice).get(url("card", card.pk)))

    for twin in twins:
        assert f"{twin.actor.name} ({twin.member.user.email})</option>" in page
    assert ">Admin</option>" in page


def test_the_form_holds_the_card_as_it_is_and_saving_it_changes_nothing(mia: Caller, card: Card) -> None:
    client, action = browser(mia), url("edit-card", card.pk)
    form = form_of(client.get(url("card", card.pk)), action)

    answer = client.post(action, form)

    assert (form["title"], form["brief"], form["owner"]) == (card.title, card.brief, str(card.owner_id))
    assert (answer.status_code, answer["Location"]) == (302, url("card", card.pk))
    assert BoardEvent.objects.filter(kind=EventKind.CARD_EDITED).count() == 0


def test_another_title_meanwhile_is_a_conflict_that_shows_both(mia: Caller, alice: Caller, card: Card) -> None:
    client, action = browser(mia), url("edit-card", card.pk)
    form = form_of(client.get(url("card", card.pk)), action)
    edit_card(alice, card=card, expected_revision=None, title="Alice was faster")

    refused = client.post(action, {**form, "title": "Mia's title", "brief": HOSTILE}, headers=HTMX)

    page = text_of(refused)
    again = form_of(refused, action)
    assert (refused.status_code, code_of(refused)) == (409, "REVISION_CONFLICT")
    assert "<dd>Alice was faster</dd>" in page
    assert "<script>alert" not in page
    assert (again["title"], again["brief"]) == ("Mia's title", HOSTILE)
    card.refresh_from_db()
    assert card.title == "Alice was faster"
    assert client.post(action, again, headers=HTMX).status_code == 200
    card.refresh_from_db()
    assert (card.title, card.brief) == ("Mia's title", HOSTILE)


def test_a_comment_meanwhile_is_no_conflict(mia: Caller, alice: Caller, card: Card) -> None:
    client, action = browser(mia), url("edit-card", card.pk)
    form = form_of(client.get(url("card", card.pk)), action)
    add_comment(alice, card=card, text="Hurry.")

    answers = [client.post(action, {**form, "title": "Mia's title"}, headers=HTMX) for _ in range(2)]

    card.refresh_from_db()
    assert [answer.status_code for answer in answers] == [200, 200]
    assert card.title == "Mia's title"
    assert BoardEvent.objects.filter(kind=EventKind.CARD_EDITED).count() == 1


@pytest.mark.requirement("C089", "W059")
def test_a_change_that_is_sent_twice_is_made_once(mia: Caller, alice: Caller, card: Card) -> None:
    client, action = browser(mia), url("edit-card", card.pk)
    form = {**form_of(client.get(url("card", card.pk)), action), "title": "Mia's title", "owner": str(mia.actor.pk)}

    first = client.post(action, form)
    edit_card(alice, card=card, expected_revision=None, title="Alice came later")
    second = client.post(action, form)

    card.refresh_from_db()
    assert (first.status_code, second.status_code) == (302, 302)
    assert (card.title, card.owner_id) == ("Alice came later", mia.actor.pk)


@pytest.mark.parametrize("revision", ["", "x", "-1", "0", "9" * 30, "²"])
def test_a_form_without_a_revision_that_can_be_is_refused(mia: Caller, card: Card, revision: str) -> None:
    form = {"title": "No", "brief": "", "owner": str(card.owner_id), "expected_revision": revision}

    refused = browser(mia).post(url("edit-card", card.pk), form)

    card.refresh_from_db()
    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert card.title == "Sum up the feedback"


def test_people_of_the_board_who_work_and_its_agents_can_be_chosen(
    mia: Caller, alice: Caller, amir: Caller, vic: Caller, board: Board, card: Card
) -> None:
    agent = make_agent(alice, board, name="Scout")
    make_agent(alice, make_board(alice, name="Closed"), name="Elsewhere")

    groups = browser(mia).get(url("card", card.pk)).context["owners"]

    assert [(group.label, [actor.name for actor in group.actors]) for group in groups] == [
        ("People", ["Alice Archer", "Amir Aziz", "Mia Moreau"]),
        ("Agents", [agent.actor.name]),
    ]


def test_an_owner_who_left_is_kept_until_another_one_is_chosen(mia: Caller, alice: Caller, amir: Caller) -> None:
    card = make_card(amir, make_board(amir, members=[mia.member]))
    remove_member(alice, member=amir.member)
    Card.objects.filter(pk=card.pk).update(owner=amir.actor)
    client, action = browser(mia), url("edit-card", card.pk)
    form = form_of(client.get(url("card", card.pk)), action)

    answer = client.post(action, {**form, "title": "Still his"})

    card.refresh_from_db()
    assert (answer.status_code, card.title, card.owner_id) == (302, "Still his", amir.actor.pk)


def test_somebody_who_may_not_own_the_card_is_refused_at_the_field(mia: Caller, vic: Caller, card: Card) -> None:
    client, action = browser(mia), url("edit-card", card.pk)
    form = form_of(client.get(url("card", card.pk)), action)

    refused = client.post(action, {**form, "title": "Kept", "owner": str(vic.actor.pk)}, headers=HTMX)

    card.refresh_from_db()
    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert 'id="owner-card-error"' in text_of(refused)
    assert form_of(refused, action)["title"] == "Kept"
    assert card.owner != Actor.objects.get(pk=vic.actor.pk)


@pytest.mark.requirement("W002", "W004")
def test_viewers_and_strangers_change_nothing(vic: Caller, charlie: Caller, alice: Caller, card: Card) -> None:
    form = {"title": "No", "brief": "", "owner": str(card.owner_id), "expected_revision": str(card.revision)}

    refused = [browser(one).post(url("edit-card", card.pk), form) for one in (vic, charlie)]

    card.refresh_from_db()
    assert [(one.status_code, code_of(one)) for one in refused] == [(403, "FORBIDDEN"), (404, "NOT_FOUND")]
    assert not has_form(browser(vic).get(url("card", card.pk)), url("edit-card", card.pk))
    assert card.title == "Sum up the feedback"


def test_a_card_of_an_archived_board_cannot_be_changed(mia: Caller, alice: Caller, board: Board, card: Card) -> None:
    client, action = browser(mia), url("edit-card", card.pk)
    form = form_of(client.get(url("card", card.pk)), action)
    set_archived(alice, board=board, is_archived=True)

    refused = client.post(action, {**form, "title": "No"})

    assert (refused.status_code, code_of(refused)) == (409, "BOARD_ARCHIVED")
    assert not has_form(client.get(url("card", card.pk)), action)
