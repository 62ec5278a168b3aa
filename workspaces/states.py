"""States and presets of what this app owns."""

from __future__ import annotations

from enum import StrEnum


class Preset(StrEnum):
    """What a token may do (W008)."""

    FULL_CONTROL = "full_control"
    READ_ONLY = "read_only"
    RUNNER = "runner"


class TokenKind(StrEnum):
    """How a token came to be: by a person who copied it, or by an assistant that a person connected."""

    MINTED = "minted"
    CONNECTED = "connected"


class ActorKind(StrEnum):
    MEMBER = "member"
    AGENT = "agent"
    AUTOMATION = "automation"


class DropState(StrEnum):
    """A secret drop is prepared, filled by the command, then used once."""

    PREPARED = "prepared"
    FILLED = "filled"
    USED = "used"


class SecretPurpose(StrEnum):
    """What a dropped secret may be used for (W066)."""

    AI_ACCOUNT = "ai_account"
    DESTINATION = "destination"
    CONNECTION = "connection"
    EXTERNAL_JOB = "external_job"


class RecordState(StrEnum):
    """A request record waits for its answer, then holds it; ``unknown``: the call broke off after it had begun."""

    IN_PROGRESS = "in_progress"
    DONE = "done"
    UNKNOWN = "unknown"
