"""Actors: the names that history, owners and authors point at."""

from __future__ import annotations

import uuid

from bakedbrie.lib import clock
from workspaces.models import Actor, Workspace
from workspaces.states import ActorKind


def add_agent_actor(workspace: Workspace, *, board_id: uuid.UUID, name: str) -> Actor:
    """Add the actor of an agent of one board; a member's comes with the membership, an automation's on first use."""
    return Actor.objects.create(workspace=workspace, kind=ActorKind.AGENT, board_id=board_id, name=name)


def retire_actor(actor: Actor) -> None:
    """Keep a retired agent's name for history; no card is given to it any more."""
    actor.retired_at = clock.now()
    actor.save(update_fields=["retired_at", "updated_at"])


def rename_actor(actor: Actor, name: str) -> None:
    actor.name = name
    actor.save(update_fields=["name", "updated_at"])


def automation(workspace: Workspace, name: str) -> Actor:
    """Return the workspace's automation of that name; it is made on first use."""
    actor, _ = Actor.objects.get_or_create(workspace=workspace, kind=ActorKind.AUTOMATION, name=name)
    return actor
