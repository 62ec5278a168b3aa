"""Connecting a bucket, giving it another place or key, checking and trying it: the drop is used up, and only a key
that the service takes is kept."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace

from bakedbrie.lib import ids
from bakedbrie.lib.outbound.errors import OutboundError
from bakedbrie.lib.refusals import REVISION_CONFLICT
from bakedbrie.lib.s3.answers import Outcome
from bakedbrie.lib.s3.client import S3
from destinations.access import require_connector, require_keeper
from destinations.calls.keys import KeyUnusable, bucket_of, open_bucket, open_with
from destinations.calls.outcomes import code_of
from destinations.calls.probe import TIMEOUT_S, probe, refusal_of, unreachable
from destinations.models import Destination
from destinations.refusals import DESTINATION_AUTH_FAILED, DESTINATION_DISABLED
from destinations.services.attempts import note_outcome
from destinations.services.destinations import (
    Changes,
    DestinationPlan,
    add_destination,
    change_destination,
    check_template,
)
from destinations.states import DeliveryCode, DestinationState
from workspaces.caller import Caller
from workspaces.models import SealedSecret
from workspaces.services.drops import consume_drop
from workspaces.services.secrets import destroy_secret
from workspaces.states import SecretPurpose

_PROBE = b"BakedBrie wrote this to try the destination, and removes it again.\n"


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A test object that was written, read back and removed."""

    path: str
    is_removed: bool


def create_destination(caller: Caller, *, plan: DestinationPlan, drop_id: object) -> Destination:
    """Keep the destination, or refuse and keep nothing: the key is destroyed and the drop stays used."""
    require_connector(caller)
    check_template(plan.path_template)
    with _dropped(caller, drop_id) as (secret, keep):
        _require_taken(asdict(plan.config), secret)
        destination = add_destination(caller, plan=plan, secret=secret)
        keep.pop_all()
    return destination


def update_destination(
    caller: Caller,
    *,
    destination: Destination,
    changes: Changes,
    drop_id: object = None,
    expected_revision: int | None = None,
) -> Destination:
    """Change a destination; another place or key is tried first, and refused when the service does not take it."""
    require_keeper(caller, destination)
    if destination.state == DestinationState.OFF:
        raise DESTINATION_DISABLED()
    if expected_revision not in {None, destination.revision}:
        raise REVISION_CONFLICT(current_revision=destination.revision)
    if changes.path_template is not None:
        check_template(changes.path_template)
    config = asdict(changes.config) if changes.config else destination.config
    if drop_id is None:
        if changes.config is not None:
            _require_taken(config, destination.secret)
        return change_destination(caller, destination=destination, changes=changes, expected_revision=expected_revision)
    with _dropped(caller, drop_id) as (secret, keep):
        _require_taken(config, secret)
        changed = change_destination(
            caller,
            destination=destination,
            changes=replace(changes, secret=secret),
            expected_revision=expected_revision,
        )
        keep.pop_all()
    note_outcome(changed.pk, DeliveryCode.DONE)
    changed.refresh_from_db(fields=["state", "last_error", "checked_at"])
    return changed


def check_destination(caller: Caller, *, destination: Destination) -> Destination:
    """Ask the service whether it takes the key, and mark the destination on or failing."""
    require_connector(caller)
    if destination.state == DestinationState.OFF:
        raise DESTINATION_DISABLED()
    try:
        code = probe(open_bucket(destination, timeout_s=TIMEOUT_S))
    except KeyUnusable:
        code = DeliveryCode.KEY_UNUSABLE
    note_outcome(destination.pk, code)
    destination.refresh_from_db(fields=["state", "last_error", "checked_at"])
    return destination


def try_destination(caller: Caller, *, destination: Destination) -> Tried:
    """Write a small object of a new name below the prefix, look at it, and remove it."""
    require_keeper(caller, destination)
    if destination.state == DestinationState.OFF:
        raise DESTINATION_DISABLED()
    try:
        bucket = open_bucket(destination, timeout_s=TIMEOUT_S)
    except KeyUnusable:
        raise DESTINATION_AUTH_FAILED(reason=DeliveryCode.KEY_UNUSABLE.value) from None
    path = bucket.bucket.key(f"bakedbrie-test-{ids.new_id()}.txt")
    try:
        _require_ok(destination, _put(bucket, path))
        _require_ok(destination, bucket.head(path))
        is_removed = bucket.delete(path).is_ok
    except OutboundError as error:
        note_outcome(destination.pk, DeliveryCode.UNAVAILABLE)
        raise unreachable(f"{error.sentence} The object {path} may lie there.", error.code.value) from None
    note_outcome(destination.pk, DeliveryCode.DONE)
    return Tried(path=path, is_removed=is_removed)


@contextmanager
def _dropped(caller: Caller, drop_id: object) -> Iterator[tuple[SealedSecret, ExitStack]]:
    """Use a drop up; its secret is destroyed at the end unless the stack was emptied."""
    secret = consume_drop(caller, drop_id=drop_id, purpose=SecretPurpose.DESTINATION)
    with ExitStack() as undo:
        undo.callback(destroy_secret, secret)
        yield secret, undo


def _require_taken(config: dict[str, object], secret: SealedSecret | None) -> None:
    try:
        code = probe(open_with(bucket_of(config), secret, timeout_s=TIMEOUT_S))
    except KeyUnusable:
        raise DESTINATION_AUTH_FAILED(reason=DeliveryCode.KEY_UNUSABLE.value) from None
    if code:
        raise refusal_of(code)


def _put(bucket: S3, path: str) -> Outcome:
    sha256 = hashlib.sha256(_PROBE).hexdigest()
    return bucket.put(path, io.BytesIO(_PROBE), size=len(_PROBE), sha256=sha256, media_type="text/plain")


def _require_ok(destination: Destination, outcome: Outcome) -> None:
    if not outcome.is_ok:
        code = code_of(outcome)
        note_outcome(destination.pk, code)
        raise refusal_of(code)
