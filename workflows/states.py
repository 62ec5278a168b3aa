"""States of rules, and why a card stands still."""

from __future__ import annotations

from enum import StrEnum


class RuleState(StrEnum):
    """A draft does nothing; a published rule is on; a paused one can be published again."""

    DRAFT = "draft"
    PUBLISHED = "published"
    PAUSED = "paused"


class StandingStill(StrEnum):
    """Why a card stays after a turn that went well; the result is kept, and a person moves the card."""

    BOARD_ARCHIVED = "BOARD_ARCHIVED"
    RULE_PAUSED = "RULE_PAUSED"
    AGENT_RETIRED = "AGENT_RETIRED"
    STAGE_GONE = "STAGE_GONE"
    MEMBER_REMOVED = "MEMBER_REMOVED"
    NO_PROGRESS = "NO_PROGRESS"
