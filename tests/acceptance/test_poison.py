"""A card that kills every worker that reads it: parked after the third, while other cards go on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import F
from pytest_django.fixtures import Settings

from agents.models import ModelCall, Turn
from agents.services.agents import publish_agent, write_draft
from agents.states import TurnState
from bakedbrie.lib.jobs import Job
from boards.models import CardFile
from boards.states import Badge
from tests.acceptance.conftest import Model
from tests.acceptance.worker import Broker, Worker, until
from tests.factories.boards import make_card, make_file
from tests.factories.workflows import Line, make_line
from workflows.services.moves import move_card, preview_move
from workspaces.caller import Caller

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def line(alice: Caller, model: Model) -> Line:
    """A line whose agent reads the files of a card."""
    line = make_line(alice, model.provider)
    publish_agent(
        alice, agent=write_draft(alice, board=line.board, agent=line.agent, permissions={"read_files": "allowed"})
    )
    return line


@pytest.fixture
def poison(line: Line, settings: Settings) -> Iterator[CardFile]:
    """A file that no reader comes to the end of: its bytes are a pipe that nobody writes to."""
    file = make_file(line.caller, line.card, name="poison.md")
    path = Path(settings.STORAGES["default"]["OPTIONS"]["location"], file.storage_key)
    path.unlink()
    os.mkfifo(path)
    yield file
    path.unlink()


def is_finished(turn: Turn) -> bool:
    return Turn.objects.filter(pk=turn.pk, finished_at__isnull=False).exists()


def picked_up(turn: Turn, n: int) -> Callable[[], bool]:
    return lambda: Turn.objects.filter(pk=turn.pk, pickups=n).exists()


def start_another_card(line: Line) -> Turn:
    card = make_card(line.caller, line.board, title="Harmless")
    preview = preview_move(line.caller, card=card, stage=line.doing)
    move_card(line.caller, card=card, stage=line.doing, preview_hash=preview.preview_hash)
    return Turn.objects.get(card=card)


@pytest.mark.requirement("C017")
def test_a_card_that_kills_its_workers_is_parked_and_others_go_on(
    worker: Worker, broker: Broker, model: Model, line: Line, poison: CardFile
) -> None:
    turn, other = line.start(), start_another_card(line)
    for n in (1, 2, 3):
        worker.start()
        broker.ring(Job.TURN_RUN, turn.pk)
        until(picked_up(turn, n), "it is picked up")
        if n == 3:
            broker.ring(Job.TURN_RUN, other.pk)
            until(lambda: is_finished(other), "the other card goes on beside it")
        worker.kill()
        past = timedelta(hours=2)
        Turn.objects.filter(pk=turn.pk).update(lease_until=F("lease_until") - past, updated_at=F("updated_at") - past)

    worker.start()
    broker.ring(Job.SWEEP)
    until(lambda: is_finished(turn), "it is parked")

    turn.refresh_from_db()
    card = line.fresh_card()
    assert (turn.state, turn.code, turn.pickups) == (TurnState.FAILED, "WORKER_LOST", 3)
    assert (card.stage_id, card.badge, card.badge_reason) == (line.doing.pk, Badge.BLOCKED, "WORKER_LOST")
    assert not ModelCall.objects.filter(turn=turn).exists()
    assert (Turn.objects.get(pk=other.pk).state, model.calls()) == (TurnState.DONE, 1)
    until(lambda: broker.waiting() == 0, "the queue is empty")
