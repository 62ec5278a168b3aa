"""What a migration may do while workers of the version before still run, judged from its operations.

`BASELINE` is where workers that may still run have stopped; a release moves it to the release's own last migrations.
None stands for an app that they do not know at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.postgres import operations as postgres
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.operations import SeparateDatabaseAndState, base
from django.db.migrations.operations.fields import AddField, AlterField, RemoveField
from django.db.migrations.operations.models import (
    AddIndex,
    AlterModelManagers,
    AlterModelOptions,
    CreateModel,
    RemoveConstraint,
    RemoveIndex,
)
from django.db.migrations.state import ProjectState
from django.db.models import Field, ManyToManyField
from django.db.models.fields import NOT_PROVIDED

BASELINE: dict[str, str | None] = {
    "agents": "0006_monthly_cap",
    "boards": "0002_initial",
    "connecting": None,
    "destinations": None,
    "reviews": None,
    "workflows": "0001_initial",
    "workspaces": "0004_actor_board",
}
# An index on one of these takes long to make, and nobody writes to the table meanwhile.
LARGE = {
    "agents.modelcall",
    "agents.turn",
    "agents.turnline",
    "boards.boardevent",
    "boards.card",
    "boards.cardfile",
    "boards.comment",
    "workspaces.auditentry",
    "workspaces.requestrecord",
}
# (app, migration): why it may break the rules all the same.
ALLOWED: dict[tuple[str, str], str] = {}

HARMLESS = (
    CreateModel,
    AlterModelOptions,
    AlterModelManagers,
    RemoveConstraint,
    RemoveIndex,
    postgres.AddIndexConcurrently,
    postgres.RemoveIndexConcurrently,
    postgres.AddConstraintNotValid,
    postgres.ValidateConstraint,
)


def problems(migration: Migration, state: ProjectState, connection: BaseDatabaseWrapper) -> list[str]:
    """Return what older workers would stumble over. ``state`` is the one before the migration, and moves on with it."""
    new: set[str] = set()
    found: list[str] = []
    for operation in migration.operations:
        found += _problems(operation, migration.app_label, state, new, connection)
        operation.state_forwards(migration.app_label, state)
        if isinstance(operation, CreateModel):
            new.add(f"{migration.app_label}.{operation.name_lower}")
    return found


def _problems(
    operation: base.Operation, app: str, state: ProjectState, new: set[str], connection: BaseDatabaseWrapper
) -> Iterator[str]:
    told = operation.describe()
    table = f"{app}.{getattr(operation, 'model_name', '').lower()}"
    if isinstance(operation, HARMLESS) or table in new:
        return
    if isinstance(operation, SeparateDatabaseAndState) and not operation.database_operations:
        yield from _demanded(operation, app, state)
    elif isinstance(operation, AddField):
        if not _fills_itself(operation.field):
            yield f"{told}: an older worker leaves it out. Give it a db_default, or let it be null"
    elif isinstance(operation, AlterField):
        before = state.models[app, operation.model_name_lower].fields[operation.name]
        yield from (f"{told}: {problem}" for problem in _narrowed(before, operation.field, connection))
    elif isinstance(operation, AddIndex):
        if table in LARGE:
            yield f"{told}: use AddIndexConcurrently in a migration with atomic = False"
    else:
        yield f"{told}: older workers do not expect it"


def _demanded(operation: SeparateDatabaseAndState, app: str, state: ProjectState) -> Iterator[str]:
    """A field that the code forgets keeps its column: new workers must be able to leave it out."""
    for forgotten in operation.state_operations:
        if not isinstance(forgotten, RemoveField):
            yield f"{forgotten.describe()}: only a field may be forgotten"
        elif not _fills_itself(state.models[app, forgotten.model_name_lower].fields[forgotten.name]):
            yield f"{forgotten.describe()}: first give it a db_default, or let it be null"


def _fills_itself(field: Field[object, object]) -> bool:
    return field.null or field.db_default is not NOT_PROVIDED or isinstance(field, ManyToManyField)


def _narrowed(
    before: Field[object, object], after: Field[object, object], connection: BaseDatabaseWrapper
) -> Iterator[str]:
    if before.null and not after.null:
        yield "an older worker still writes nothing into it"
    if before.db_default is not NOT_PROVIDED and after.db_default is NOT_PROVIDED and not after.null:
        yield "an older worker relies on its default in the database"
    types = before.db_type(connection), after.db_type(connection)
    if types[0] != types[1] and not _is_wider(before, after):
        yield f"its type changes from {types[0]} to {types[1]}"


def _is_wider(before: Field[object, object], after: Field[object, object]) -> bool:
    """A longer text holds whatever a shorter one holds."""
    if type(before) is not type(after) or before.max_length is None:
        return False
    return after.max_length is None or after.max_length > before.max_length
