"""A fake provider that accounts may use, and a card with an agent at hand."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pytest
from django.db import connection
from pytest_django import Settings

from agents.models import Agent, AiAccount, Turn
from agents.services.bindings import bind_account
from agents.services.turns import queue_turn
from agents.states import BindingScope
from bakedbrie.lib.jobs import Job
from boards.models import Board, Card
from boards.services.rounds import start_round
from tests.factories.agents import make_account, make_agent
from tests.factories.boards import make_board, make_card
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller


@pytest.fixture
def service(settings: Settings) -> Iterator[FakeProvider]:
    """The fake provider, as the only address besides the internet that accounts may use."""
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair]
        yield fake


@dataclass(kw_only=True)
class Desk:
    """A board with a published agent and one card; what its tests do, they do through the services."""

    caller: Caller
    board: Board
    agent: Agent
    card: Card

    def queue(self, card: Card | None = None) -> Turn:
        """Put the agent to work on a card, in a new round."""
        card = card or self.card
        iteration = start_round(self.caller, card=card)
        return queue_turn(self.caller, card=card, iteration=iteration, agent=self.fresh_agent())

    def fresh_agent(self) -> Agent:
        return Agent.objects.select_related("actor", "board", "published", "draft").get(pk=self.agent.pk)

    def badge(self) -> tuple[str, str]:
        card = Card.objects.get(pk=self.card.pk)
        return card.badge, card.badge_reason


def ended(turn: Turn) -> tuple[str, str]:
    """Return how a turn stands by now, and with which code."""
    turn.refresh_from_db()
    return turn.state, turn.code


def rung() -> list[tuple[Job, tuple[uuid.UUID, ...]]]:
    """Return what would be rung for once the test's transaction were committed, oldest first; hints are left out."""
    waiting = [entry[1] for entry in connection.run_on_commit]
    rings = [one.args for one in waiting if isinstance(one, partial) and isinstance(one.args[0], Job)]
    return [(job, ids) for job, ids in rings]


@pytest.fixture
def desk(alice: Caller) -> Desk:
    board = make_board(alice, name="Tools")
    return Desk(caller=alice, board=board, agent=make_agent(alice, board), card=make_card(alice, board))


@pytest.fixture
def account(alice: Caller, service: FakeProvider) -> AiAccount:
    """An account at the fake that pays for nothing yet."""
    return make_account(alice, service)


@pytest.fixture
def paid_desk(desk: Desk, account: AiAccount) -> Desk:
    """A desk whose board is paid for."""
    bind_account(desk.caller, account=account, scope=BindingScope.BOARD, board=desk.board)
    return desk
