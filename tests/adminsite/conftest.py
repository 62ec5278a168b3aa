"""An operator who belongs to no workspace, and a workspace with a row of everything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django_celery_beat.models import IntervalSchedule, PeriodicTask
from pytest_django.fixtures import Settings

from boards.services.comments import add_comment
from boards.services.members import add_board_member
from tests.factories.boards import make_card, make_file
from tests.factories.workflows import Line, make_line
from tests.factories.workspaces import PASSWORD, make_member
from tests.support.cast import token_of
from tests.support.fake_provider import FakeProvider
from workflows.services.rules import write_rule_draft
from workflows.services.setup import BoardPlan, setup_board
from workspaces.caller import Caller
from workspaces.models import User
from workspaces.roles import Role
from workspaces.services.invites import invite_member
from workspaces.services.sign_in_links import make_link


@pytest.fixture
def operator(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", PASSWORD, name="Root"))
    return client


@pytest.fixture
def provider(settings: Settings) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair]
        yield fake


def fill(caller: Caller, provider: FakeProvider, n: int = 1) -> Line:
    """Leave rows of every kind that a list shows a relation of; ``n`` keeps names apart."""
    line = make_line(caller, provider)
    line.run(line.start())
    member = make_member(caller, name=f"Member {n}")
    add_board_member(caller, board=line.board, member=member.member)
    card = make_card(caller, line.board, title=f"Card {n}")
    make_file(caller, card)
    add_comment(caller, card=card, text="Look.")
    board, agent = line.board, line.agent
    write_rule_draft(caller, board=board, rule=line.rule, from_stage=line.todo, agent=agent, to_stage=line.done)
    setup_board(caller, plan=BoardPlan(name=f"Planned {n}", columns=["Review"]))
    token_of(member)
    make_link(member.member.user)
    invite_member(caller, email=f"nora{n}@example.com", role=Role.MEMBER)
    return line


def make_tick() -> PeriodicTask:
    """Leave what beat writes into its own tables."""
    every = IntervalSchedule.objects.create(every=15, period=IntervalSchedule.SECONDS)
    return PeriodicTask.objects.create(name="sweep", task="sweeps.run", interval=every)
