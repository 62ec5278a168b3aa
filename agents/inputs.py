"""What the tools and pages of this app take."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from agents.rules import MOST_TURNS
from bakedbrie.lib.paging import PageInput
from bakedbrie.lib.toolkit.inputs import Id, Input, Name
from workspaces.inputs import CredentialIn

Verdict = Literal["off", "ask", "allowed"]
MOST_INSTRUCTIONS = 20_000
ContextTokens = Annotated[int, Field(ge=1_000, le=2_000_000)]
AnswerTokens = Annotated[int, Field(ge=16, le=200_000)]
Usd = Annotated[str, Field(pattern=r"^[0-9]{1,12}(\.[0-9]{1,6})?$", max_length=19)]


class Permissions(Input):
    """What an agent may do; what is not given stays as it is, and is off for a new agent."""

    read_files: Verdict | None = Field(default=None, description="Read the card's files.")
    web: Verdict | None = Field(default=None, description="Search and read the web.")
    email: Verdict | None = Field(default=None, description="Send e-mail. Sends outside: confirm with the user first.")
    other_apps: Verdict | None = Field(
        default=None, description="Act in other connected apps. Sends outside: confirm with the user first."
    )
    deliver: Verdict | None = Field(
        default=None, description="Deliver finished work. Sends outside: confirm with the user first."
    )
    create_images: Verdict | None = Field(default=None, description="Make images with the user's AI account.")
    create_audio: Verdict | None = Field(default=None, description="Make audio with the user's AI account.")
    create_video: Verdict | None = Field(default=None, description="Make video with the user's AI account.")

    def given(self) -> dict[str, str]:
        return {area: verdict for area, verdict in self.model_dump().items() if verdict is not None}


class CreateAgentDraftIn(Input):
    board_id: Id
    agent_id: Id | None = Field(default=None, description="An agent to write a new draft of; leave out for a new one.")
    name: Name | None = Field(default=None, description="Needed for a new agent.")
    instructions: str | None = Field(
        default=None,
        min_length=1,
        max_length=MOST_INSTRUCTIONS,
        description="What it does on each card, in plain words. Needed for a new agent.",
    )
    permissions: Permissions | None = None
    max_turns: int | None = Field(
        default=None,
        ge=1,
        le=MOST_TURNS,
        description=f"How often it may work on a card in one round; {MOST_TURNS} for a new agent.",
    )
    expected_revision: int | None = Field(default=None, ge=1, description="Refuse when the agent changed since.")


class PublishAgentIn(Input):
    agent_id: Id
    expected_revision: int | None = Field(default=None, ge=1, description="Refuse when the agent changed since.")
    confirm_outward: bool = Field(
        default=False, description="True once the user agreed to email, other_apps or deliver for this agent."
    )


class ListAiAccountsIn(Input):
    pass


class ConnectAiAccountIn(Input):
    kind: Literal["api_key", "runner"] = Field(description="api_key: the user's own key at a provider.")
    provider: Literal["anthropic", "openai", "openai_compatible"] = Field(
        description="openai_compatible is any service with OpenAI's chat completions."
    )
    credential: CredentialIn = Field(description="The key, as a drop with purpose ai_account.")
    label: Name
    base_url: str | None = Field(
        default=None,
        min_length=1,
        max_length=500,
        description="Needed for openai_compatible; https, or an address in OUTBOUND_LOOPBACK.",
    )
    model: Name | None = Field(default=None, description="Needed for openai_compatible; else the provider's usual one.")
    context_tokens: ContextTokens | None = Field(
        default=None, description="The most tokens of prompt and answer together."
    )
    answer_tokens: AnswerTokens | None = Field(default=None, description="The most tokens of an answer.")


class EditAiAccountIn(Input):
    """What the admin changes of an account; a cap of null is none."""

    label: Name | None = None
    model: Name | None = None
    context_tokens: ContextTokens | None = None
    answer_tokens: AnswerTokens | None = None
    monthly_cap_usd: Usd | None = None


class BindAiAccountIn(Input):
    account_id: Id
    scope: Literal["workspace", "board", "agent"] = Field(
        description="What it pays for. An agent's own account wins, then its board's, then the workspace's."
    )
    scope_id: Id | None = Field(default=None, description="The board's or agent's id; none for the workspace.")
    monthly_cap_usd: Usd | None = Field(
        default=None,
        description="The most the account may cost in a calendar month (UTC), for all it pays, such as 20 or 7.50; "
        "0 lets nothing run. It is only lowered here; a person raises it.",
    )

    @model_validator(mode="after")
    def _check_scope(self) -> Self:
        if (self.scope == "workspace") != (self.scope_id is None):
            raise ValueError("scope_id: needed for board and agent, not taken for workspace")
        return self


class CheckAiAccountIn(Input):
    account_id: Id


class ListApprovalsIn(PageInput):
    board_id: Id | None = None
    state: Literal["pending", "allowed", "denied", "used", "canceled", "expired"] | None = Field(
        default=None, description="pending: those that wait for an answer."
    )


class AnswerApprovalIn(Input):
    answer: Literal["once", "card", "always", "deny"] = Field(
        description="card: from now on on this card; always: on every card of the board, a board manager's to say."
    )
    input_hash: str = Field(max_length=200, description="The hash of what was read and shown.")
