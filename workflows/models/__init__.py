"""When things happen."""

from __future__ import annotations

from workflows.models.rule import Rule, RuleDraft, RuleRun

__all__ = ["Rule", "RuleDraft", "RuleRun"]
