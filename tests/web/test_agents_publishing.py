"""What publishing would change is shown before it is done; pausing, resuming and retiring an agent on its page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from agents.models import Agent, Turn
from agents.services.agents import pause_agent, write_draft
from agents.services.bindings import bind_account
from agents.states import AgentState, BindingScope, TurnState
from boards.models import Board
from boards.states import StageRole
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, stage_of
from tests.factories.workflows import Line, make_line, make_rule
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workflows.services.rules import pause_rule
from workspaces.caller import Caller


@pytest.fixture
def board(alice: Caller, mia: Caller) -> Board:
    return make_board(alice, name="Bread", members=[mia.member])


@pytest.fixture
def agent(alice: Caller, board: Board) -> Agent:
    agent = make_agent(alice, board, instructions="Read.\nCount.")
    return write_draft(alice, board=board, agent=agent, name="Reader", instructions="Read.\nWeigh.")


@pytest.fixture
def line(alice: Caller, settings: Settings) -> Iterator[Line]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        yield make_line(alice, provider)


def fresh(agent: Agent) -> Agent:
    return Agent.objects.select_related("published", "draft").get(pk=agent.pk)


@pytest.mark.requirement("A014", "A015")
def test_the_changes_are_shown_and_then_published(alice: Caller, agent: Agent) -> None:
    client, action = browser(alice), url("publish-agent", agent.pk)
    pages = [client.get(url("agent", agent.pk)), client.get(action), client.get(action, headers=HTMX)]

    answer = client.post(action, form_of(pages[1], action))

    now = fresh(agent)
    assert now.published is not None
    assert ["Removed: </span>Count." in text_of(page) for page in pages] == [True] * 3
    assert ["Added: </span>Weigh." in text_of(page) for page in pages] == [True] * 3
    assert "<html" not in text_of(pages[2])
    assert (answer.status_code, answer["Location"]) == (302, url("agent", agent.pk))
    assert (now.state, now.name, now.published.n, now.draft) == (AgentState.PUBLISHED, "Reader", 2, None)


@pytest.mark.parametrize("method", ["get", "head"])
def test_asking_publishes_nothing(alice: Caller, agent: Agent, method: str) -> None:
    answer = getattr(browser(alice), method)(url("publish-agent", agent.pk))

    assert (answer.status_code, fresh(agent).draft_id) == (200, agent.draft_id)


@pytest.mark.requirement("A022")
@pytest.mark.parametrize("verdict", ["ask", "allowed"])
def test_what_sends_outside_is_published_only_once_somebody_agreed(alice: Caller, board: Board, verdict: str) -> None:
    agent = make_agent(alice, board, permissions={"email": verdict, "web": "allowed"}, is_published=False)
    client, action = browser(alice), url("publish-agent", agent.pk)
    asked = client.get(action)
    form = {name: value for name, value in form_of(asked, action).items() if name != "confirm"}

    refused = client.post(action, form, headers=HTMX)
    before = fresh(agent).state
    agreed = client.post(action, {**form_of(refused, action), "confirm": "true"}, headers=HTMX)

    assert "It may send outside: E-mail." in text_of(asked)
    assert (refused.status_code, code_of(refused), before) == (409, "CONFIRMATION_NEEDED", AgentState.DRAFT)
    assert (agreed.status_code, "bakedbrie:changed" in agreed["HX-Trigger"]) == (204, True)
    assert fresh(agent).state == AgentState.PUBLISHED


def test_what_stays_inside_is_published_without_that(alice: Caller, board: Board) -> None:
    agent = make_agent(alice, board, permissions={"read_files": "allowed"}, is_published=False)

    form = form_of(browser(alice).get(url("publish-agent", agent.pk)), url("publish-agent", agent.pk))

    assert "confirm" not in form


def test_a_draft_that_was_changed_since_is_shown_again_and_not_published(alice: Caller, agent: Agent) -> None:
    client, action = browser(alice), url("publish-agent", agent.pk)
    form = form_of(client.get(action), action)
    write_draft(alice, board=agent.board, agent=agent, instructions="Read.\nTaste.")

    refused = client.post(action, form)

    now = fresh(agent)
    assert now.published is not None
    assert (refused.status_code, code_of(refused), now.published.n) == (409, "PREVIEW_CHANGED", 1)
    assert "Added: </span>Taste." in text_of(refused)


@pytest.mark.requirement("C089")
def test_an_answer_that_is_sent_twice_publishes_once(alice: Caller, agent: Agent) -> None:
    client, action = browser(alice), url("publish-agent", agent.pk)
    form = form_of(client.get(action), action)

    answers = [client.post(action, form).status_code for _ in range(2)]
    late = client.post(action, {**form, "request_id": ""})

    assert answers == [302, 302]
    assert (late.status_code, code_of(late)) == (409, "PREVIEW_CHANGED")
    assert "There is no draft to publish" in text_of(late)


@pytest.mark.requirement("A016", "A017")
def test_an_agent_is_paused_and_resumed_where_it_stands(alice: Caller, agent: Agent) -> None:
    client, page = browser(alice), url("agent", agent.pk)
    states = []

    for name in ("pause-agent", "resume-agent"):
        action = url(name, agent.pk)
        answer = client.post(action, form_of(client.get(page), action), headers=HTMX)
        states.append((answer.status_code, fresh(agent).state))

    assert states == [(200, AgentState.PAUSED), (200, AgentState.PUBLISHED)]


def test_a_button_of_an_old_page_says_that_the_state_is_another(alice: Caller, agent: Agent) -> None:
    client, action = browser(alice), url("pause-agent", agent.pk)
    form = form_of(client.get(url("agent", agent.pk)), action)
    pause_agent(alice, agent=agent)

    refused = client.post(action, form, headers=HTMX)

    assert (refused.status_code, code_of(refused)) == (409, "AGENT_STATE")
    assert has_form(refused, url("resume-agent", agent.pk))


@pytest.mark.requirement("A018")
def test_retiring_names_the_rule_that_holds_it_and_works_once_that_is_paused(alice: Caller, agent: Agent) -> None:
    doing, done = stage_of(agent.board, StageRole.MIDDLE), stage_of(agent.board, StageRole.DONE)
    rule = make_rule(alice, agent.board, from_stage=doing, agent=agent, to_stage=done)
    client, action = browser(alice), url("retire-agent", agent.pk)
    asked = client.get(action)

    refused = client.post(action, form_of(asked, action), headers=HTMX)
    pause_rule(alice, rule=rule)
    answer = client.post(action, form_of(client.get(action), action))
    page = client.get(url("agent", agent.pk))

    assert "Doing → Researcher → Done" in text_of(asked)
    assert (refused.status_code, code_of(refused)) == (409, "AGENT_IN_USE")
    assert (answer.status_code, fresh(agent).state) == (302, AgentState.RETIRED)
    assert [has_form(page, url(name, agent.pk)) for name in ("pause-agent", "resume-agent")] == [False, False]
    assert url("edit-agent", agent.pk) not in text_of(page)
    assert [code_of(client.get(one)) for one in (action, url("edit-agent", agent.pk))] == ["AGENT_RETIRED"] * 2


def test_retiring_says_what_it_ends(alice: Caller, line: Line) -> None:
    waiting = line.start()
    pause_rule(alice, rule=line.rule)
    Turn.objects.filter(pk=waiting.pk).update(state=TurnState.SENDING, finished_at=None)

    asked = text_of(browser(alice).get(url("retire-agent", line.agent.pk)))

    assert "It is at work on 1 card" in asked
    assert "that is canceled" not in asked


@pytest.mark.requirement("I005", "A024")
def test_who_pays_is_told_with_the_reason_and_a_binding_asks_to_publish_again(alice: Caller, line: Line) -> None:
    client, page = browser(alice), url("agent", line.agent.pk)
    assert line.account is not None
    by_board = text_of(client.get(page))

    bind_account(alice, account=line.account, scope=BindingScope.AGENT, agent=line.agent)
    by_agent = client.get(page)
    action = url("publish-agent", line.agent.pk)
    asked = client.get(action)
    client.post(action, form_of(asked, action))

    assert "because it is bound to this board" in by_board
    assert "because it is bound to this agent" in text_of(by_agent)
    assert "It has to be published again." in text_of(by_agent)
    assert "The version that works is published again" in text_of(asked)
    assert fresh(line.agent).needs_publish is False


def test_nobody_pays_is_said_too(alice: Caller, agent: Agent) -> None:
    assert "No AI account pays for this agent yet" in text_of(browser(alice).get(url("agent", agent.pk)))
