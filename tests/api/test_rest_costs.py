"""What a REST read costs in statements: as much for many rows as for few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from agents.selectors import turns_of
from agents.services.bindings import bind_account
from agents.services.caps import set_monthly_cap
from agents.states import BindingScope
from boards.services.comments import add_comment
from boards.services.members import add_board_member
from tests.factories.agents import make_account, make_agent
from tests.factories.boards import make_board, make_card, make_file
from tests.factories.workflows import Line, make_line, make_rule, publish_again
from tests.factories.workspaces import make_member
from tests.support.cast import api
from tests.support.fake_provider import FakeProvider
from workflows.services.turns import run_again, stop_turn
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.invites import invite_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def line(alice: Caller, settings: Settings) -> Iterator[Line]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        yield make_line(alice, provider)


# The first statement is who calls.
COSTS = {
    "boards": 3,
    "boards/{board}": 5,
    "boards/{board}/stages": 3,
    "boards/{board}/members": 3,
    "boards/{board}/events": 3,
    "boards/{board}/agents": 3,
    "cards": 2,
    "cards?board_id={board}": 3,
    "cards/{card}": 7,
    "cards/{card}/comments": 3,
    "cards/{card}/events": 3,
    "cards/{card}/rounds": 3,
    "cards/{card}/results": 3,
    "cards/{card}/files": 3,
    "cards/{card}/turns": 4,
    "agents/{agent}": 2,
    "agents/{agent}/versions": 3,
    "triggers": 3,
    "ai_accounts": 3,
    "invites": 2,
    "audit": 2,
    "capabilities": 1,
    "whoami": 2,
    "tools": 1,
}


def test_a_longer_list_costs_no_more_statements(line: Line) -> None:
    ids = {"board": line.board.pk, "card": line.card.pk, "agent": line.agent.pk}
    add_more(line)
    little = costs(line.caller, ids)

    for _ in range(3):
        add_more(line)

    assert costs(line.caller, ids) == little == COSTS


def add_more(line: Line) -> None:
    """One more row of everything that is listed."""
    caller = line.caller
    last = turns_of(line.card).first()
    turn = run_again(caller, turn=last) if last else line.start()
    stop_turn(caller, turn=turn)
    make_board(caller)
    make_card(caller, line.board)
    make_file(caller, line.card, name=f"{turn.pk}.md")
    add_comment(caller, card=line.card, text="More.")
    publish_again(line)
    stage = line.add_stage(f"More {turn.pk}")
    make_rule(caller, line.board, from_stage=stage, agent=make_agent(caller, line.board), to_stage=line.done)
    account = make_account(caller, line.provider, label=f"Key {turn.pk}")
    set_monthly_cap(caller, account=account, cap_micros=1_000_000)
    bind_account(caller, account=account, scope=BindingScope.BOARD, board=make_board(caller))
    person = make_member(caller, "Max More", Role.MEMBER)
    add_board_member(caller, board=line.board, member=person.member)
    invite_member(caller, email=f"{turn.pk}@example.com", role=Role.MEMBER)


def costs(caller: Caller, ids: Mapping[str, object]) -> dict[str, int]:
    client = api(caller)
    client.get("/api/v1/token")
    found = {}
    for path in COSTS:
        with CaptureQueriesContext(connection) as statements:
            response = client.get(f"/api/v1/{path.format(**ids)}")
        assert response.status_code == 200, path
        found[path] = len(statements)
    return found
