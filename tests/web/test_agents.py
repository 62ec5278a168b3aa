"""The agents of a board and the page of one: what they do, what they did, and who may look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from agents.models import Agent, ModelCall, Turn
from agents.services.agents import publish_agent, write_draft
from agents.states import TurnState
from bakedbrie.lib import clock, ids
from boards.models import Board
from boards.states import StageRole
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card, stage_of
from tests.factories.workflows import Line, make_line, make_rule
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import HTMX, code_of, text_of, url
from workflows.services.agents import retire_agent
from workspaces.caller import Caller
from workspaces.models import Workspace

HOSTILE = '<script>alert("1")</script>'


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, name="Bread", members=[mia.member, vic.member])


@pytest.fixture
def line(alice: Caller, vic: Caller, settings: Settings) -> Iterator[Line]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        made = make_line(alice, provider)
        made.let_in(vic)
        yield made


def settle(turn: Turn, state: TurnState = TurnState.DONE, *, cost: int | None = 4_200, took_s: int = 65) -> Turn:
    """Leave a turn and its one call as a worker would have."""
    now = clock.now()
    sent_at = now - timedelta(seconds=took_s)
    Turn.objects.filter(pk=turn.pk).update(state=state, sent_at=sent_at, settled_at=now, finished_at=now)
    ModelCall.objects.create(
        turn=turn,
        n=1,
        attempt=ids.new_id(),
        provider="anthropic",
        model="claude-test",
        sent_at=sent_at,
        input_tokens=1_200,
        output_tokens=30,
        cost_micros=cost,
    )
    return turn


def start_another(line: Line) -> Turn:
    """Start the agent on a further card."""
    line.card = make_card(line.caller, line.board, title="Another card")
    return line.start()


def add_turns(line: Line, count: int) -> None:
    first = start_another(line)
    for n in range(count):
        turn = Turn.objects.create(
            card=make_card(line.caller, line.board, title=f"Card {n}"),
            iteration=first.iteration,
            agent=line.agent,
            version=first.version,
            state=TurnState.QUEUED,
            finished_at=clock.now(),
        )
        settle(turn)


@pytest.mark.requirement("A001")
def test_the_list_holds_the_agents_of_one_board_with_their_state(vic: Caller, alice: Caller, board: Board) -> None:
    scout = make_agent(alice, board, name=HOSTILE)
    write_draft(alice, board=board, agent=scout, instructions="Newer.")
    make_agent(alice, board, name="Writer", is_published=False)
    make_agent(alice, make_board(alice, name="Closed"), name="Secret")

    answer = browser(vic).get(url("agents", board.pk))

    page = text_of(answer)
    assert [(one.agent.name, one.agent.state) for one in answer.context["lines"]] == [
        (HOSTILE, "published"),
        ("Writer", "draft"),
    ]
    assert "<script>alert" not in page
    assert page.count("Newer draft") == 1
    assert url("new-agent", board.pk) not in page


def test_the_list_says_where_each_works_what_it_is_at_and_what_it_cost(vic: Caller, line: Line) -> None:
    settle(line.start(), cost=4_200)
    settle(start_another(line), cost=None)
    turn = start_another(line)
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.SENDING, sent_at=clock.now())

    answer = browser(vic).get(url("agents", line.board.pk))

    activity = answer.context["lines"][0].activity
    assert "Works in “Doing”" in text_of(answer)
    assert "At work on “Another card”" in text_of(answer)
    assert (activity.working, activity.waiting) == (1, 0)
    assert (activity.cost_micros, activity.unknown_calls) == (4_200, 1)
    assert "$0.0042 in 30 days, and 1 call whose cost is not known" in text_of(answer)


def test_what_was_paid_long_ago_is_not_recent(vic: Caller, line: Line) -> None:
    turn = settle(line.start())
    ModelCall.objects.filter(turn=turn).update(sent_at=clock.now() - timedelta(days=31))

    assert "No cost in 30 days" in text_of(browser(vic).get(url("agents", line.board.pk)))


def test_an_empty_list_teaches_and_leads_on(mia: Caller, alice: Caller, board: Board) -> None:
    pages = [text_of(browser(who).get(url("agents", board.pk))) for who in (alice, mia)]

    assert ["No agent works on this board yet." in page for page in pages] == [True, True]
    assert [url("new-agent", board.pk) in page for page in pages] == [True, False]


@pytest.mark.requirement("A018")
def test_retired_agents_are_a_list_of_their_own(vic: Caller, alice: Caller, board: Board) -> None:
    retired = retire_agent(alice, agent=make_agent(alice, board, name="Old helper"))
    client = browser(vic)

    now, before = client.get(url("agents", board.pk)), client.get(url("agents", board.pk), {"show": "retired"})

    assert [list(page.context["lines"]) == [] for page in (now, before)] == [True, False]
    assert "1 retired agent" in text_of(now)
    assert [one.agent for one in before.context["lines"]] == [retired]


@pytest.mark.requirement("A025")
def test_the_page_lists_turns_with_version_tokens_cost_and_duration(vic: Caller, line: Line) -> None:
    settle(line.start(), TurnState.DONE)
    settle(start_another(line), TurnState.FAILED, cost=None)

    answer = browser(vic).get(url("agent", line.agent.pk))

    page = text_of(answer)
    assert [row["turn"].state for row in answer.context["turns"]] == ["failed", "done"]
    assert page.count("1,200 tokens in · 30 out") == 2
    assert ("cost $0.0042" in page, "cost unknown" in page, "1 min 5 s" in page) == (True, True, True)
    assert url("card", line.card.pk) in page


def test_turns_come_in_pages_that_hold_each_once(vic: Caller, line: Line) -> None:
    add_turns(line, 25)
    client = browser(vic)

    first = client.get(url("agent", line.agent.pk))
    rest = client.get(url("agent", line.agent.pk), {"cursor": first.context["next_cursor"]})

    shown = [row["turn"].pk for page in (first, rest) for row in page.context["turns"]]
    assert [len(page.context["turns"]) for page in (first, rest)] == [20, 6]
    assert sorted(shown, reverse=True) == shown
    assert rest.context["next_cursor"] is None
    assert "Earlier turns" in text_of(rest)


def test_a_cursor_that_is_none_is_refused(vic: Caller, line: Line) -> None:
    refused = browser(vic).get(url("agent", line.agent.pk), {"cursor": "made up"})

    assert (refused.status_code, code_of(refused)) == (400, "INVALID_INPUT")


def test_what_was_published_once_stays_to_be_read(vic: Caller, alice: Caller, board: Board) -> None:
    agent = make_agent(alice, board, instructions="First.")
    for text in ("Second.", "Third."):
        write_draft(alice, board=board, agent=agent, instructions=text)
        agent = publish_agent(alice, agent=Agent.objects.get(pk=agent.pk))
    client = browser(vic)

    listed = client.get(url("agent-versions", agent.pk))
    second = text_of(client.get(url("agent-version", agent.pk, 2)))
    absent = [client.get(url("agent-version", agent.pk, n)) for n in ("4", "0", "-1", "x", "9" * 400)]

    assert [version.n for version in listed.context["versions"]] == [3, 2, 1]
    assert ("Removed: </span>First." in second, "Added: </span>Second." in second) == (True, True)
    assert [code_of(one) for one in absent] == ["NOT_FOUND"] * 5


def test_a_piece_of_the_page_is_given_to_htmx(vic: Caller, line: Line) -> None:
    client = browser(vic)

    pieces = [client.get(page, headers=HTMX) for page in (url("agents", line.board.pk), url("agent", line.agent.pk))]

    assert ["<html" in text_of(piece) for piece in pieces] == [False, False]


@pytest.mark.requirement("A023", "W028")
def test_without_the_capability_there_is_no_tab_and_no_page(alice: Caller, board: Board) -> None:
    agent = make_agent(alice, board)
    client = browser(alice)
    before = text_of(client.get(url("board", board.pk)))
    Workspace.objects.update(capabilities=["control"])

    after = text_of(client.get(url("board", board.pk)))
    refused = [client.get(url("agents", board.pk)), client.get(url("agent", agent.pk))]
    posted = client.post(url("pause-agent", agent.pk))

    assert [url("agents", board.pk) in page for page in (before, after)] == [True, False]
    assert [code_of(one) for one in (*refused, posted)] == ["CAPABILITY_OFF"] * 3


def test_the_list_takes_as_many_queries_for_many_agents_as_for_one(
    alice: Caller, board: Board, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    doing, done = stage_of(board, StageRole.MIDDLE), stage_of(board, StageRole.DONE)
    make_rule(alice, board, from_stage=doing, agent=make_agent(alice, board), to_stage=done)
    with django_assert_max_num_queries(12) as one:
        client.get(url("agents", board.pk))
    for n in range(8):
        agent = make_agent(alice, board, name=f"Agent {n}")
        make_rule(alice, board, from_stage=doing, agent=agent, to_stage=done, is_published=False)

    with django_assert_max_num_queries(12) as many:
        client.get(url("agents", board.pk))

    assert len(many) == len(one)


def test_the_page_takes_as_many_queries_for_many_turns_as_for_one(
    alice: Caller, line: Line, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    settle(line.start())
    with django_assert_max_num_queries(16) as one:
        client.get(url("agent", line.agent.pk))
    add_turns(line, 15)

    with django_assert_max_num_queries(16) as many:
        client.get(url("agent", line.agent.pk))

    assert len(many) == len(one)


@pytest.mark.requirement("I005")
def test_who_pays_leads_to_the_account_that_does(vic: Caller, line: Line) -> None:
    client = browser(vic)
    page = text_of(client.get(url("agent", line.agent.pk)))
    way = f"{url('ai-accounts')}?of=agent/{line.agent.pk}"

    answer = client.get(way)

    assert f'href="{way}#who-pays"' in page
    assert (answer.status_code, "Bakery key" in text_of(answer)) == (200, True)


@pytest.mark.requirement("A004")
def test_what_has_no_effect_is_told_beside_what_was_given(alice: Caller, board: Board) -> None:
    given = {"read_files": "allowed", "web": "allowed"}
    agent = make_agent(alice, board, permissions=given)
    client = browser(alice)

    with_files = text_of(client.get(url("agent", agent.pk)))
    Workspace.objects.update(capabilities=["agents", "control"])
    without = [text_of(client.get(page)) for page in (url("agent", agent.pk), url("edit-agent", agent.pk))]

    assert with_files.count("no effect in this version") == 1
    assert "while files are off" not in with_files
    assert ["while files are off" in page for page in without] == [True, True]


def test_a_card_and_its_column_lead_to_the_agent(vic: Caller, line: Line) -> None:
    line.start()
    client = browser(vic)

    pages = [client.get(url("board", line.board.pk)), client.get(url("card", line.card.pk))]

    assert [url("agent", line.agent.pk) in text_of(page) for page in pages] == [True, True]
