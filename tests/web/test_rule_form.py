"""A rule is written with choices that can work; what cannot is refused in the form."""

from __future__ import annotations

import pytest

from agents.models import Agent
from boards.models import Board, Stage
from boards.states import StageRole
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, stage_of
from tests.factories.reviews import switch_on
from tests.factories.workflows import make_rule
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, text_of, url
from workflows.models import Rule, RuleDraft
from workflows.services.rules import publish_rule
from workflows.states import RuleState
from workspaces.caller import Caller


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, name="Bread", members=[mia.member, vic.member])


@pytest.fixture
def agent(alice: Caller, board: Board) -> Agent:
    return make_agent(alice, board, name="Scout")


@pytest.fixture
def rule(alice: Caller, board: Board, agent: Agent) -> Rule:
    doing, done = (stage_of(board, role) for role in (StageRole.MIDDLE, StageRole.DONE))
    return make_rule(alice, board, from_stage=doing, agent=agent, to_stage=done, is_published=False)


def parts(start: Stage, agent: Agent, target: Stage) -> dict[str, str]:
    return {"from_stage_id": str(start.pk), "agent_id": str(agent.pk), "to_stage_id": str(target.pk)}


@pytest.mark.requirement("R002", "R004")
def test_a_new_rule_is_a_draft_and_leads_to_publishing(alice: Caller, board: Board, agent: Agent) -> None:
    client, action = browser(alice), url("new-rule", board.pk)
    doing, done = (stage_of(board, role) for role in (StageRole.MIDDLE, StageRole.DONE))
    form = form_of(client.get(action), action) | parts(doing, agent, done)

    answers = [client.post(action, {**form, "then": "publish"}) for _ in range(2)]

    rule = Rule.objects.get()
    assert [answer["Location"] for answer in answers] == [url("publish-rule", rule.pk)] * 2
    assert (rule.state, rule.from_stage, rule.agent, rule.to_stage) == (RuleState.DRAFT, doing, agent, done)


def test_choices_that_cannot_work_cannot_be_chosen(alice: Caller, board: Board, rule: Rule, agent: Agent) -> None:
    publish_rule(alice, rule=rule)
    make_agent(alice, board, name="Draftsman", is_published=False)
    todo = stage_of(board)

    context = browser(alice).get(url("new-rule", board.pk), {"from_stage_id": str(todo.pk)}).context

    assert [(one.text, one.is_disabled) for one in context["starts"]] == [
        ("To do", False),
        ("Doing (Scout works there)", True),
    ]
    assert [one.text for one in context["agents"]] == ["Scout", "Draftsman (a draft: publish it first)"]
    assert [(one.text, one.is_disabled) for one in context["targets"]] == [
        ("To do (where it starts)", True),
        ("Doing", False),
        ("Done", False),
    ]


def test_while_it_is_chosen_the_form_says_the_rule_in_words(alice: Caller, board: Board, agent: Agent) -> None:
    todo, done = stage_of(board), stage_of(board, StageRole.DONE)

    answer = browser(alice).get(url("new-rule", board.pk), parts(todo, agent, done), headers=HTMX)

    assert "<html" not in text_of(answer)
    assert "When a card enters “To do”, Scout works on it; then it goes to “Done”." in text_of(answer)


def test_wrong_choices_are_refused_in_the_form(alice: Caller, board: Board, agent: Agent, charlie: Caller) -> None:
    client, action = browser(alice), url("new-rule", board.pk)
    todo, done = stage_of(board), stage_of(board, StageRole.DONE)
    foreign = make_board(charlie)
    tried = [
        {"from_stage_id": "", "agent_id": "", "to_stage_id": ""},
        parts(todo, agent, todo),
        parts(done, agent, todo),
        parts(todo, agent, stage_of(foreign)),
    ]

    answers = [client.post(action, form) for form in tried]

    assert [(one.status_code, code_of(one)) for one in answers] == [
        (422, "INVALID_INPUT"),
        (409, "RULE_INVALID"),
        (409, "RULE_INVALID"),
        (422, "INVALID_INPUT"),
    ]
    assert set(answers[0].context["form"].errors) == {"from_stage_id", "agent_id", "to_stage_id"}
    assert set(answers[3].context["form"].errors) == {"to_stage_id"}
    assert Rule.objects.count() == 0


@pytest.mark.requirement("V001")
def test_what_follows_the_work_is_chosen_and_told_before_it_is_published(
    alice: Caller, board: Board, agent: Agent, rule: Rule
) -> None:
    publish_rule(alice, rule=rule)
    switch_on(alice, "reviews", "api_workflow")
    client, action = browser(alice), url("edit-rule", rule.pk)
    form = form_of(client.get(action), action)

    returns = client.post(action, {**form, "on_approval": "return"})
    draft = RuleDraft.objects.get()
    kept = form_of(client.get(action), action)
    unseen = client.post(action, {**kept, "review": "none", "request_id": "2"})
    shown = client.get(url("publish-rule", rule.pk))

    assert (form["review"], form["on_approval"], kept["on_approval"]) == ("folder", "deliver", "return")
    assert [answer.status_code for answer in (returns, unseen)] == [302, 302]
    assert (draft.review, draft.on_approval) == ("folder", "return")
    assert "New after it is finished:</strong> Nobody reviews what it made." in text_of(shown)
    assert "the card moves on" in text_of(shown)
    assert "Nobody reviews what it made." in text_of(client.get(url("rules", board.pk)))


@pytest.mark.requirement("V015")
def test_work_that_nobody_reviews_cannot_be_chosen_without_its_capability(
    alice: Caller, board: Board, agent: Agent
) -> None:
    switch_on(alice, "reviews")
    client, action = browser(alice), url("new-rule", board.pk)
    shown = client.get(action)
    doing, done = (stage_of(board, role) for role in (StageRole.MIDDLE, StageRole.DONE))

    refused = client.post(action, {**form_of(shown, action), **parts(doing, agent, done), "review": "none"})

    assert '<option value="none" disabled>' in text_of(shown)
    assert "needs the capability api_workflow" in text_of(shown)
    assert (refused.status_code, code_of(refused), Rule.objects.count()) == (403, "CAPABILITY_OFF", 0)


def test_while_reviews_are_off_the_form_says_nothing_of_them(alice: Caller, board: Board, agent: Agent) -> None:
    shown = browser(alice).get(url("new-rule", board.pk))

    assert 'name="review"' not in text_of(shown)
