"""Rules are drawn, written, published after what they will do was shown, and paused, on the pages of their board."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from agents.models import Agent
from agents.services.agents import pause_agent, publish_agent, write_draft
from agents.states import TurnState
from boards.models import Board
from boards.services.boards import set_archived
from boards.services.members import add_board_member
from boards.services.stages import add_stage, delete_stage
from boards.states import StageRole
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card, stage_of
from tests.factories.workflows import Line, make_line, make_rule
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workflows.models import Rule, RuleDraft
from workflows.services.rules import pause_rule, publish_rule, write_rule_draft
from workflows.services.turns import finish_turn
from workflows.states import RuleState
from workspaces.caller import Caller
from workspaces.models import Workspace

HOSTILE = '<script>alert("1")</script>'


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


@pytest.fixture
def line(alice: Caller, settings: Settings) -> Iterator[Line]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        yield make_line(alice, provider)


def publish(client: Client, rule: Rule, **headers: str) -> Any:
    action = url("publish-rule", rule.pk)
    return client.post(action, form_of(client.get(action), action), headers=headers)


def next_step(client: Client, board: Board) -> tuple[str, str]:
    step = client.get(url("rules", board.pk)).context["page"].lines[0].next_step
    return step.at, step.text


@pytest.mark.requirement("R001", "R014")
def test_a_rule_is_told_in_words_with_its_state_and_who_pays(line: Line) -> None:
    line.start()

    answer = browser(line.caller).get(url("rules", line.board.pk))

    seen = answer.context["page"].lines[0]
    assert "When a card enters “Doing”, Researcher works on it; then it goes to “Done”." in text_of(answer)
    assert (seen.waiting, seen.working, seen.payer, seen.last, seen.change) == (1, 0, line.account, None, None)
    assert seen.next_step.at == ""


@pytest.mark.requirement("R032")
def test_the_last_turn_and_the_last_error_stand_at_the_rule(line: Line) -> None:
    turn = line.start()
    line.run(turn)
    finish_turn(turn.pk)
    Rule.objects.filter(pk=line.rule.pk).update(last_error="NO_PROGRESS", last_error_at=turn.created_at)

    answer = browser(line.caller).get(url("rules", line.board.pk))

    seen = answer.context["page"].lines[0]
    assert (seen.last, seen.last.state, seen.next_step.at) == (turn, TurnState.DONE, "card")
    assert "left the same result again and again" in text_of(answer)
    assert url("card", line.card.pk) in text_of(answer)


def test_what_is_missing_for_a_first_rule_is_linked(alice: Caller, vic: Caller, board: Board) -> None:
    client, address = browser(alice), url("rules", board.pk)
    seen = [client.get(address)]
    agent = make_agent(alice, board, is_published=False)
    seen.append(client.get(address))
    publish_agent(alice, agent=agent)
    seen.append(client.get(address))
    looked_on = browser(vic).get(address)

    found = [answer.context["page"].beginning for answer in seen]
    assert [(one.has_agent, one.is_published, one.has_payer) for one in found] == [
        (False, False, False),
        (True, False, False),
        (True, True, False),
    ]
    assert url("new-agent", board.pk) in text_of(seen[0])
    assert [url("new-rule", board.pk) in text_of(answer) for answer in (*seen, looked_on)] == [False, True, True, False]


@pytest.mark.requirement("R003")
def test_publishing_says_who_works_who_pays_and_what_is_not_started(line: Line) -> None:
    assert line.account is not None
    pause_rule(line.caller, rule=line.rule)
    make_card(line.caller, line.board, stage=line.doing)
    client = browser(line.caller)

    shown = client.get(url("publish-rule", line.rule.pk), headers=HTMX)
    answer = publish(client, line.rule, **HTMX)

    line.rule.refresh_from_db()
    assert shown.context["publication"].sentences == (
        "From then on the agent “Researcher”, version 1, works on every card that enters “Doing”.",
        f"The AI account “Bakery key” ({line.account.model}) pays for each of them.",
        "Then the card goes to “Done” and is done.",
        "1 card stands in “Doing” already, which starts nothing: move a card to another column and back to start it.",
    )
    assert (answer.status_code, "bakedbrie:changed" in answer["HX-Trigger"]) == (204, True)
    assert (line.rule.state, line.rule.version) == (RuleState.PUBLISHED, 2)


@pytest.mark.requirement("R005")
def test_without_an_account_it_is_published_and_the_page_says_that_cards_wait(alice: Caller, rule: Rule) -> None:
    client = browser(alice)

    shown = client.get(url("publish-rule", rule.pk))
    answer = publish(client, rule)

    rule.refresh_from_db()
    assert "No AI account pays for this agent yet: cards wait until one is bound." in text_of(shown)
    assert (answer["Location"], rule.state) == (url("rules", rule.board_id), RuleState.PUBLISHED)


def test_a_circle_of_rules_is_told_before_it_is_published(alice: Caller, board: Board, rule: Rule) -> None:
    todo, doing = stage_of(board), stage_of(board, StageRole.MIDDLE)
    write_rule_draft(alice, board=board, rule=rule, from_stage=doing, agent=rule.agent, to_stage=todo)
    make_rule(alice, board, from_stage=todo, agent=rule.agent, to_stage=doing)

    sentences = browser(alice).get(url("publish-rule", rule.pk)).context["publication"].sentences

    assert "Then the card goes to “To do”, where “Scout” works on it." in sentences
    assert "The rules then send a card around, up to 50 turns in one round. Each turn is paid for." in sentences


@pytest.mark.requirement("A013")
def test_what_stands_against_publishing_is_said_instead_of_the_button(
    alice: Caller, board: Board, rule: Rule, agent: Agent
) -> None:
    client = browser(alice)
    drafted = make_agent(alice, board, name="Draftsman", is_published=False)
    todo, done = stage_of(board), stage_of(board, StageRole.DONE)
    unready = make_rule(alice, board, from_stage=todo, agent=drafted, to_stage=done, is_published=False)
    make_rule(alice, board, from_stage=rule.from_stage, agent=agent, to_stage=todo)

    answers = [client.get(url("publish-rule", one.pk)) for one in (unready, rule)]

    assert [(one.status_code, code_of(one)) for one in answers] == [
        (409, "AGENT_NOT_PUBLISHED"),
        (409, "RULE_STAGE_TAKEN"),
    ]
    assert ["confirm-publish" in text_of(one) for one in answers] == [False, False]


def test_what_changed_since_it_was_shown_is_shown_again(alice: Caller, board: Board, rule: Rule) -> None:
    client, action = browser(alice), url("publish-rule", rule.pk)
    form = form_of(client.get(action), action)
    todo, doing = stage_of(board), stage_of(board, StageRole.MIDDLE)
    write_rule_draft(alice, board=board, rule=rule, from_stage=doing, agent=rule.agent, to_stage=todo)

    refused = client.post(action, form)
    published = client.post(action, form_of(refused, action))

    rule.refresh_from_db()
    assert (refused.status_code, code_of(refused)) == (409, "PREVIEW_CHANGED")
    assert (published.status_code, rule.state, rule.to_stage) == (302, RuleState.PUBLISHED, todo)


@pytest.mark.requirement("C089", "W059")
def test_a_form_sent_twice_publishes_once(alice: Caller, rule: Rule) -> None:
    client, action = browser(alice), url("publish-rule", rule.pk)
    form = form_of(client.get(action), action)

    answers = [client.post(action, form) for _ in range(2)]

    rule.refresh_from_db()
    assert ([one.status_code for one in answers], rule.version) == ([302, 302], 1)


def test_a_published_rule_goes_on_beside_its_draft(alice: Caller, board: Board, rule: Rule, agent: Agent) -> None:
    publish_rule(alice, rule=rule)
    client, action = browser(alice), url("edit-rule", rule.pk)
    todo = stage_of(board)

    saved = client.post(action, form_of(client.get(action), action) | {"to_stage_id": str(todo.pk)})
    page = client.get(url("rules", board.pk))
    publish(client, rule)

    rule.refresh_from_db()
    assert saved["Location"] == url("rules", board.pk)
    assert ["then it goes to “Done”." in text_of(page), "then it goes to “To do”." in text_of(page)] == [True, True]
    assert page.context["page"].lines[0].next_step.at == "publish"
    assert (rule.to_stage, rule.version, RuleDraft.objects.count()) == (todo, 2, 0)


@pytest.mark.requirement("R003")
def test_pausing_says_which_cards_are_let_go(line: Line) -> None:
    line.start()
    client, action = browser(line.caller), url("pause-rule", line.rule.pk)

    asked = client.get(action, headers=HTMX)
    answer = client.post(action, form_of(asked, action), headers=HTMX)
    again = client.post(action)

    line.rule.refresh_from_db()
    assert "1 card is still in line for Researcher" in text_of(asked)
    assert (answer.status_code, line.rule.state) == (204, RuleState.PAUSED)
    assert (again.status_code, code_of(again)) == (409, "RULE_STATE")


def test_each_rule_says_the_next_step(alice: Caller, board: Board, rule: Rule, agent: Agent) -> None:
    client = browser(alice)
    seen = [next_step(client, board)[0]]
    publish_rule(alice, rule=rule)
    seen.append(next_step(client, board)[0])
    pause_agent(alice, agent=agent)
    seen.append(next_step(client, board)[0])
    Workspace.objects.update(dispatch_paused=True)
    seen.append(next_step(client, board)[0])

    assert seen == ["publish", "accounts", "agent", "settings"]


def test_a_rule_whose_next_column_was_deleted_asks_for_another(alice: Caller, board: Board, agent: Agent) -> None:
    gone = add_stage(alice, board=board, name="Check")
    rule = make_rule(alice, board, from_stage=stage_of(board, StageRole.MIDDLE), agent=agent, to_stage=gone)
    delete_stage(alice, stage=gone)
    client = browser(alice)

    page = client.get(url("rules", board.pk))
    refused = client.get(url("publish-rule", rule.pk))

    assert page.context["page"].lines[0].next_step.at == "edit"
    assert "its next column was deleted" in text_of(page)
    assert (refused.status_code, code_of(refused)) == (409, "STAGE_GONE")


@pytest.mark.requirement("W002", "W004")
def test_members_look_and_managers_change(
    mia: Caller, charlie: Caller, alice: Caller, board: Board, rule: Rule
) -> None:
    addresses = [url("new-rule", board.pk), url("edit-rule", rule.pk), url("publish-rule", rule.pk)]
    seen = browser(mia).get(url("rules", board.pk))
    refused = [browser(mia).post(address) for address in (*addresses, url("pause-rule", rule.pk))]
    stranger = [browser(charlie).get(address) for address in (*addresses, url("rules", board.pk))]
    add_board_member(alice, board=board, member=mia.member, is_manager=True)
    managed = browser(mia).get(url("rules", board.pk))

    assert [url("edit-rule", rule.pk) in text_of(page) for page in (seen, managed)] == [False, True]
    assert [code_of(one) for one in refused] == ["NOT_BOARD_MANAGER"] * 4
    assert [code_of(one) for one in stranger] == ["NOT_FOUND"] * 4
    assert (Rule.objects.count(), Rule.objects.get().state) == (1, RuleState.DRAFT)


@pytest.mark.requirement("W029")
def test_while_rules_are_off_their_pages_are(alice: Caller, board: Board, rule: Rule) -> None:
    off = [name for name in alice.workspace.capabilities if name != "triggers"]
    Workspace.objects.filter(pk=alice.workspace.pk).update(capabilities=off)
    client = browser(alice)

    answers = [client.get(url("rules", board.pk)), client.post(url("publish-rule", rule.pk))]
    cards = client.get(url("board", board.pk))

    assert [(one.status_code, code_of(one)) for one in answers] == [(403, "CAPABILITY_OFF")] * 2
    assert url("rules", board.pk) not in text_of(cards)


def test_on_an_archived_board_rules_are_read_only(alice: Caller, board: Board, rule: Rule) -> None:
    set_archived(alice, board=board, is_archived=True)
    client = browser(alice)

    page = client.get(url("rules", board.pk))
    answers = [client.get(url(name, rule.pk)) for name in ("edit-rule", "publish-rule")]

    assert (page.status_code, url("edit-rule", rule.pk) in text_of(page)) == (200, False)
    assert code_of(answers[1]) == "BOARD_ARCHIVED"
    assert [one.status_code for one in answers] == [409, 409]


def test_names_are_text(alice: Caller, board: Board) -> None:
    agent = make_agent(alice, board, name=HOSTILE)
    doing, done = (stage_of(board, role) for role in (StageRole.MIDDLE, StageRole.DONE))
    rule = make_rule(alice, board, from_stage=doing, agent=agent, to_stage=done, is_published=False)
    client = browser(alice)

    pages = [
        client.get(url(*page))
        for page in (("rules", board.pk), ("edit-rule", rule.pk), ("publish-rule", rule.pk), ("new-rule", board.pk))
    ]

    assert ["<script>alert" in text_of(page) for page in pages] == [False] * 4
    assert has_form(pages[1], url("edit-rule", rule.pk))


def test_the_list_takes_as_many_queries_for_many_rules_as_for_one(
    alice: Caller, board: Board, agent: Agent, rule: Rule, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    with django_assert_max_num_queries(20) as one:
        client.get(url("rules", board.pk))
    for n in range(6):
        stage = add_stage(alice, board=board, name=f"Column {n}")
        made = make_rule(alice, board, from_stage=stage, agent=agent, to_stage=stage_of(board))
        write_rule_draft(
            alice, board=board, rule=made, from_stage=stage, agent=agent, to_stage=stage_of(board, StageRole.DONE)
        )
    write_draft(alice, board=board, agent=agent, instructions="Twice.")

    with django_assert_max_num_queries(20) as many:
        client.get(url("rules", board.pk))

    assert len(many) == len(one)


def test_a_long_list_of_rules_has_a_next_page(alice: Caller, board: Board, agent: Agent) -> None:
    doing, done = (stage_of(board, role) for role in (StageRole.MIDDLE, StageRole.DONE))
    for _ in range(51):
        make_rule(alice, board, from_stage=doing, agent=agent, to_stage=done, is_published=False)
    client, address = browser(alice), url("rules", board.pk)

    first = client.get(address).context["page"]
    second = client.get(address, {"cursor": first.next_cursor}).context["page"]

    assert (len(first.lines), len(second.lines), second.next_cursor) == (50, 1, None)
    assert client.get(address, {"cursor": "made up"}).status_code == 400
