"""What stands on a destination in the apps above, as far as a caller may be told."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import ForeignObjectRel, Model, QuerySet

from boards.access import boards_of
from destinations.holding import HOLDS, Holding
from destinations.models import Destination
from workspaces.caller import Caller


@dataclass(frozen=True, kw_only=True)
class Uses:
    """What uses a destination on boards that the caller opens, by name, and how many other boards use it."""

    named: list[str]
    hidden_boards: int

    @property
    def are_any(self) -> bool:
        return bool(self.named or self.hidden_boards)


def uses_of(caller: Caller, destination: Destination, *, of_the_place: bool = False) -> Uses:
    """Look at every row of an app above that needs this destination; ``of_the_place``: where it leads now."""
    boards: dict[str, set[uuid.UUID]] = {}
    for holding, rows in held(destination):
        if not of_the_place or holding.at_another_place is None:
            found_in = set(rows.values_list(holding.board, flat=True).distinct())
            boards.setdefault(holding.named, set()).update(found_in)
    found = set().union(*boards.values())
    opened = dict(boards_of(caller).filter(pk__in=found).values_list("pk", "name")) if found else {}
    named = [f"{what} of {opened[pk]}" for what, of in boards.items() for pk in of if pk in opened]
    return Uses(named=sorted(named), hidden_boards=len(found - set(opened)))


def held(destination: Destination) -> Iterator[tuple[Holding, QuerySet[Model]]]:
    """Return the rows of each model above that need this destination."""
    for relation in Destination._meta.get_fields(include_hidden=True):
        model = relation.related_model
        if not isinstance(relation, ForeignObjectRel) or model is None or isinstance(model, str):
            continue
        holding = getattr(model, HOLDS, None)
        if isinstance(holding, Holding):
            yield holding, model._default_manager.filter(holding.rows, **{relation.field.name: destination.pk})
