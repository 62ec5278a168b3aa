"""The AI accounts that pay, and what they are bound to."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.models.agent import Agent
from agents.states import AccountKind, AccountState, BindingScope, Provider
from bakedbrie.lib.models import Dated
from boards.models import Board
from workspaces.models import Actor, SealedSecret, Workspace


class AiAccount(Dated):
    """``context_tokens`` is how much of a prompt the model takes, ``answer_tokens`` the most it may write.

    ``asks_for_counts`` until the service refused to be asked for the tokens of a stream.
    ``monthly_cap_micros`` bounds what its calls may cost in a calendar month (UTC); null is no bound, 0 lets none go.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="ai_accounts")
    label = models.CharField(max_length=120)
    kind = models.CharField(max_length=10, choices=[(kind.value, kind.value) for kind in AccountKind])
    provider = models.CharField(max_length=20, choices=[(one.value, one.value) for one in Provider])
    base_url = models.CharField(max_length=500)
    model = models.CharField(max_length=120)
    context_tokens = models.PositiveIntegerField()
    answer_tokens = models.PositiveIntegerField()
    asks_for_counts = models.BooleanField(default=True, db_default=True, editable=False)
    monthly_cap_micros = models.BigIntegerField(null=True, blank=True)
    secret = models.ForeignKey(SealedSecret, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    state = models.CharField(
        max_length=12, choices=[(state.value, state.value) for state in AccountState], default=AccountState.READY
    )
    code = models.CharField(max_length=60, blank=True, help_text="Why it is unavailable.")
    checked_at = models.DateTimeField(null=True, blank=True)
    added_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name = "AI account"
        constraints = [
            models.CheckConstraint(
                condition=Q(answer_tokens__gte=1, answer_tokens__lt=models.F("context_tokens")),
                name="ai_account_answer_fits_context",
            ),
            models.CheckConstraint(
                condition=~Q(kind=AccountKind.API_KEY, state=AccountState.READY) | Q(secret__isnull=False),
                name="ai_account_ready_has_key",
            ),
            models.CheckConstraint(condition=Q(monthly_cap_micros__gte=0), name="ai_account_cap_not_negative"),
        ]
        indexes = [models.Index(fields=["workspace", "id"], name="ai_account_by_workspace")]

    def __str__(self) -> str:
        return self.label


class AiBinding(Dated):
    """One account per workspace, board or agent; the agent's wins, then the board's (I005)."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="ai_bindings")
    scope = models.CharField(max_length=10, choices=[(scope.value, scope.value) for scope in BindingScope])
    board = models.ForeignKey(Board, on_delete=models.CASCADE, null=True, blank=True, related_name="ai_bindings")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, null=True, blank=True, related_name="ai_bindings")
    account = models.ForeignKey(AiAccount, on_delete=models.PROTECT, related_name="bindings")

    class Meta:
        verbose_name = "AI account binding"
        constraints = [
            models.CheckConstraint(
                condition=Q(scope=BindingScope.WORKSPACE, board__isnull=True, agent__isnull=True)
                | Q(scope=BindingScope.BOARD, board__isnull=False, agent__isnull=True)
                | Q(scope=BindingScope.AGENT, board__isnull=True, agent__isnull=False),
                name="binding_target_fits_scope",
            ),
            models.UniqueConstraint(
                fields=["workspace"], condition=Q(scope=BindingScope.WORKSPACE), name="one_workspace_binding"
            ),
            models.UniqueConstraint(fields=["board"], name="one_board_binding"),
            models.UniqueConstraint(fields=["agent"], name="one_agent_binding"),
        ]

    def __str__(self) -> str:
        return f"{self.scope}: {self.account_id}"
