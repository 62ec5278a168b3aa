"""The form that changes a card: what it starts with, who may be chosen, and what it was made from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from bakedbrie.lib.web.forms import Form
from boards.access import owners_of
from boards.models import Card
from workspaces.caller import Caller
from workspaces.models import Actor
from workspaces.states import ActorKind

_LABELS = {ActorKind.MEMBER: "People", ActorKind.AGENT: "Agents"}


@dataclass(frozen=True, kw_only=True)
class OwnerGroup:
    label: str
    actors: list[Actor]


def card_form(card: Card) -> Form:
    return Form(values={"title": card.title, "brief": card.brief, "owner": str(card.owner_id)})


def owner_choices(caller: Caller, card: Card) -> list[OwnerGroup]:
    """Return people and agents who may own the card, by name: one query. Whoever owns it now is always among them.

    People come with their account: names that look alike are told apart by the address.
    """
    owners = owners_of(caller, card.board).filter(kind__in=_LABELS).select_related("member__user")
    actors = list(owners.order_by("name", "pk"))
    groups = [
        OwnerGroup(label=label, actors=[actor for actor in actors if actor.kind == kind])
        for kind, label in _LABELS.items()
    ]
    if card.owner_id not in {actor.pk for actor in actors}:
        groups.insert(0, OwnerGroup(label="Now", actors=[card.owner]))
    return [group for group in groups if group.actors]


def seen_of(card: Card) -> str:
    """Return what stands for exactly this title, brief and owner."""
    text = "\0".join([card.title, card.brief, str(card.owner_id)])
    return hashlib.sha256(text.encode()).hexdigest()
