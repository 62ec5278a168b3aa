"""History told as sentences: one per event, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bakedbrie.lib.web.words import short_reason
from boards.models import BoardEvent
from boards.states import EventKind
from workspaces.states import ActorKind

Data = Mapping[str, Any]


def sentence_of(event: BoardEvent) -> str:
    """Return what happened, naming who did it; what a service outside did or did not take names nobody."""
    kind = EventKind(event.kind)
    if kind in _OF_NOBODY:
        return _OF_NOBODY[kind](event.data)
    return f"{event.actor.name} {_told(kind, event)}"


def _told(kind: EventKind, event: BoardEvent) -> str:
    by_agent = event.actor.kind == ActorKind.AGENT and event.data.get("agent_name") in {None, event.actor.name}
    if kind is EventKind.TURN_QUEUED:
        return _queued(event.data, by_agent=by_agent)
    if kind is EventKind.TURN_WAITING:
        return _waiting(event.data, by_agent=by_agent)
    return _SENTENCES[kind](event.data)


def _edited(data: Data) -> str:
    *others, last = data.get("fields") or ["card"]
    return f"changed the {', the '.join(others)} and the {last}" if others else f"changed the {last}"


def _moved(data: Data) -> str:
    left, entered = data.get("from_name", ""), data.get("to_name", "")
    return f"moved the card from “{left}” to “{entered}”" if left else f"moved the card to “{entered}”"


def _named(verb: str) -> Callable[[Data], str]:
    return lambda data: f"{verb} “{data['name']}”" if data.get("name") else verb


def _round(data: Data) -> str:
    return f"started round {data['n']}" if "n" in data else "started a round"


def _kept(data: Data) -> str:
    return f"left a result in round {data['n']}" if "n" in data else "left a result"


def _queued(data: Data, *, by_agent: bool) -> str:
    return "is next in line" if by_agent else f"gave the card to {_agent(data)}"


def _waiting(data: Data, *, by_agent: bool) -> str:
    told = "waits" if by_agent else f"gave the card to {_agent(data)}, which waits"
    return f"{told}: {short_reason(data['reason'])}" if data.get("reason") else told


def _agent(data: Data) -> str:
    return f"“{data['agent_name']}”" if data.get("agent_name") else "the agent"


def _ended(data: Data) -> str:
    if data.get("state") == "done":
        return "finished its work"
    told = {
        "refused": "could not do the work",
        "failed": "could not do the work",
        "unknown": "was asked to work",
        "canceled": "was stopped",
    }
    return _with_code(told.get(str(data.get("state")), "ended its work"), data)


def _blocked(data: Data) -> str:
    return _with_code("left the card blocked", data)


def _asked(data: Data) -> str:
    return _ASKED.get(str(data.get("area")), "asks whether it may go on")


def _answered(data: Data) -> str:
    return _ANSWERS.get(str(data.get("answer")), "answered what the agent asked")


def _to(data: Data) -> str:
    return f" to “{data['name']}”" if data.get("name") else ""


def _with_code(told: str, data: Data) -> str:
    return f"{told}: {short_reason(data['code'])}" if data.get("code") else told


_ASKED: Mapping[str, str] = {
    "read_files": "asks whether it may read the files of the card",
    "deliver": "asks whether its work may be delivered",
}
_ANSWERS: Mapping[str, str] = {
    "once": "allowed what the agent asked, this time",
    "card": "allowed what the agent asked, always on this card",
    "always": "allowed what the agent asked, always on this board",
    "deny": "said no to what the agent asked",
}
_SENTENCES: Mapping[EventKind, Callable[[Data], str]] = {
    EventKind.BOARD_CREATED: lambda _: "created the board",
    EventKind.BOARD_CHANGED: lambda _: "changed the board",
    EventKind.BOARD_ARCHIVED: lambda _: "archived the board",
    EventKind.BOARD_RESTORED: lambda _: "restored the board",
    EventKind.MEMBER_ADDED: lambda _: "let a member in",
    EventKind.MEMBER_CHANGED: lambda _: "changed what a member may do",
    EventKind.MEMBER_REMOVED: lambda _: "took a member off the board",
    EventKind.STAGE_ADDED: _named("added the column"),
    EventKind.STAGE_RENAMED: _named("renamed a column to"),
    EventKind.STAGES_REORDERED: lambda _: "put the columns in another order",
    EventKind.STAGE_DELETED: _named("deleted the column"),
    EventKind.AGENT_CHANGED: lambda _: "changed an agent",
    EventKind.RULE_CHANGED: lambda _: "changed a rule",
    EventKind.CARD_CREATED: lambda _: "added the card",
    EventKind.CARD_EDITED: _edited,
    EventKind.CARD_MOVED: _moved,
    EventKind.CARD_TRASHED: lambda _: "put the card into the trash",
    EventKind.CARD_RESTORED: lambda _: "took the card out of the trash",
    EventKind.COMMENT_ADDED: lambda _: "commented",
    EventKind.FILE_ADDED: _named("added the file"),
    EventKind.FILE_REMOVED: _named("removed the file"),
    EventKind.ROUND_STARTED: _round,
    EventKind.TURN_STARTED: lambda _: "started to work",
    EventKind.TURN_ENDED: _ended,
    EventKind.TURN_STOPPED: lambda _: "stopped the agent",
    EventKind.RESULT_KEPT: _kept,
    EventKind.CARD_BLOCKED: _blocked,
    EventKind.REVIEW_OPENED: lambda _: "left what was made for review",
    EventKind.REVIEW_DECIDED: lambda data: _DECISIONS.get(str(data.get("decision")), "decided on the review"),
    EventKind.REVIEW_CANCELED: lambda data: _with_code("closed the review without a decision", data),
    EventKind.APPROVAL_ASKED: _asked,
    EventKind.APPROVAL_ANSWERED: _answered,
    EventKind.DELIVERY_QUEUED: _named("had the result sent to"),
    EventKind.FOLDER_FILE_TAKEN: _named("took in from the work folder"),
}

_OF_NOBODY: Mapping[EventKind, Callable[[Data], str]] = {
    EventKind.DELIVERED: lambda data: f"The result was delivered{_to(data)}",
    EventKind.DELIVERY_FAILED: lambda data: _with_code(f"The result could not be delivered{_to(data)}", data),
}

_DECISIONS: Mapping[str, str] = {
    "approve": "approved what was made",
    "reject": "rejected what was made",
    "request_changes": "requested changes",
}
