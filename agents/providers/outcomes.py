"""How a turn can end, as data: a stable code, what it says to people, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agents.states import TurnState


class AiCode(StrEnum):
    """Kept on turns and accounts: values never change. `DONE` is the empty code of a turn that went well."""

    DONE = ""
    KEY_REJECTED = "AI_KEY_REJECTED"
    QUOTA_EXHAUSTED = "AI_QUOTA_EXHAUSTED"
    RATE_LIMITED = "AI_RATE_LIMITED"
    OVERLOADED = "AI_OVERLOADED"
    PROMPT_TOO_LONG = "AI_PROMPT_TOO_LONG"
    MODEL_UNKNOWN = "AI_MODEL_UNKNOWN"
    REQUEST_INVALID = "AI_REQUEST_INVALID"
    COUNTS_REFUSED = "AI_COUNTS_REFUSED"
    PROVIDER_ERROR = "AI_PROVIDER_ERROR"
    ANSWER_UNREADABLE = "AI_ANSWER_UNREADABLE"
    ANSWER_EMPTY = "AI_ANSWER_EMPTY"
    CUT_SHORT = "AI_CUT_SHORT"
    REFUSED = "AI_REFUSED"
    UNREACHABLE = "AI_UNREACHABLE"
    OUTCOME_UNKNOWN = "AI_OUTCOME_UNKNOWN"
    STOPPED = "AI_STOPPED"
    ACCOUNT_UNAVAILABLE = "AI_ACCOUNT_UNAVAILABLE"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """``blocks_account`` marks the account unavailable: no other account is used instead (I009, I010)."""

    state: TurnState
    message: str
    blocks_account: bool = False


OUTCOMES: dict[AiCode, Outcome] = {
    AiCode.DONE: Outcome(state=TurnState.DONE, message=""),
    AiCode.KEY_REJECTED: Outcome(
        state=TurnState.REFUSED,
        message="The provider does not accept the key of this AI account. Connect it again with a key that works.",
        blocks_account=True,
    ),
    AiCode.QUOTA_EXHAUSTED: Outcome(
        state=TurnState.REFUSED,
        message="The provider says that this AI account has no credit left. Top it up there, check the account here, "
        "then run the agent again.",
        blocks_account=True,
    ),
    AiCode.RATE_LIMITED: Outcome(
        state=TurnState.FAILED,
        message="The provider takes no more calls from this AI account for the moment. Run the agent again later.",
    ),
    AiCode.OVERLOADED: Outcome(
        state=TurnState.FAILED, message="The provider is overloaded. Run the agent again in a few minutes."
    ),
    AiCode.PROMPT_TOO_LONG: Outcome(
        state=TurnState.FAILED,
        message="Brief, comments and files are more than this model reads at once. Shorten them, or lower the "
        "account's context_tokens so that they are clipped.",
    ),
    AiCode.MODEL_UNKNOWN: Outcome(
        state=TurnState.FAILED,
        message="The provider knows no such model at this address. Check the account's model and base URL.",
    ),
    AiCode.REQUEST_INVALID: Outcome(
        state=TurnState.FAILED,
        message="The provider did not take the request. Check that the account's model and limits fit the provider, "
        "and take away pictures that may be damaged.",
    ),
    AiCode.COUNTS_REFUSED: Outcome(
        state=TurnState.FAILED,
        message="The service does not take the option stream_options, with which tokens are asked for. The AI account "
        "goes without it from now on: run the agent again.",
    ),
    AiCode.PROVIDER_ERROR: Outcome(
        state=TurnState.FAILED,
        message="The provider answered with an error of its own. Run the agent again later.",
    ),
    AiCode.ANSWER_UNREADABLE: Outcome(
        state=TurnState.FAILED,
        message="What came back is not an answer of this provider's API. Check the account's base URL.",
    ),
    AiCode.ANSWER_EMPTY: Outcome(
        state=TurnState.FAILED,
        message="The model answered without any text. Make the instructions or the brief clearer and run it again.",
    ),
    AiCode.CUT_SHORT: Outcome(
        state=TurnState.FAILED,
        message="The answer reached its largest size before it was finished. Ask for less, or raise the account's "
        "answer_tokens.",
    ),
    AiCode.REFUSED: Outcome(
        state=TurnState.REFUSED,
        message="The model declined to do this. Read the brief and the instructions, change them, and run it again.",
    ),
    AiCode.UNREACHABLE: Outcome(
        state=TurnState.FAILED,
        message="The provider could not be reached, and nothing was sent: running the agent again costs nothing twice.",
    ),
    AiCode.OUTCOME_UNKNOWN: Outcome(
        state=TurnState.UNKNOWN,
        message="The call was sent and its answer was lost. It is not sent again by itself; running the agent again "
        "may cost twice.",
    ),
    AiCode.STOPPED: Outcome(
        state=TurnState.CANCELED,
        message="The connection was closed because somebody stopped the agent. What it cost is not known.",
    ),
    AiCode.ACCOUNT_UNAVAILABLE: Outcome(
        state=TurnState.REFUSED,
        message="The bound AI account cannot be used, and no other one is used instead. Mend it or bind another one, "
        "then run the agent again.",
    ),
}
