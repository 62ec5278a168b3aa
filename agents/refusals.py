"""What this app refuses."""

from __future__ import annotations

from bakedbrie.lib.refusals import Refusal

AGENT_NOT_PUBLISHED = Refusal(
    "AGENT_NOT_PUBLISHED", 409, "This agent is not published.", fix="Publish the agent first with publish_agent."
)
AGENT_RETIRED = Refusal("AGENT_RETIRED", 409, "This agent is retired.", fix="Create a new agent.")
AGENT_IN_USE = Refusal(
    "AGENT_IN_USE",
    409,
    "Something still uses this agent.",
    fix="Pause or change what 'details' names, then retire the agent.",
)
AGENT_STATE = Refusal(
    "AGENT_STATE", 409, "The agent is not in a state that allows this.", fix="Read the agent and look at its state."
)
NO_DRAFT = Refusal(
    "NO_DRAFT", 409, "There is no draft to publish.", fix="Write one with create_agent_draft and its agent_id."
)
CONFIRMATION_NEEDED = Refusal(
    "CONFIRMATION_NEEDED",
    409,
    "The user has to confirm this first.",
    fix="Show the user what 'confirm' names; if they agree, repeat the call with the confirmation it asks for.",
)
AI_ACCOUNT_REQUIRED = Refusal(
    "AI_ACCOUNT_REQUIRED",
    409,
    "No AI account pays for this work yet.",
    fix="Bind one with bind_ai_account; the card then starts by itself.",
)
AI_ACCOUNT_UNAVAILABLE = Refusal(
    "AI_ACCOUNT_UNAVAILABLE",
    409,
    "The bound AI account cannot be used, and no other one is used instead.",
    fix="Check the account with check_ai_account, mend it or bind another one, then run the card again.",
)
AI_KIND_UNSUPPORTED = Refusal(
    "AI_KIND_UNSUPPORTED",
    409,
    "Only accounts of the kind api_key can be connected for now.",
    fix="Connect the user's own provider key with kind api_key.",
)
AI_KEY_REJECTED = Refusal(
    "AI_KEY_REJECTED",
    409,
    "The provider does not accept this key.",
    fix="Check the key at the provider, then prepare a new drop with the right one.",
)
AI_PROVIDER_UNREACHABLE = Refusal(
    "AI_PROVIDER_UNREACHABLE",
    502,
    "The provider could not be reached.",
    fix="Mend what the message names, or try again in a moment; to connect an account, prepare a new drop first.",
    retryable=True,
)
AI_MONTHLY_CAP = Refusal(
    "AI_MONTHLY_CAP",
    409,
    "This call could cost more than is left of the AI account's cap for this month (UTC).",
    fix="Wait for the next month, or have a person raise the account's cap; then run the card again.",
)
AI_COST_UNKNOWN = Refusal(
    "AI_COST_UNKNOWN",
    409,
    "A monthly cap cannot be kept for this AI account: what its model costs is not known.",
    fix="Use a model of Anthropic or OpenAI with a known price, or take the cap away.",
)
TURN_NOT_RUNNING = Refusal(
    "TURN_NOT_RUNNING", 409, "This turn is over.", fix="Read the card; run the agent again if it is needed."
)
TURN_NOT_ENDED = Refusal(
    "TURN_NOT_ENDED",
    409,
    "Only a failed, refused, canceled or unclear turn can be run again, and only the newest one.",
    fix="Wait for the turn to end, or stop it first.",
)
APPROVAL_ANSWERED = Refusal(
    "APPROVAL_ANSWERED", 409, "This question was answered already.", fix="Read the card to see what followed."
)
APPROVAL_CLOSED = Refusal(
    "APPROVAL_CLOSED",
    409,
    "This question does not stand any more: the work was stopped or moved on, or it waited too long.",
    fix="Read the card; run the agent again if the work is still wanted, and it asks anew.",
)

REFUSALS = (
    AGENT_NOT_PUBLISHED,
    AGENT_RETIRED,
    AGENT_IN_USE,
    AGENT_STATE,
    NO_DRAFT,
    CONFIRMATION_NEEDED,
    AI_ACCOUNT_REQUIRED,
    AI_ACCOUNT_UNAVAILABLE,
    AI_KIND_UNSUPPORTED,
    AI_KEY_REJECTED,
    AI_PROVIDER_UNREACHABLE,
    AI_MONTHLY_CAP,
    AI_COST_UNKNOWN,
    TURN_NOT_RUNNING,
    TURN_NOT_ENDED,
    APPROVAL_ANSWERED,
    APPROVAL_CLOSED,
)
