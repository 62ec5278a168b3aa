"""Deliveries of a card, the paths they take, and what they left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Prefetch, Q, QuerySet

from bakedbrie.lib import clock
from bakedbrie.lib.hashing import canonical_hash
from bakedbrie.lib.slugs import slug
from bakedbrie.lib.zones import zone
from boards.contents import Content, content_of, round_contents
from boards.models import Card, Iteration
from destinations import rules
from destinations.models import Delivery, DeliveryStep, Destination
from destinations.rules import target_text
from destinations.states import AGAIN, DeliveryCode, DestinationState, StepState

_MOST_PATHS = 1_000  # asked for at once
_NEVER_WRITTEN = (StepState.REFUSED, StepState.FAILED, StepState.CANCELED)


def planned_paths(card: Card, contents: Sequence[Content], destination: Destination, finished_on: date) -> list[str]:
    """Return the whole key that each content would get: the result's from the template, the others beside it.

    Where something else was sent to one of these paths before, such as an earlier round of the card on the same day,
    all of them get a number. Asks once, and once more for many numbers where that is taken. The card comes with its
    board.
    """
    first, at_once = 1, 1
    while True:
        numbers = range(first, first + at_once)
        plans = [_numbered(card, contents, destination, finished_on, n) for n in numbers]
        taken = _taken(card, contents, destination, plans)
        free = next((planned for planned in plans if taken.isdisjoint(planned)), None)
        if free is not None:
            return free
        first, at_once = numbers.stop, max(1, _MOST_PATHS // max(1, len(contents)))


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """Where a delivery that ended badly would go now, and is not bound to. ``preview_hash`` stands for exactly that."""

    target: str
    contents: Sequence[Content]
    paths: Sequence[str]
    preview_hash: str


def elsewhere_of(delivery: Delivery, card: Card) -> Elsewhere | None:
    """Return where a delivery would go if it were begun again, when its destination leads elsewhere by now; else None.

    Nobody has agreed to that yet. The delivery comes with its destination, the card with its board; a page of several
    has their steps as well, and only what leads elsewhere costs further queries.
    """
    destination = delivery.destination
    if delivery.state not in AGAIN or destination.state == DestinationState.OFF:
        return None
    newest = {step.n: step for step in sorted(delivery.steps.all(), key=lambda step: step.tries)}
    if all(step.place == destination.place for step in newest.values()):
        return None
    steps = DeliveryStep.objects.select_related("result", "file").filter(pk__in=[step.pk for step in newest.values()])
    contents = [content_of(step) for step in steps.order_by("n")]
    paths = planned_paths(card, contents, destination, delivery.finished_on)
    bound = {"delivery": str(delivery.pk), "tries": delivery.tries, "place": destination.place, "paths": paths}
    return Elsewhere(
        target=target_text(destination.config),
        contents=contents,
        paths=paths,
        preview_hash=canonical_hash("elsewhere", bound),
    )


def deliveries_of(card: Card) -> QuerySet[Delivery]:
    """Return the deliveries of a card that came from access, the newest first, with destination and files."""
    return with_steps(Delivery.objects.filter(card=card)).order_by("-pk")


def read_delivery(delivery: Delivery) -> Delivery:
    """Return a delivery that came from access as it is now, with all that its receipt shows."""
    return with_steps(Delivery.objects.filter(pk=delivery.pk)).get()


def planned_for(card: Card, destination: Destination, path_template: str = "") -> list[tuple[str, str]]:
    """Return the name and the whole key of each thing that the card's newest round would send today.

    A round that made nothing yet is shown with the name its result would have. Nothing is asked outside.
    """
    iteration = Iteration.objects.filter(card=card).order_by("-n").first()
    contents = round_contents(card, iteration) if iteration else []
    if path_template:
        destination.path_template = path_template
    today = clock.now().astimezone(zone(card.board.workspace.time_zone)).date()
    if contents:
        names = [content.name for content in contents]
        return list(zip(names, planned_paths(card, contents, destination, today), strict=True))
    name = f"{slug(card.title)}.md"
    subject = rules.Subject(board_name=card.board.name, card_title=card.title, card_id=card.pk, day=today)
    (path,) = rules.paths(destination.path_template, subject, [name], has_result=True)
    return [(name, f"{destination.config.get('prefix', '')}{path}")]


def with_steps(deliveries: QuerySet[Delivery]) -> QuerySet[Delivery]:
    """Return these with destination, round and the files of every try."""
    steps = Prefetch("steps", DeliveryStep.objects.order_by("n", "tries"))
    return deliveries.select_related("destination", "iteration", "requested_by").prefetch_related(steps)


def _numbered(
    card: Card, contents: Sequence[Content], destination: Destination, finished_on: date, n: int
) -> list[str]:
    subject = rules.Subject(board_name=card.board.name, card_title=card.title, card_id=card.pk, day=finished_on, n=n)
    names = [content.name for content in contents]
    has_result = bool(contents) and contents[0].result is not None
    made = rules.paths(destination.path_template, subject, names, has_result=has_result)
    prefix = str(destination.config.get("prefix", ""))
    return [prefix + path for path in made]


def _taken(
    card: Card, contents: Sequence[Content], destination: Destination, plans: Sequence[Sequence[str]]
) -> set[str]:
    """Return the paths of these plans to which other bytes were sent, or may have been; one query."""
    ours = {(path, card.pk, content.sha256) for plan in plans for path, content in zip(plan, contents, strict=True)}
    may_lie_there = ~Q(state__in=_NEVER_WRITTEN) | Q(code=DeliveryCode.PATH_TAKEN)
    planned = [path for path, _, _ in ours]
    sent = DeliveryStep.objects.filter(may_lie_there, delivery__destination=destination, path__in=planned)
    return {row[0] for row in sent.values_list("path", "delivery__card", "sha256") if row not in ours}
