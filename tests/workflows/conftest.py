"""A provider on loopback that accounts of these tests may use, and a board with work on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytest_django.fixtures import Settings

from tests.factories.workflows import Line, make_line
from tests.support.fake_provider import FakeProvider
from workflows.services import entering
from workspaces.caller import Caller


@pytest.fixture
def provider(settings: Settings) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair]
        yield fake


@pytest.fixture
def line(alice: Caller, provider: FakeProvider) -> Line:
    """Alice's board: a card in To do; in Doing an agent works, and an account pays; then Done."""
    return make_line(alice, provider)


@pytest.fixture
def bound_round(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let a round have fewer turns, so that a test comes to its end sooner."""
    return lambda turns: monkeypatch.setattr(entering, "MOST_TURNS", turns)
