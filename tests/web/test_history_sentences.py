"""History as sentences, on the card page and in read_card."""

from __future__ import annotations

from typing import Any

import pytest

from boards.models import BoardEvent
from boards.states import EventKind
from workflows.selectors.story import sentence_of
from workspaces.models import Actor
from workspaces.states import ActorKind

AGENT = {"agent": "…", "agent_name": "Writer"}
ITSELF = {"agent": "…", "agent_name": "Mia"}


@pytest.mark.parametrize(
    ("kind", "data", "told"),
    [
        (EventKind.CARD_CREATED, {}, "Mia added the card"),
        (EventKind.CARD_EDITED, {"fields": ["title"]}, "Mia changed the title"),
        (
            EventKind.CARD_EDITED,
            {"fields": ["title", "brief", "owner"]},
            "Mia changed the title, the brief and the owner",
        ),
        (EventKind.CARD_EDITED, {}, "Mia changed the card"),
        (EventKind.CARD_MOVED, {"from_name": "A", "to_name": "B"}, "Mia moved the card from “A” to “B”"),
        (EventKind.CARD_MOVED, {"from_name": "", "to_name": "B"}, "Mia moved the card to “B”"),
        (EventKind.FILE_ADDED, {"name": "a.md"}, "Mia added the file “a.md”"),
        (EventKind.ROUND_STARTED, {"n": 2}, "Mia started round 2"),
        (EventKind.RESULT_KEPT, {"n": 2}, "Mia left a result in round 2"),
        (EventKind.TURN_QUEUED, AGENT, "Mia gave the card to “Writer”"),
        (
            EventKind.TURN_WAITING,
            {**AGENT, "reason": "AI_ACCOUNT_REQUIRED"},
            "Mia gave the card to “Writer”, which waits: needs an AI account",
        ),
        (EventKind.TURN_ENDED, {**AGENT, "state": "done", "code": ""}, "Mia finished its work"),
        (
            EventKind.TURN_ENDED,
            {"state": "failed", "code": "AI_OVERLOADED"},
            "Mia could not do the work: provider overloaded",
        ),
        (
            EventKind.TURN_ENDED,
            {"state": "unknown", "code": "AI_OUTCOME_UNKNOWN"},
            "Mia was asked to work: answer lost",
        ),
        (EventKind.CARD_BLOCKED, {"code": "STAGE_GONE"}, "Mia left the card blocked: next column is gone"),
        (EventKind.DELIVERED, {"name": "Out"}, "The result was delivered to “Out”"),
        (
            EventKind.DELIVERY_FAILED,
            {"name": "Out", "code": "API_UNAVAILABLE"},
            "The result could not be delivered to “Out”: service unreachable",
        ),
        (EventKind.BOARD_ARCHIVED, {}, "Mia archived the board"),
    ],
)
def test_an_event_is_told_as_a_sentence(kind: EventKind, data: dict[str, Any], told: str) -> None:
    assert sentence_of(_event(kind, data, ActorKind.MEMBER)) == told


@pytest.mark.parametrize(
    ("kind", "data", "told"),
    [
        (EventKind.TURN_QUEUED, ITSELF, "Mia is next in line"),
        (EventKind.TURN_QUEUED, AGENT, "Mia gave the card to “Writer”"),
        (EventKind.TURN_QUEUED, {}, "Mia is next in line"),
        (EventKind.TURN_WAITING, {"reason": "DISPATCH_PAUSED"}, "Mia waits: work is paused"),
        (EventKind.TURN_WAITING, {**ITSELF, "reason": "APPROVAL"}, "Mia waits: asks to read the files"),
        (
            EventKind.TURN_WAITING,
            {**AGENT, "reason": "AGENT_PAUSED"},
            "Mia gave the card to “Writer”, which waits: agent is paused",
        ),
    ],
)
def test_an_agent_gives_a_card_to_others_and_not_to_itself(kind: EventKind, data: dict[str, Any], told: str) -> None:
    assert sentence_of(_event(kind, data, ActorKind.AGENT)) == told


@pytest.mark.parametrize("kind", EventKind)
def test_every_kind_of_event_is_told_even_without_its_data(kind: EventKind) -> None:
    assert sentence_of(_event(kind, {}, ActorKind.MEMBER)).startswith(("Mia ", "The result "))


def _event(kind: EventKind, data: dict[str, Any], actor: ActorKind) -> BoardEvent:
    return BoardEvent(kind=kind, data=data, actor=Actor(kind=actor, name="Mia"))
