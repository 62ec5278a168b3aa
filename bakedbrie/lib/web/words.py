"""Codes and states in the words that people read. A code without words here is shown as it is."""

from __future__ import annotations

from collections.abc import Mapping

from bakedbrie.lib.refusals import Refused

BADGES: Mapping[str, str] = {
    "idle": "Idle",
    "waiting": "Waiting",
    "working": "Working",
    "blocked": "Blocked",
    "in_review": "In review",
    "done": "Done",
}

TURN_STATES: Mapping[str, str] = {
    "waiting": "Waiting",
    "queued": "Queued",
    "sending": "Working",
    "cancel_requested": "Stopping",
    "done": "Done",
    "refused": "Refused",
    "failed": "Failed",
    "unknown": "Unclear",
    "canceled": "Stopped",
}

# Which badge colour a turn's state borrows.
TURN_BADGES: Mapping[str, str] = {
    "waiting": "waiting",
    "queued": "working",
    "sending": "working",
    "cancel_requested": "waiting",
    "done": "done",
    "refused": "blocked",
    "failed": "blocked",
    "unknown": "blocked",
    "canceled": "idle",
}

# Why a card waits or is blocked, and how a turn ended.
REASONS: Mapping[str, str] = {
    "AI_ACCOUNT_REQUIRED": "No AI account pays for this work yet. It starts by itself when one is bound.",
    "AI_ACCOUNT_UNAVAILABLE": "The AI account that pays cannot be used, and no other one is used instead.",
    "DISPATCH_PAUSED": "Work is paused in this workspace. It starts by itself when an owner or admin resumes it.",
    "AGENT_PAUSED": "The agent is paused. It starts by itself when the agent is resumed.",
    "APPROVAL": "Somebody has to allow what the agent asks for.",
    "RUNNER_OFFLINE": "The computer that runs this agent is offline.",
    "RULE_LOOP": "This round ran as many turns as a round may. Look at the rules, then move the card by hand.",
    "STAGE_GONE": "The column this card was to go to was deleted.",
    "OUTCOME_UNKNOWN": "The request was sent, but its answer was lost. It is not sent again by itself.",
    "AI_KEY_REJECTED": "The provider did not accept the key.",
    "AI_PROVIDER_UNREACHABLE": "The provider could not be reached. Nothing was sent.",
    "API_UNAVAILABLE": "The provider could not do it just now.",
    "RATE_LIMITED": "The provider takes no more calls for the moment.",
    "CANCELED": "Somebody stopped it.",
    "UNKNOWN": "The request was sent, but its answer was lost. It is not sent again by itself.",
    "FAILED": "The agent could not do the work.",
    "REFUSED": "The provider refused the work.",
    "RULE_PAUSED": "The rule was paused meanwhile: the result is kept, the card stays here.",
    "AGENT_RETIRED": "The agent was retired meanwhile: the result is kept, the card stays here.",
    "MEMBER_REMOVED": "The person who started this round may not work here any more. Move the card by hand.",
}

# The same in two or three words, for a card among others.
SHORT_REASONS: Mapping[str, str] = {
    "AI_ACCOUNT_REQUIRED": "needs an AI account",
    "AI_ACCOUNT_UNAVAILABLE": "AI account unusable",
    "DISPATCH_PAUSED": "work is paused",
    "AGENT_PAUSED": "agent is paused",
    "AGENT_RETIRED": "agent is retired",
    "RULE_PAUSED": "rule is paused",
    "APPROVAL": "needs approval",
    "RUNNER_OFFLINE": "computer offline",
    "RULE_LOOP": "goes round and round",
    "STAGE_GONE": "next column is gone",
    "MEMBER_REMOVED": "its person left",
    "OUTCOME_UNKNOWN": "answer lost",
    "UNKNOWN": "answer lost",
    "AI_KEY_REJECTED": "key not accepted",
    "AI_PROVIDER_UNREACHABLE": "provider unreachable",
    "API_UNAVAILABLE": "provider unavailable",
    "RATE_LIMITED": "provider is busy",
    "FAILED": "failed",
    "REFUSED": "provider refused",
}

# What a person does about a refusal, where the refusal's own fix speaks to an assistant.
FIXES: Mapping[str, str] = {
    "INVALID_INPUT": "Correct the marked fields and send it again.",
    "PREVIEW_CHANGED": "Below is what would happen now. Confirm again if it is still what you want.",
    "PREVIEW_REQUIRED": "Choose a column, read what will happen, then confirm.",
    "REVISION_CONFLICT": "Reload the page, then do it again.",
    "REQUEST_ID_REUSED": "Reload the page, then do it again.",
    "REQUEST_IN_PROGRESS": "Wait a moment, then reload the page.",
    "AI_ACCOUNT_REQUIRED": "Ask a board manager to bind an AI account; the card then starts by itself.",
    "AI_ACCOUNT_UNAVAILABLE": "Ask a workspace owner or admin to check the AI account, then run the card again.",
    "AGENT_NOT_PUBLISHED": "Ask a board manager to publish the agent.",
    "CARD_BUSY": "Stop the agent on the card's page first, or wait until it ends.",
    "CONFIRMATION_NEEDED": "Confirm that it may cost twice, then run it again.",
    "NOT_FOUND": "Check the address, or ask for access to the board.",
    "TURN_NOT_RUNNING": "Run the agent again if its work is still needed.",
    "TURN_NOT_ENDED": "Wait for it to end, or stop it first.",
}


def reason_in_words(code: str) -> str:
    """Return the sentence for a reason or outcome code."""
    if code.startswith("HTTP_"):
        return f"The provider answered with an error ({code.removeprefix('HTTP_')})."
    return REASONS.get(code, code)


def short_reason(code: str) -> str:
    """Return a reason in two or three words."""
    return SHORT_REASONS.get(code, code.replace("_", " ").lower())


def fix_for_people(refused: Refused) -> str:
    return FIXES.get(refused.code, refused.fix)
