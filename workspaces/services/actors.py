"""Actors: the names that history, owners and authors point at."""

from __future__ import annotations

from workspaces.models import Actor, Workspace
from workspaces.states import ActorKind


def add_actor(workspace: Workspace, *, kind: ActorKind, name: str) -> Actor:
    """Add an agent's or automation's actor; a member's comes with the membership."""
    return Actor.objects.create(workspace=workspace, kind=kind, name=name)


def rename_actor(actor: Actor, name: str) -> None:
    actor.name = name
    actor.save(update_fields=["name", "updated_at"])


def automation(workspace: Workspace, name: str) -> Actor:
    """Return the workspace's automation of that name; it is made on first use."""
    actor, _ = Actor.objects.get_or_create(workspace=workspace, kind=ActorKind.AUTOMATION, name=name)
    return actor
