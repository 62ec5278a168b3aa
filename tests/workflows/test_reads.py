"""What read_board, read_card and list_triggers show, in as many queries for much as for little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from boards.access import get_card
from boards.services.boards import edit_board
from boards.services.comments import add_comment
from boards.services.stages import add_stage
from tests.factories.agents import make_agent
from tests.factories.boards import make_card, make_file
from tests.factories.destinations import bare_destination
from tests.factories.reviews import give_folder, switch_on
from tests.factories.workflows import Line, make_line, make_rule
from tests.factories.workspaces import caller_of
from tests.support.fake_provider import OVERLOADED, FakeProvider
from tests.support.jobs import Ran
from workflows.inputs import BoardIn, ListTriggersIn, ReadCardIn
from workflows.selectors.boards import board_overview, board_page
from workflows.selectors.cards import card_page
from workflows.services.rules import pause_rule, write_rule_draft
from workflows.services.turns import run_again
from workflows.tools.boards import read_board
from workflows.tools.cards import read_card
from workflows.tools.workflows import list_triggers
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]


def queries_of(read: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as seen:
        read()
    return len(seen)


@pytest.mark.requirement("B001", "B007", "B044")
def test_read_board_shows_columns_agents_rules_members_and_guidelines(line: Line, mia: Caller) -> None:
    line.let_in(mia)
    edit_board(line.caller, board=line.board, expected_revision=None, guidelines="Be brief.")

    shown = read_board(line.caller, BoardIn(board_id=str(line.board.pk)))["board"]

    assert [(stage["name"], stage["cards"], stage["rule_id"]) for stage in shown["stages"]] == [
        ("To do", 1, None),
        ("Doing", 0, str(line.rule.pk)),
        ("Done", 0, None),
    ]
    assert [(agent["name"], agent["state"], agent["version"]) for agent in shown["agents"]] == [
        ("Researcher", "published", 1)
    ]
    assert [(rule["from_stage"]["name"], rule["state"], rule["to_stage"]["name"]) for rule in shown["rules"]] == [
        ("Doing", "published", "Done")
    ]
    assert [(member["name"], member["is_manager"]) for member in shown["members"]] == [
        ("Alice Archer", True),
        ("Mia Moreau", False),
    ]
    assert (shown["guidelines"], shown["revision"], shown["dispatch_paused"]) == ("Be brief.", 2, False)
    assert shown["is_shared"] is True


@pytest.mark.requirement("B002")
def test_read_board_names_work_folder_reviewer_and_destination_while_they_count(line: Line, mia: Caller) -> None:
    line.let_in(mia)
    bare = _read(line.caller, line)
    give_folder(line, reviewer=mia.member)
    destination = bare_destination(line.caller, line.board)
    switch_on(line.caller, "destinations")

    shown = _read(line.caller, line)
    for name in ("destinations", "reviews"):
        switch_capability(line.caller, name=name, is_on=False)
    off = _read(caller_of(line.caller.member), line)

    assert (bare["work_folder"], bare["destination"]) == (None, None)
    assert shown["work_folder"] == {
        "storage": "hosted",
        "destination": None,
        "reviewer": {"member_id": str(mia.member.pk), "name": "Mia Moreau"},
        "inbox": "attach",
    }
    assert shown["destination"] == {
        "id": str(destination.pk),
        "name": "Website",
        "type": "s3",
        "state": "on",
        "target": "https://absent.invalid/cheese/out/",
    }
    assert (off["work_folder"], off["destination"]) == (None, None)


def _read(caller: Caller, line: Line) -> dict[str, Any]:
    shown: dict[str, Any] = read_board(caller, BoardIn(board_id=str(line.board.pk)))["board"]
    return shown


@pytest.mark.requirement("W027")
def test_read_board_shows_only_its_columns_while_control_is_off(line: Line) -> None:
    switch_capability(line.caller, name="control", is_on=False)
    caller = Caller(workspace=line.caller.workspace, member=line.caller.member, actor=line.caller.actor)
    caller.workspace.refresh_from_db()

    shown = read_board(caller, BoardIn(board_id=str(line.board.pk)))["board"]

    assert set(shown) == {"id", "name", "stages"}
    assert [set(stage) for stage in shown["stages"]] == [{"id", "name", "role", "cards"}] * 3


def test_a_board_takes_as_many_queries_with_much_on_it_as_with_little(line: Line) -> None:
    overview = queries_of(lambda: board_overview(line.caller, line.board))
    page = queries_of(lambda: board_page(line.caller, line.board))

    for n in range(4):
        stage = add_stage(line.caller, board=line.board, name=f"Column {n}")
        agent = make_agent(line.caller, line.board, name=f"Agent {n}")
        make_rule(line.caller, line.board, from_stage=stage, agent=agent, to_stage=line.done)
        make_card(line.caller, line.board, title=f"Card {n}")

    assert (overview, page) == (6, 3)
    assert queries_of(lambda: board_overview(line.caller, line.board)) == overview
    assert queries_of(lambda: board_page(line.caller, line.board)) == page
    assert queries_of(lambda: read_board(line.caller, BoardIn(board_id=str(line.board.pk)))) == overview + 1
    give_folder(line)
    bare_destination(line.caller, line.board)
    switch_on(line.caller, "destinations")
    assert queries_of(lambda: read_board(line.caller, BoardIn(board_id=str(line.board.pk)))) == overview + 3


def test_the_board_page_knows_who_may_write(line: Line, mia: Caller, vic: Caller) -> None:
    line.let_in(mia)
    line.let_in(vic)

    rights = [board_page(caller, line.board) for caller in (line.caller, mia, vic)]

    assert [page.can_write for page in rights] == [True, True, False]


def test_read_card_shows_all_that_is_on_a_card(line: Line, drain_jobs: Drain) -> None:
    add_comment(line.caller, card=line.card, text="Look at the price.")
    make_file(line.caller, line.card)
    line.start()
    drain_jobs()

    shown = read_card(line.caller, ReadCardIn(card_id=str(line.card.pk)))["card"]

    (turn,) = shown["turns"]
    assert (shown["title"], shown["state"], shown["stage_id"]) == ("Compare three tools", "done", str(line.done.pk))
    assert shown["revision"] == line.fresh_card().revision
    assert [comment["text"] for comment in shown["comments"]] == ["Look at the price."]
    assert [file["name"] for file in shown["files"]] == ["notes.md"]
    assert (shown["result"]["markdown"], shown["result"]["made_by"]["kind"]) == ("Finished work.", "agent")
    assert (turn["state"], turn["input_tokens"], turn["output_tokens"]) == ("done", 1200, 300)
    assert (turn["agent"], turn["agent_version"], turn["holds_card"]) == ("Researcher", 1, False)
    assert turn["cost_micros"] is None or turn["cost"].startswith("$")
    assert shown["history"]["events"][0]["kind"] == "card_moved"


def test_an_unknown_cost_is_shown_as_unknown(line: Line, drain_jobs: Drain) -> None:
    line.provider.drop_connection()
    line.start()
    drain_jobs()

    (turn,) = read_card(line.caller, ReadCardIn(card_id=str(line.card.pk)))["card"]["turns"]

    assert (turn["state"], turn["cost_micros"], turn["cost"], turn["input_tokens"]) == ("unknown", None, None, None)


def test_the_history_is_read_page_by_page(line: Line) -> None:
    for n in range(60):
        add_comment(line.caller, card=line.card, text=f"Comment {n}")

    first = read_card(line.caller, ReadCardIn(card_id=str(line.card.pk)))["card"]["history"]
    rest = read_card(line.caller, ReadCardIn(card_id=str(line.card.pk), history_cursor=first["next_cursor"]))
    second = rest["card"]["history"]

    assert (len(first["events"]), len(second["events"]), second["next_cursor"]) == (50, 11, None)
    assert not {event["id"] for event in first["events"]} & {event["id"] for event in second["events"]}


def test_a_card_takes_as_many_queries_with_much_on_it_as_with_little(line: Line, drain_jobs: Drain) -> None:
    line.provider.script(OVERLOADED, OVERLOADED, OVERLOADED)
    turn = line.start()
    drain_jobs()
    card = get_card(line.caller, line.card.pk)
    little = queries_of(lambda: card_page(line.caller, card))

    for n in range(3):
        add_comment(line.caller, card=card, text=f"Comment {n}")
        make_file(line.caller, card, name=f"file {n}.md")
        turn = run_again(line.caller, turn=turn)
        drain_jobs()

    assert little == 8
    assert queries_of(lambda: card_page(line.caller, card)) == little
    assert queries_of(lambda: read_card(line.caller, ReadCardIn(card_id=str(card.pk)))) == little + 1


@pytest.mark.requirement("R014", "R032")
def test_list_triggers_shows_state_next_run_last_error_and_backlog(
    alice: Caller, provider: FakeProvider, drain_jobs: Drain
) -> None:
    line = make_line(alice, provider, pays=False)
    line.start()
    draft = make_rule(alice, line.board, from_stage=line.todo, agent=line.agent, to_stage=line.done, is_published=False)

    triggers = list_triggers(alice, ListTriggersIn())["triggers"]

    assert [
        (one["id"], one["kind"], one["state"], one["next_run_at"], one["last_error"], one["backlog"])
        for one in triggers
    ] == [
        (str(draft.pk), "rule", "draft", None, "", 0),
        (str(line.rule.pk), "rule", "published", None, "", 1),
    ]


@pytest.mark.requirement("R032")
def test_list_triggers_shows_the_last_error_of_a_rule(line: Line, drain_jobs: Drain) -> None:
    line.provider.script(OVERLOADED)
    line.start()
    drain_jobs()

    (trigger,) = list_triggers(line.caller, ListTriggersIn(board_id=str(line.board.pk)))["triggers"]

    assert (trigger["last_error"], trigger["backlog"]) == ("AI_OVERLOADED", 0)
    assert trigger["last_error_at"] is not None


def test_list_triggers_shows_a_draft_beside_what_is_on(line: Line) -> None:
    write_rule_draft(
        line.caller, board=line.board, rule=line.rule, from_stage=line.doing, agent=line.agent, to_stage=line.todo
    )

    (trigger,) = list_triggers(line.caller, ListTriggersIn())["triggers"]

    assert (trigger["to_stage"]["name"], trigger["draft"]["to_stage"]["name"]) == ("Done", "To do")


def test_list_triggers_leaves_out_boards_that_the_caller_cannot_open(line: Line, mia: Caller, charlie: Caller) -> None:
    assert list_triggers(mia, ListTriggersIn()) == {"triggers": []}
    assert list_triggers(charlie, ListTriggersIn()) == {"triggers": []}


def test_list_triggers_takes_as_many_queries_for_many_rules_as_for_one(line: Line) -> None:
    given = ListTriggersIn(board_id=str(line.board.pk))
    one = queries_of(lambda: list_triggers(line.caller, given))

    for n in range(3):
        stage = add_stage(line.caller, board=line.board, name=f"Column {n}")
        rule = make_rule(line.caller, line.board, from_stage=stage, agent=line.agent, to_stage=line.done)
        pause_rule(line.caller, rule=rule)

    assert one == 3
    assert queries_of(lambda: list_triggers(line.caller, given)) == one
