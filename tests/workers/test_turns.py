"""The jobs of turns: what a worker does with one message, and how often it asks the database for that."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from bakedbrie.lib.jobs import Job
from tests.factories.boards import make_card
from tests.factories.workflows import Line, make_line
from tests.support.fake_provider import FakeProvider
from tests.support.jobs import Ran, purge_jobs
from workers.turns import run_turn
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)

MOST_STATEMENTS = 20
CONTROL = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


@pytest.fixture
def line(alice: Caller, settings: Settings) -> Iterator[Line]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        made = make_line(alice, provider)
        purge_jobs()
        yield made


def test_the_job_that_settles_a_turn_lets_its_card_go_on(line: Line, drain_jobs: Callable[..., Ran]) -> None:
    turn = line.start()

    ran = drain_jobs()

    assert ran == [(Job.TURN_RUN, (str(turn.pk),))]
    assert line.fresh_card().stage == line.done


def test_a_turn_that_settles_elsewhere_is_rung_for(line: Line, drain_jobs: Callable[..., Ran]) -> None:
    turn = line.start()
    line.run(turn)

    ran = drain_jobs()

    assert ran == [(Job.TURN_RUN, (str(turn.pk),)), (Job.TURN_FINISH, (str(turn.pk),))]
    assert line.fresh_card().stage == line.done


def test_a_whole_turn_takes_few_statements(line: Line) -> None:
    run_turn(str(line.start().pk))
    line.card = make_card(line.caller, line.board)
    turn = line.start()

    with CaptureQueriesContext(connection) as seen:
        run_turn(str(turn.pk))

    statements = [query["sql"] for query in seen if not query["sql"].startswith(CONTROL)]
    assert len(statements) == MOST_STATEMENTS
