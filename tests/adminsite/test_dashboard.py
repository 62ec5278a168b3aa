"""The front page of the admin: what it counts, for whom, and where each figure leads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import redis
from celery import current_app
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from agents.models import Turn
from bakedbrie.adminsite.broker import queue_depths
from bakedbrie.adminsite.dashboard import show_age
from bakedbrie.lib import clock, presence
from bakedbrie.lib.presence import Sign
from boards.services.cards import set_badge
from boards.states import Badge
from tests.adminsite.conftest import fill
from tests.factories.boards import make_file
from tests.factories.workflows import make_line
from tests.factories.workspaces import make_workspace
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db
NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture(autouse=True)
def signs(settings: Settings) -> Iterator[None]:
    """Signs of this test alone."""
    settings.LIVE_PREFIX += "dashboard:"
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        yield
        client.delete(*(presence._key(sign) for sign in Sign))


@contextmanager
def broker_at(url: str) -> Iterator[None]:
    """Have the front page ask this broker."""
    before = current_app.conf.broker_read_url
    current_app.conf.update(broker_read_url=url)
    yield
    current_app.conf.update(broker_read_url=before)


def shown(client: Client) -> dict[str, dict[str, Any]]:
    """Return the tiles of each section, by its title and their labels."""
    page = client.get("/admin/")
    assert page.status_code == 200
    return {one.title: {tile.label: tile for tile in one.tiles} for one in page.context["dashboard"].sections}


def make_unclear(caller: Caller, provider: FakeProvider) -> Turn:
    """Leave a queued turn, and one whose answer never came."""
    line = make_line(caller, provider)
    turn = line.start()
    now = clock.now()
    Turn.objects.filter(pk=turn.pk).update(state="unknown", sent_at=now, settled_at=now - timedelta(hours=3))
    set_badge(line.fresh_card(), Badge.BLOCKED, "OUTCOME_UNKNOWN")
    make_line(caller, provider, pays=True).start()
    make_file(caller, line.card, content=b"x" * 2048)
    return turn


def test_an_owner_sees_the_figures_of_each_own_workspace(
    alice: Caller, charlie: Caller, provider: FakeProvider
) -> None:
    make_unclear(alice, provider)
    make_line(charlie, provider).start()

    sections = shown(browser(alice))

    values = {label: tile.value.replace("\xa0", " ") for label, tile in sections["Alice's Bakery"].items()}
    assert list(sections) == ["Alice's Bakery"]
    assert values == {
        "Queued turns": "1",
        "Sent, no answer yet": "0",
        "Unclear turns": "1",
        "Ended, card not moved on": "1",
        "Waiting turns": "0",
        "Blocked cards": "1",
        "AI accounts unavailable": "0",
        "Stored files": "2.0 KB",
    }
    assert sections["Alice's Bakery"]["Unclear turns"].note == "latest 3 h"


def test_an_operator_sees_the_server_and_all_workspaces_together(
    alice: Caller, charlie: Caller, operator: Client, provider: FakeProvider
) -> None:
    make_unclear(alice, provider)
    make_line(charlie, provider).start()

    sections = shown(operator)

    assert list(sections) == ["This server", "All workspaces"]
    assert sections["All workspaces"]["Queued turns"].value == "2"
    assert list(sections["This server"]) == ["Queue turns", "Queue default", "Worker", "Beat"]


def test_each_figure_leads_to_the_rows_it_counts(alice: Caller, operator: Client, provider: FakeProvider) -> None:
    make_unclear(alice, provider)

    for client in (operator, browser(alice)):
        for title, tiles in shown(client).items():
            for tile in tiles.values():
                page = client.get(tile.href)
                assert page.status_code == 200
                if tile.value.isdigit() and title != "This server":
                    assert page.context["cl"].result_count == int(tile.value), tile


def test_unclear_calls_are_named_with_their_card_and_turn(
    alice: Caller, charlie: Caller, provider: FakeProvider
) -> None:
    turn = make_unclear(alice, provider)

    hers, his = (browser(caller).get("/admin/").content.decode() for caller in (alice, charlie))

    assert f"/admin/agents/turn/{turn.pk}/change/" in hers
    assert f"/admin/boards/card/{turn.card_id}/change/" in hers
    assert str(turn.pk) not in his


def test_more_workspaces_and_rows_take_no_more_statements(
    alice: Caller, operator: Client, provider: FakeProvider
) -> None:
    owner = browser(alice)
    fill(alice, provider)
    counts = []

    for n in (2, 3):
        for client in (operator, owner):
            with CaptureQueriesContext(connection) as caught:
                client.get("/admin/")
            counts.append(len(caught))
        for m in (1, 2):
            other = make_workspace(name=f"Branch {n}{m}", owner=f"Olga {n}{m}")
            type(alice.member).objects.filter(pk=other.member.pk).update(user=alice.member.user)
            fill(other, provider)

    assert counts[:2] == counts[2:]
    assert max(counts) <= 20


def test_jobs_in_the_queues_are_counted(operator: Client) -> None:
    for _ in range(3):
        current_app.send_task("turns.run", args=["x"], queue="turns")

    tiles = shown(operator)["This server"]

    assert (tiles["Queue turns"].value, tiles["Queue default"].value) == ("3", "0")


def test_queues_of_a_real_broker_are_counted() -> None:
    with broker_at(os.environ["WORKER_BROKER_URL"]):
        depths = queue_depths()

    assert depths == {"turns": 0, "default": 0}


def test_a_broker_that_is_away_is_said(operator: Client) -> None:
    with broker_at(NOWHERE):
        tiles = shown(operator)["This server"]

    assert (tiles["Queues"].value, tiles["Queues"].is_bad) == ("?", True)
    assert "does not answer" in tiles["Queues"].note


def test_signs_of_life_are_shown_with_their_age(operator: Client, settings: Settings) -> None:
    before = shown(operator)["This server"]
    presence.note(Sign.WORKER)
    presence.note(Sign.BEAT)
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.pexpire(presence._key(Sign.BEAT), presence.KEPT_MS - 3_600_000)

    after = shown(operator)["This server"]
    settings.REDIS_URL = NOWHERE
    away = shown(operator)["This server"]

    assert [(before[part].value, before[part].is_bad) for part in ("Worker", "Beat")] == [("not seen", True)] * 2
    assert [(after[part].value, after[part].is_bad) for part in ("Worker", "Beat")] == [
        ("at work", False),
        ("silent", True),
    ]
    assert "1 h ago" in after["Beat"].note
    assert away["Worker and beat"].is_bad


@pytest.mark.parametrize(
    ("age_s", "text"), [(-2.0, "0 s"), (59.9, "59 s"), (60, "1 min"), (7_199, "1 h"), (200_000, "2 d")]
)
def test_ages_are_told_in_their_largest_unit(age_s: float, text: str) -> None:
    assert show_age(age_s) == text


def test_who_owns_nothing_stays_outside(mia: Caller, amir: Caller, client: Client) -> None:
    inside = [browser(caller).get("/admin/").status_code for caller in (mia, amir)]

    assert inside == [302, 302]
    assert client.get("/admin/")["Location"].startswith("/admin/login/")
