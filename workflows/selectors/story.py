"""History told as sentences: one per event, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from boards.models import BoardEvent
from boards.states import EventKind

Data = Mapping[str, Any]

_FIELDS = {"title": "title", "brief": "brief", "owner": "owner"}


def sentence_of(event: BoardEvent) -> str:
    """Return what happened, naming who did it. An event without a sentence here is told by its kind."""
    kind = EventKind(event.kind)
    tell = _SENTENCES.get(kind)
    told = tell(event.data) if tell else kind.value.replace("_", " ")
    return f"{event.actor.name} {told}"


def _edited(data: Data) -> str:
    names = [_FIELDS.get(field, field) for field in data.get("fields", ())]
    if not names:
        return "edited the card"
    return f"changed the {' and the '.join([', the '.join(names[:-1]), names[-1]] if names[1:] else names)}"


def _moved(data: Data) -> str:
    left, entered = data.get("from_name", ""), data.get("to_name", "")
    return f"moved the card from “{left}” to “{entered}”" if left else f"moved the card to “{entered}”"


def _named(verb: str) -> Callable[[Data], str]:
    return lambda data: f"{verb} “{data['name']}”" if data.get("name") else verb


def _round(data: Data) -> str:
    return f"started round {data['n']}" if "n" in data else "started a round"


def _kept(data: Data) -> str:
    return f"left a result in round {data['n']}" if "n" in data else "left a result"


def _turn(verb: str) -> Callable[[Data], str]:
    """Name the agent when the data do, and say why when there is a reason or a code."""

    def tell(data: Data) -> str:
        told = verb.format(agent=f"“{data['agent']}”" if data.get("agent") else "the agent")
        why = data.get("reason") or data.get("code")
        return f"{told} ({why})" if why else told

    return tell


def _ended(data: Data) -> str:
    told = {
        "done": "finished its work",
        "refused": "could not do the work: the provider refused",
        "failed": "could not do the work",
        "unknown": "was asked, but its answer was lost",
        "canceled": "was stopped",
    }.get(str(data.get("state", "")), "ended its work")
    return f"{told} ({data['code']})" if data.get("code") else told


_SENTENCES: Mapping[EventKind, Callable[[Data], str]] = {
    EventKind.CARD_CREATED: lambda _: "added the card",
    EventKind.CARD_EDITED: _edited,
    EventKind.CARD_MOVED: _moved,
    EventKind.CARD_TRASHED: lambda _: "put the card into the trash",
    EventKind.CARD_RESTORED: lambda _: "took the card out of the trash",
    EventKind.COMMENT_ADDED: lambda _: "commented",
    EventKind.FILE_ADDED: _named("added the file"),
    EventKind.FILE_REMOVED: _named("removed the file"),
    EventKind.ROUND_STARTED: _round,
    EventKind.TURN_QUEUED: _turn("gave the card to {agent}"),
    EventKind.TURN_WAITING: _turn("gave the card to {agent}, which waits"),
    EventKind.TURN_STARTED: lambda _: "started to work",
    EventKind.TURN_ENDED: _ended,
    EventKind.TURN_STOPPED: lambda _: "stopped the agent",
    EventKind.RESULT_KEPT: _kept,
    EventKind.CARD_BLOCKED: lambda data: (
        f"left the card blocked ({data['code']})" if data.get("code") else "left the card blocked"
    ),
}
