"""Who did it: the member, agent or automation that every other table points at."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib.models import Dated
from workspaces.models.member import Member
from workspaces.models.workspace import Workspace
from workspaces.states import ActorKind


class Actor(Dated):
    """``name`` is kept here so that a list of cards needs no further query to show owners.

    ``board_id`` is the one board an agent works on, and ``retired_at`` when it stopped for good: who may own a card is
    known without knowing agents.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="actors")
    kind = models.CharField(max_length=10, choices=[(kind.value, kind.value) for kind in ActorKind])
    member = models.OneToOneField(Member, on_delete=models.CASCADE, null=True, blank=True, related_name="actor")
    name = models.CharField(max_length=120)
    board_id = models.UUIDField(null=True, blank=True, editable=False)
    retired_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind=ActorKind.MEMBER, member__isnull=False)
                | (~Q(kind=ActorKind.MEMBER) & Q(member__isnull=True)),
                name="actor_member_fits_kind",
            ),
            models.CheckConstraint(
                condition=Q(kind=ActorKind.AGENT, board_id__isnull=False)
                | (~Q(kind=ActorKind.AGENT) & Q(board_id__isnull=True, retired_at__isnull=True)),
                name="actor_board_fits_kind",
            ),
            models.UniqueConstraint(
                fields=["workspace", "name"], condition=Q(kind=ActorKind.AUTOMATION), name="automation_name_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name
