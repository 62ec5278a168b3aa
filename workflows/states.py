"""States of rules, and why a card stands still."""

from __future__ import annotations

from enum import StrEnum


class RuleState(StrEnum):
    """A draft does nothing; a published rule is on; a paused one can be published again."""

    DRAFT = "draft"
    PUBLISHED = "published"
    PAUSED = "paused"


class RuleReview(StrEnum):
    """Whether what the rule's agent made waits for a person: in the board's work folder, where it has one, or never."""

    FOLDER = "folder"
    NONE = "none"


class DeliversAfter(StrEnum):
    """What has to come before a delivery: the move of a person, the end of the work, an answer or an approval."""

    MOVE = "move"
    FINISH = "finish"
    ANSWER = "answer"
    REVIEW = "review"


class OnApproval(StrEnum):
    """What follows an approval: the next column, and delivery where that is Done; Done without delivery; or the same
    agent once more, which is told."""

    DELIVER = "deliver"
    FINISH = "finish"
    RETURN = "return"


class StandingStill(StrEnum):
    """Why a card stays after a turn that went well; the result is kept, and a person moves the card."""

    BOARD_ARCHIVED = "BOARD_ARCHIVED"
    RULE_PAUSED = "RULE_PAUSED"
    AGENT_RETIRED = "AGENT_RETIRED"
    STAGE_GONE = "STAGE_GONE"
    MEMBER_REMOVED = "MEMBER_REMOVED"
    NO_PROGRESS = "NO_PROGRESS"
