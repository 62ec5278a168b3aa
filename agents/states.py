"""States of agents, accounts and turns."""

from __future__ import annotations

from enum import StrEnum

from bakedbrie.lib.states import CallState, machine


class AgentState(StrEnum):
    """A draft does nothing; a published agent may be paused; a retired one keeps its history."""

    DRAFT = "draft"
    PUBLISHED = "published"
    PAUSED = "paused"
    RETIRED = "retired"


AGENT = machine(
    {
        AgentState.DRAFT: [AgentState.PUBLISHED, AgentState.RETIRED],
        AgentState.PUBLISHED: [AgentState.PAUSED, AgentState.RETIRED],
        AgentState.PAUSED: [AgentState.PUBLISHED, AgentState.RETIRED],
        AgentState.RETIRED: [],
    }
)


class AccountKind(StrEnum):
    API_KEY = "api_key"
    RUNNER = "runner"


class AccountState(StrEnum):
    READY = "ready"
    UNAVAILABLE = "unavailable"
    REMOVED = "removed"


class Provider(StrEnum):
    """Whose wire an account speaks. ``openai_compatible`` is any service with OpenAI's chat completions."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    OPENAI_COMPATIBLE = "openai_compatible"


class BindingScope(StrEnum):
    WORKSPACE = "workspace"
    BOARD = "board"
    AGENT = "agent"


TurnState = CallState  # a turn is sent outside at most once


class WaitReason(StrEnum):
    """Why a turn waits; the card shows the same word."""

    AI_ACCOUNT_REQUIRED = "AI_ACCOUNT_REQUIRED"
    DISPATCH_PAUSED = "DISPATCH_PAUSED"
    AGENT_PAUSED = "AGENT_PAUSED"
    AGENT_NOT_PUBLISHED = "AGENT_NOT_PUBLISHED"
    APPROVAL = "APPROVAL"


DELIVERY_ASKED = "DELIVERY_ASKED"
ASKED = frozenset({WaitReason.APPROVAL.value, DELIVERY_ASKED})
"""What a card shows while a question waits for its answer: a turn asks, or an agent whose work is done."""


class ApprovalState(StrEnum):
    """``used`` is an allowed one whose act has begun; ``canceled`` asks about something that no longer stands."""

    PENDING = "pending"
    ALLOWED = "allowed"
    DENIED = "denied"
    USED = "used"
    CANCELED = "canceled"
    EXPIRED = "expired"


class ApprovalAnswer(StrEnum):
    """``card`` is every time on this card, ``always`` every time on every card of the board."""

    ONCE = "once"
    CARD = "card"
    ALWAYS = "always"
    DENY = "deny"
