"""An agent of one board, and its versions."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.rules import MOST_TURNS
from agents.states import AgentState
from bakedbrie.lib.models import Dated
from boards.models import Board
from workspaces.models import Actor


class Agent(Dated):
    """``published`` is what works on cards; ``draft`` is what publishing would make live."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="agents")
    actor = models.OneToOneField(Actor, on_delete=models.PROTECT, related_name="agent")
    name = models.CharField(max_length=120)
    state = models.CharField(
        max_length=10, choices=[(state.value, state.value) for state in AgentState], default=AgentState.DRAFT
    )
    revision = models.PositiveIntegerField(default=1)
    published = models.ForeignKey("AgentVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    draft = models.ForeignKey("AgentVersion", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    needs_publish = models.BooleanField(default=False, help_text="An account was bound to it: publish it again (A024).")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(state__in=[AgentState.PUBLISHED, AgentState.PAUSED]) | Q(published__isnull=False),
                name="agent_live_has_version",
            )
        ]
        indexes = [models.Index(fields=["board", "id"], name="agent_by_board")]

    def __str__(self) -> str:
        return self.name


class AgentVersion(Dated):
    """Frozen once ``published_at`` is set: a turn names the version it used.

    ``max_turns`` is how often it may work on a card in one round.
    """

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="versions")
    n = models.PositiveIntegerField()
    name = models.CharField(max_length=120)
    instructions = models.TextField()
    permissions = models.JSONField(default=dict)
    max_turns = models.PositiveSmallIntegerField(default=MOST_TURNS)
    written_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agent", "n"], name="agent_version_once"),
            models.CheckConstraint(
                condition=Q(max_turns__gte=1, max_turns__lte=MOST_TURNS), name="agent_version_turns_bounded"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.n}"
