"""Rules: a card in this column is worked on by this agent, then goes to that column."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.models import Agent, Turn
from bakedbrie.lib.models import Dated
from boards.models import Board, Stage
from workflows.states import OnApproval, RuleReview, RuleState


class Afterwards(models.Model):
    """What follows when the agent is finished: whether a person reviews what it made, and what an approval leads to."""

    review = models.CharField(
        max_length=10,
        choices=[(one.value, one.value) for one in RuleReview],
        default=RuleReview.FOLDER,
        db_default=RuleReview.FOLDER.value,
    )
    on_approval = models.CharField(
        max_length=10,
        choices=[(one.value, one.value) for one in OnApproval],
        default=OnApproval.DELIVER,
        db_default=OnApproval.DELIVER.value,
    )

    class Meta:
        abstract = True


class Rule(Dated, Afterwards):
    """``version`` counts publications. The start column and the agent cannot be deleted under a rule.

    ``to_stage`` is null after its column was deleted: nothing starts any more, and `why_paused` says STAGE_GONE.
    """

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="rules")
    from_stage = models.ForeignKey(Stage, on_delete=models.PROTECT, related_name="rules_from")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="rules")
    to_stage = models.ForeignKey(Stage, on_delete=models.SET_NULL, null=True, related_name="rules_to")
    state = models.CharField(
        max_length=10, choices=[(state.value, state.value) for state in RuleState], default=RuleState.DRAFT
    )
    version = models.PositiveIntegerField(default=0)
    revision = models.PositiveIntegerField(default=1)
    last_error = models.CharField(max_length=60, blank=True)
    last_error_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["from_stage"], condition=Q(state=RuleState.PUBLISHED), name="one_published_rule_per_stage"
            ),
            models.CheckConstraint(
                condition=~Q(state=RuleState.PUBLISHED) | Q(version__gte=1), name="published_rule_has_version"
            ),
        ]
        indexes = [models.Index(fields=["board", "id"], name="rule_by_board")]

    def __str__(self) -> str:
        return f"{self.from_stage} → {self.agent} → {self.to_stage or '(deleted)'}"

    @property
    def is_on(self) -> bool:
        """Whether a card that enters the start column is worked on: published, with a column to go to."""
        return self.state == RuleState.PUBLISHED and self.to_stage_id is not None

    @property
    def shown_state(self) -> str:
        """The state people see: a published rule whose target column was deleted is as good as paused."""
        return RuleState.PAUSED if self.state == RuleState.PUBLISHED and not self.is_on else self.state

    @property
    def why_paused(self) -> str:
        """The code behind a pause that nobody asked for, or nothing."""
        return "STAGE_GONE" if self.version and self.to_stage_id is None else ""


class RuleDraft(Dated, Afterwards):
    """What publishing a rule that was published before would change it to."""

    rule = models.OneToOneField(Rule, on_delete=models.CASCADE, related_name="draft")
    from_stage = models.ForeignKey(Stage, on_delete=models.PROTECT, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+")
    to_stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"{self.from_stage} → {self.agent} → {self.to_stage}"


class RuleRun(Dated, Afterwards):
    """Which rule, in which version, started a turn, and where the card goes after it; null when that is deleted.

    What follows is kept as it was when the turn began: publishing the rule anew changes nothing for it.
    """

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="rule_run")
    rule = models.ForeignKey(Rule, on_delete=models.PROTECT, related_name="runs")
    version = models.PositiveIntegerField()
    to_stage = models.ForeignKey(Stage, on_delete=models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"run of {self.rule_id} v{self.version}"
