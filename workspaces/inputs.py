"""What this app's tools, REST bodies and forms take."""

from __future__ import annotations

from typing import Annotated, Literal

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from pydantic import AfterValidator, Field

from bakedbrie.lib.paging import PageInput
from bakedbrie.lib.toolkit.inputs import Id, Input, Name
from bakedbrie.lib.zones import LONGEST, UTC_NAME, is_zone

RoleName = Literal["owner", "admin", "member", "viewer"]
PresetName = Literal["full_control", "read_only", "runner"]
PurposeName = Literal["ai_account", "destination", "connection", "external_job"]


def _address(text: str) -> str:
    text = text.strip().lower()
    try:
        validate_email(text)
    except ValidationError:
        raise ValueError("is no e-mail address") from None
    return text


def _zone(name: str) -> str:
    if not is_zone(name):
        raise ValueError("is no time zone, such as Europe/Zurich or America/Toronto")
    return name


Email = Annotated[str, Field(max_length=254), AfterValidator(_address)]
TimeZone = Annotated[str, Field(max_length=LONGEST), AfterValidator(_zone)]


Password = Annotated[str, Field(min_length=1, max_length=1_000)]


class CredentialIn(Input):
    """How every tool takes a secret: as a drop, never as itself (W070)."""

    drop_id: Id = Field(description="A drop from prepare_secret with the fitting purpose, filled by its command.")


class PrepareSecretIn(Input):
    kind: Annotated[
        str,
        Field(
            pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$", description="Whose key it is, such as openai, anthropic or github."
        ),
    ]
    purpose: Annotated[PurposeName, Field(description="What the secret may be used for; nothing else can use it.")]
    env_var: Annotated[
        str,
        Field(
            max_length=200,
            description="The name of the variable that holds the value in the user's shell. Never the value.",
        ),
    ]


class MintTokenIn(Input):
    """``days`` is how long the token works; without it, until it is revoked."""

    label: Name
    preset: PresetName
    days: Literal["30", "90", "365", ""] = ""


class PauseDispatchIn(Input):
    reason: Annotated[str, Field(max_length=300, description="Why, for the people who find work waiting.")] = ""


class ResumeDispatchIn(Input):
    pass


class RevokeTokenIn(Input):
    token_id: Id


class ChangeRoleIn(Input):
    role: RoleName


class SwitchCapabilityIn(Input):
    name: Annotated[str, Field(max_length=30)]
    is_on: bool


class WorkspaceSettingsIn(Input):
    """What stands on the first page of the settings. What is left out stays as it is."""

    name: Name | None = None
    time_zone: TimeZone | None = None


class MemberIn(Input):
    member_id: Id


class LeaveWorkspaceIn(Input):
    pass


class EditWorkspaceIn(Input):
    """What the admin changes of a workspace."""

    name: Name | None = None
    time_zone: TimeZone | None = None
    capabilities: list[str] | None = None
    dispatch_paused: bool | None = None
    dispatch_reason: Annotated[str, Field(max_length=300)] | None = None


class QuotaIn(Input):
    """How much a workspace may store with us; null is the setting of the instance."""

    workspace: Id | None = None
    quota_bytes: int | None = Field(default=None, ge=0, le=2**62)


class EditUserIn(Input):
    """What an operator changes of an account."""

    email: Email | None = None
    name: Name | None = None
    is_active: bool | None = None
    is_operator: bool | None = None


class AddMemberIn(Input):
    workspace: Id
    user: Id
    role: RoleName


class ListAuditIn(PageInput):
    verb: str | None = Field(default=None, max_length=60, description="Only changes of this kind, as in an entry.")


class ShowAuditIn(PageInput):
    """How the page of the audit trail is filtered."""

    person: Id | None = None
    kind: str | None = Field(default=None, max_length=60, pattern=r"^[a-z_]+$")


class ListTokensIn(PageInput):
    of: Literal["own", "everyone"] = "own"
    assistants: str | None = Field(default=None, max_length=200, description="A cursor of the connected assistants.")


class CreateWorkspaceIn(Input):
    name: Name
    owner_name: Name
    time_zone: TimeZone = UTC_NAME


class RenameUserIn(Input):
    name: Name


class NewPasswordIn(Input):
    password: Password


class RenamePasskeyIn(Input):
    name: Annotated[Name, Field(max_length=60)]


class FirstRunIn(Input):
    """What the first account of an instance gives."""

    name: Name
    email: Email
    password: Password
    workspace: Name
    time_zone: TimeZone = UTC_NAME


class InviteIn(Input):
    email: Email
    role: RoleName


class RevokeInviteIn(Input):
    invite_id: Id


class NewAccountIn(Input):
    """What somebody without an account gives to accept an invite."""

    name: Name
    password: Password
