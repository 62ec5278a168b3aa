"""What this app refuses to a person. Programs are answered in the words of RFC 6749."""

from __future__ import annotations

from bakedbrie.lib.refusals import Refusal

ASSISTANT_UNKNOWN = Refusal(
    "ASSISTANT_UNKNOWN",
    422,
    "BakedBrie does not know the assistant that asks.",
    fix="Start the connection again in the assistant. If that does not help, remove it there and add it anew.",
)
ASSISTANT_REQUEST_WRONG = Refusal(
    "ASSISTANT_REQUEST_WRONG",
    422,
    "The assistant asks in a way that BakedBrie does not answer.",
    fix="Nothing was connected. Start again in the assistant, with the address that is shown under Settings, Tokens.",
)

REFUSALS = (ASSISTANT_UNKNOWN, ASSISTANT_REQUEST_WRONG)
