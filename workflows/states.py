"""States of rules."""

from __future__ import annotations

from enum import StrEnum

from bakedbrie.lib.states import machine


class RuleState(StrEnum):
    """A draft does nothing; a published rule is on; a paused one can be published again."""

    DRAFT = "draft"
    PUBLISHED = "published"
    PAUSED = "paused"


RULE = machine(
    {
        RuleState.DRAFT: [RuleState.PUBLISHED],
        RuleState.PUBLISHED: [RuleState.PAUSED],
        RuleState.PAUSED: [RuleState.PUBLISHED],
    }
)
