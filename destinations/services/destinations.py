"""Destinations as rows: added once their key was checked, changed, and turned off for good with their key.

Asking the service is `destinations.calls`' work; nothing here sends.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass, field, replace

from django.db import transaction

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import REVISION_CONFLICT
from boards.access import boards_of
from destinations.access import lock_destination, require_connector, require_keeper
from destinations.models import BoardDestination, CardDestination, Destination
from destinations.refusals import DESTINATION_DISABLED, DESTINATION_IN_USE, TEMPLATE_INVALID
from destinations.rules import DEFAULT_TEMPLATE, target_text, template_problems
from destinations.selectors.holdings import held, uses_of
from destinations.states import DestinationKind, DestinationState
from workspaces.caller import Caller
from workspaces.models import SealedSecret
from workspaces.services.audit import record_audit
from workspaces.services.secrets import destroy_secret

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class BucketConfig:
    """Where a bucket is, as `destinations.inputs` has checked it."""

    endpoint: str
    bucket: str
    access_key_id: str
    region: str = "auto"
    prefix: str = ""
    path_style: bool = True


@dataclass(frozen=True, kw_only=True)
class DestinationPlan:
    """Everything of a new destination but its key."""

    name: str
    config: BucketConfig
    kind: DestinationKind = DestinationKind.S3
    path_template: str = DEFAULT_TEMPLATE


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What is to change of a destination; None leaves it as it is. ``secret`` takes the place of the one before."""

    name: str | None = None
    config: BucketConfig | None = None
    path_template: str | None = None
    secret: SealedSecret | None = None


@dataclass(frozen=True, kw_only=True)
class Cleared:
    """What turning a destination off changed: whose default it was, which cards' override, and its key.

    ``hidden`` counts those of boards that the caller does not open.
    """

    boards: list[BoardDestination] = field(default_factory=list)
    cards: list[CardDestination] = field(default_factory=list)
    hidden: int = 0
    is_secret_destroyed: bool = False


def check_template(template: str) -> None:
    """Refuse TEMPLATE_INVALID with every problem."""
    problems = template_problems(template)
    if problems:
        raise TEMPLATE_INVALID(fields={"path_template": problems})


@transaction.atomic
def add_destination(caller: Caller, *, plan: DestinationPlan, secret: SealedSecret) -> Destination:
    """Keep a destination whose key the service has just accepted."""
    require_connector(caller)
    check_template(plan.path_template)
    destination = Destination.objects.create(
        workspace=caller.workspace,
        kind=plan.kind,
        name=plan.name,
        config=asdict(plan.config),
        secret=secret,
        path_template=plan.path_template,
        connected_by=caller.actor,
        checked_at=clock.now(),
    )
    record_audit(caller, "destination.created", **_audited(destination), target=target_of(destination))
    return destination


@transaction.atomic
def change_destination(
    caller: Caller, *, destination: Destination, changes: Changes, expected_revision: int | None = None
) -> Destination:
    """Change what is given; deliveries that are queued go by it. A secret that is replaced is destroyed.

    What was approved under an earlier revision counts no longer once place or template changed. Refuses
    DESTINATION_IN_USE for another place while files wait at the one that it has.
    """
    require_keeper(caller, destination)
    locked = lock_on(destination)
    if expected_revision is not None and expected_revision != locked.revision:
        raise REVISION_CONFLICT(current_revision=locked.revision)
    if changes.path_template is not None:
        check_template(changes.path_template)
    old_secret = locked.secret
    given = {
        "name": changes.name,
        "config": asdict(changes.config) if changes.config else None,
        "path_template": changes.path_template,
        "secret": changes.secret,
    }
    changed = [name for name, value in given.items() if value is not None and value != getattr(locked, name)]
    if not changed:
        return locked
    bucket = locked.bucket
    for name in changed:
        setattr(locked, name, given[name])
    if locked.bucket != bucket:
        _leave_place(caller, locked)
    locked.revision += 1
    locked.save(update_fields=[*changed, "revision", "updated_at"])
    if changes.secret is not None and old_secret is not None:
        destroy_secret(old_secret)
    fields = ", ".join(sorted(changed))
    record_audit(caller, "destination.changed", **_audited(locked), fields=fields, target=target_of(locked))
    return locked


@transaction.atomic
def turn_off(caller: Caller, *, destination: Destination) -> Cleared:
    """Turn a destination off for good: no board and no card uses it any more, and its key is destroyed.

    What is queued for it ends unsent. Once more changes nothing, and clears nothing.
    """
    require_keeper(caller, destination)
    locked = lock_destination(destination)
    if locked.state == DestinationState.OFF:
        return Cleared()
    uses = uses_of(caller, locked)
    if uses.are_any:  # without it, nobody could decide on what lies there
        raise DESTINATION_IN_USE(used_by=uses.named, hidden_boards=uses.hidden_boards)
    boards = list(BoardDestination.objects.select_related("board").filter(destination=locked).order_by("pk"))
    cards = list(CardDestination.objects.select_related("card").filter(destination=locked).order_by("pk"))
    BoardDestination.objects.filter(pk__in=[row.pk for row in boards]).delete()
    CardDestination.objects.filter(pk__in=[row.pk for row in cards]).delete()
    secret, locked.secret = locked.secret, None
    locked.state = DestinationState.OFF
    locked.revision += 1
    locked.save(update_fields=["secret", "state", "revision", "updated_at"])
    if secret is not None:
        destroy_secret(secret)
    record_audit(caller, "destination.disabled", **_audited(locked), boards=len(boards), cards=len(cards))
    logger.info("Destination turned off", extra={"destination": locked.pk})
    destination.refresh_from_db()
    return _as_seen_by(caller, Cleared(boards=boards, cards=cards, is_secret_destroyed=secret is not None))


def _leave_place(caller: Caller, destination: Destination) -> None:
    """Let what uses the destination begin again at its new place, unless something of it waits at the old one."""
    uses = uses_of(caller, destination, of_the_place=True)
    if uses.are_any:
        raise DESTINATION_IN_USE(used_by=uses.named, hidden_boards=uses.hidden_boards)
    for holding, rows in held(destination):
        if holding.at_another_place is not None:
            rows.update(**holding.at_another_place)


def _as_seen_by(caller: Caller, cleared: Cleared) -> Cleared:
    """Name only what lies on boards that the caller opens, and count the rest."""
    opened = set(boards_of(caller).values_list("pk", flat=True))
    boards = [row for row in cleared.boards if row.board_id in opened]
    cards = [row for row in cleared.cards if row.card.board_id in opened]
    hidden = len(cleared.boards) + len(cleared.cards) - len(boards) - len(cards)
    return replace(cleared, boards=boards, cards=cards, hidden=hidden)


def lock_on(destination: Destination) -> Destination:
    """Return the destination's newest row, locked; refuse DESTINATION_DISABLED for one that is off."""
    locked = lock_destination(destination)
    if locked.state == DestinationState.OFF:
        raise DESTINATION_DISABLED()
    return locked


def target_of(destination: Destination) -> str:
    """Return in one line where a destination is; no secret is part of it."""
    return target_text(destination.config)


def _audited(destination: Destination) -> dict[str, str]:
    return {"destination": str(destination.pk), "name": destination.name, "kind": destination.kind}
