"""When things happen."""

from __future__ import annotations

from workflows.models.rule import Rule, RuleDraft, RuleRun
from workflows.models.setup import BoardSetup

__all__ = ["BoardSetup", "Rule", "RuleDraft", "RuleRun"]
