"""Writing agents on a page: a new one, a change of one that works, and what happens when two people do."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from agents.models import Agent, AgentVersion
from agents.rules import full_permissions
from agents.services.agents import pause_agent, write_draft
from agents.states import AgentState
from boards.models import Board, BoardEvent
from boards.services.boards import set_archived
from boards.services.members import add_board_member
from tests.factories.agents import INSTRUCTIONS, make_agent
from tests.factories.boards import make_board
from tests.support.cast import browser
from tests.web.pages import code_of, form_of, has_form, text_of, url
from workspaces.caller import Caller

METHODS = ("get", "post")
HOSTILE = '<script>alert("1")</script>'


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, name="Bread", members=[mia.member, vic.member])


@pytest.fixture
def manager(alice: Caller, mia: Caller, board: Board) -> Client:
    add_board_member(alice, board=board, member=mia.member, is_manager=True)
    return browser(mia)


@pytest.fixture
def agent(alice: Caller, board: Board) -> Agent:
    return make_agent(alice, board, permissions={"read_files": "allowed"})


def send_new(client: Client, board: Board, **typed: str) -> Any:
    action = url("new-agent", board.pk)
    return client.post(action, {**form_of(client.get(action), action), "name": "Scout", "instructions": "Do.", **typed})


def send_edit(client: Client, agent: Agent, **typed: str) -> Any:
    action = url("edit-agent", agent.pk)
    return client.post(action, {**form_of(client.get(action), action), **typed})


@pytest.mark.requirement("A002", "A003", "A013")
def test_a_manager_writes_a_new_agent_as_a_draft(manager: Client, board: Board) -> None:
    answer = send_new(
        manager, board, instructions="One.\r\nTwo.", may_read_files="allowed", may_email="ask", max_turns="7"
    )

    agent = Agent.objects.select_related("draft").get()
    draft = agent.draft
    assert draft is not None
    assert (answer.status_code, answer["Location"]) == (302, url("agent", agent.pk))
    assert (agent.state, agent.published, draft.name) == (AgentState.DRAFT, None, "Scout")
    assert (draft.instructions, draft.max_turns) == ("One.\nTwo.", 7)
    assert draft.permissions == full_permissions({"read_files": "allowed", "email": "ask"})


def test_a_new_agent_may_do_nothing_unless_it_is_given(manager: Client, board: Board) -> None:
    send_new(manager, board)

    assert set(AgentVersion.objects.get().permissions.values()) == {"off"}


@pytest.mark.requirement("C089", "W059")
def test_forms_sent_twice_act_once(manager: Client, board: Board, agent: Agent) -> None:
    new, edit = url("new-agent", board.pk), url("edit-agent", agent.pk)
    first = {**form_of(manager.get(new), new), "name": "Scout", "instructions": "Do."}
    second = {**form_of(manager.get(edit), edit), "instructions": "Twice."}

    answers = [manager.post(new, first)["Location"] for _ in range(2)]
    edits = [manager.post(edit, second).status_code for _ in range(2)]

    assert answers[0] == answers[1]
    assert edits == [302, 302]
    assert Agent.objects.count() == 2
    assert AgentVersion.objects.filter(agent=agent).count() == 2


def test_wrong_input_writes_nothing_and_keeps_what_was_typed(manager: Client, board: Board) -> None:
    typed = {"name": "  ", "instructions": HOSTILE, "max_turns": "51", "may_web": "perhaps", "may_email": "ask"}

    refused = send_new(manager, board, **typed)

    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert set(refused.context["form"].errors) == {"name", "max_turns", "permissions.web"}
    assert 'id="may_web-agent-error"' in text_of(refused)
    assert HOSTILE not in text_of(refused)
    again = form_of(refused, url("new-agent", board.pk))
    assert {name: again.get(name) for name in ("instructions", "max_turns", "may_email")} == {
        "instructions": HOSTILE,
        "max_turns": "51",
        "may_email": "ask",
    }
    assert not Agent.objects.exists()


@pytest.mark.parametrize("turns", ["", "0", "-1", "1.5", "many", "9" * 400, "²"])
def test_turns_that_are_no_number_in_bounds_are_refused(manager: Client, board: Board, turns: str) -> None:
    refused = send_new(manager, board, max_turns=turns)

    assert (refused.status_code, set(refused.context["form"].errors)) == (422, {"max_turns"})
    assert not Agent.objects.exists()


@pytest.mark.requirement("A014")
def test_editing_begins_a_draft_and_the_published_version_goes_on(manager: Client, agent: Agent) -> None:
    answer = send_edit(manager, agent, name="Reader", instructions="Better.", may_web="ask", max_turns="3")

    agent.refresh_from_db()
    assert agent.published is not None
    assert agent.draft is not None
    assert (answer.status_code, agent.name) == (302, "Researcher")
    assert (agent.published.instructions, agent.published.max_turns) == (INSTRUCTIONS, 50)
    assert (agent.draft.name, agent.draft.instructions, agent.draft.max_turns) == ("Reader", "Better.", 3)
    assert agent.draft.permissions == full_permissions({"read_files": "allowed", "web": "ask"})


def test_saving_without_a_change_begins_no_draft(manager: Client, agent: Agent) -> None:
    events = BoardEvent.objects.count()

    answer = send_edit(manager, agent)

    before, agent = agent.revision, Agent.objects.get(pk=agent.pk)
    assert (answer.status_code, agent.draft, agent.revision) == (302, None, before)
    assert BoardEvent.objects.count() == events


def test_the_form_starts_from_the_draft_where_there_is_one(alice: Caller, manager: Client, agent: Agent) -> None:
    write_draft(alice, board=agent.board, agent=agent, instructions="Newer.")

    form = form_of(manager.get(url("edit-agent", agent.pk)), url("edit-agent", agent.pk))

    assert (form["instructions"], form["may_read_files"], form["may_email"]) == ("Newer.", "allowed", "off")


def test_of_two_who_edit_the_second_sees_both_and_may_save_again(alice: Caller, manager: Client, agent: Agent) -> None:
    action = url("edit-agent", agent.pk)
    late = {**form_of(manager.get(action), action), "instructions": "Mine."}
    write_draft(alice, board=agent.board, agent=agent, instructions="Hers.")

    refused = manager.post(action, late)
    saved = manager.post(action, form_of(refused, action))

    agent.refresh_from_db()
    assert (refused.status_code, code_of(refused)) == (409, "REVISION_CONFLICT")
    assert "As it is now" in text_of(refused)
    assert "Hers." in text_of(refused)
    assert form_of(refused, action)["instructions"] == "Mine."
    assert agent.draft is not None
    assert (saved.status_code, agent.draft.instructions) == (302, "Mine.")


def test_who_edits_while_it_is_paused_has_overlooked_nothing(alice: Caller, manager: Client, agent: Agent) -> None:
    action = url("edit-agent", agent.pk)
    form = {**form_of(manager.get(action), action), "instructions": "Mine."}
    pause_agent(alice, agent=agent)

    answer = manager.post(action, form)

    agent.refresh_from_db()
    assert agent.draft is not None
    assert (answer.status_code, agent.state, agent.draft.instructions) == (302, AgentState.PAUSED, "Mine.")


def test_those_who_may_not_manage_see_no_form_and_write_nothing(
    mia: Caller, vic: Caller, charlie: Caller, agent: Agent
) -> None:
    doors = [url("new-agent", agent.board_id), url("edit-agent", agent.pk)]
    typed = {"name": "New", "instructions": "Do.", "expected_revision": str(agent.revision)}

    answers = {
        who.actor.name: [code_of(getattr(browser(who), method)(door, typed)) for door in doors for method in METHODS]
        for who in (mia, vic, charlie)
    }

    assert answers == {
        mia.actor.name: ["NOT_BOARD_MANAGER"] * 4,
        vic.actor.name: ["FORBIDDEN"] * 4,
        charlie.actor.name: ["NOT_FOUND"] * 4,
    }
    assert (Agent.objects.count(), AgentVersion.objects.count()) == (1, 1)
    assert not has_form(browser(mia).get(url("agent", agent.pk)), url("pause-agent", agent.pk))


def test_on_an_archived_board_nothing_is_written(alice: Caller, agent: Agent) -> None:
    set_archived(alice, board=agent.board, is_archived=True)
    client = browser(alice)

    opened = [client.get(url("new-agent", agent.board_id)), client.get(url("edit-agent", agent.pk))]
    refused = client.post(url("new-agent", agent.board_id), {"name": "New", "instructions": "Do."})

    assert [code_of(one) for one in (*opened, refused)] == ["BOARD_ARCHIVED"] * 3
    assert "New agent" not in text_of(client.get(url("agents", agent.board_id)))
    assert Agent.objects.count() == 1


def test_what_has_no_effect_yet_is_not_offered_and_keeps_what_it_was_set_to(
    alice: Caller, manager: Client, agent: Agent
) -> None:
    write_draft(alice, board=agent.board, agent=agent, permissions={"web": "allowed", "email": "ask"})
    page = manager.get(url("edit-agent", agent.pk))

    send_edit(manager, agent, instructions="Better.")

    offered = set(re.findall(r'<input type="radio" name="(may_[a-z_]+)"', text_of(page)))
    draft = Agent.objects.select_related("draft").get(pk=agent.pk).draft
    assert offered == {"may_read_files", "may_deliver"}
    assert text_of(page).count("Nothing to allow in this version") == 6
    assert text_of(page).count("sends outside") == 1
    assert draft is not None
    assert (draft.permissions["web"], draft.permissions["email"]) == ("allowed", "ask")
