"""Workers of the version before run beside new ones while a release is rolled out: their writes must go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.migrations import Migration, operations
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from tests.architecture.migration_rules import ALLOWED, BASELINE, problems
from tests.factories.boards import make_file
from tests.factories.workflows import make_line
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller
from workspaces.services.sign_in_links import make_link

OLDER = "older"
Columns = dict[str, list[str]]


def later_than_baseline() -> Iterator[tuple[str, str]]:
    loader = MigrationLoader(None)
    for app, name in sorted(loader.disk_migrations):
        last = BASELINE.get(app)
        if last is not None and name > last:
            yield app, name


@pytest.mark.parametrize(("app", "name"), [*later_than_baseline()])
@pytest.mark.django_db
def test_a_migration_lets_older_workers_go_on(app: str, name: str) -> None:
    loader = MigrationLoader(connection)
    migration = loader.get_migration(app, name)
    before = loader.project_state((app, name), at_end=False)

    found = problems(migration, before, connection)

    if (app, name) in ALLOWED:
        assert found, "It keeps the rules: take it off the list."
    else:
        assert found == []


def test_every_exception_is_a_migration_with_a_reason() -> None:
    assert [key for key, reason in ALLOWED.items() if key not in later_than_baseline() or len(reason) < 20] == []


@pytest.mark.parametrize(
    "operation",
    [
        operations.RemoveField("card", "title"),
        operations.RenameField("card", "title", "name"),
        operations.DeleteModel("Comment"),
        operations.RenameModel("Comment", "Remark"),
        operations.AlterModelTable("comment", "remarks"),
        operations.AddField("card", "weight", models.IntegerField(default=0)),
        operations.AlterField("card", "trashed_at", models.DateTimeField()),
        operations.AlterField("card", "title", models.TextField()),
        operations.AlterField("card", "title", models.CharField(max_length=10)),
        operations.AddIndex("card", models.Index(fields=["title"], name="card_by_title")),
        operations.AddConstraint("card", models.CheckConstraint(condition=models.Q(title__gt=""), name="titled")),
        operations.SeparateDatabaseAndState(state_operations=[operations.RemoveField("card", "title")]),
        operations.RunSQL("UPDATE boards_card SET title = ''"),
        operations.RunPython(operations.RunPython.noop),
    ],
    ids=lambda operation: type(operation).__name__,
)
@pytest.mark.django_db
def test_what_older_workers_stumble_over_is_seen(operation: operations.base.Operation) -> None:
    assert len(judged(operation)) == 1


@pytest.mark.parametrize(
    "operation",
    [
        operations.AddField("card", "weight", models.IntegerField(default=0, db_default=0)),
        operations.AddField("card", "weight", models.IntegerField(null=True)),
        operations.AlterField("card", "title", models.CharField(max_length=1000)),
        AddIndexConcurrently("card", models.Index(fields=["title"], name="card_by_title")),
        operations.SeparateDatabaseAndState(state_operations=[operations.RemoveField("card", "trashed_at")]),
        operations.CreateModel("Label", [("id", models.BigAutoField(primary_key=True))]),
    ],
    ids=lambda operation: type(operation).__name__,
)
@pytest.mark.django_db
def test_what_they_do_not_notice_is_let_through(operation: operations.base.Operation) -> None:
    assert judged(operation) == []


def judged(operation: operations.base.Operation) -> list[str]:
    """Return the problems of one more migration of boards, after the last one."""
    loader = MigrationLoader(connection)
    migration = type("More", (Migration,), {"operations": [operation]})("9999_more", "boards")
    return problems(migration, loader.project_state(loader.graph.leaf_nodes("boards")), connection)


@pytest.fixture
def older(db: None) -> Iterator[BaseDatabaseWrapper]:
    """A database with the schema that older workers know."""
    name = f"{connection.settings_dict['NAME']}_older"
    server = {key: connection.settings_dict[key.upper()] for key in ("host", "port", "user")}
    with psycopg.connect(**server, dbname="postgres", autocommit=True) as maker:
        maker.execute(f'DROP DATABASE IF EXISTS "{name}"'.encode())
        maker.execute(f'CREATE DATABASE "{name}" TEMPLATE template0'.encode())
        database = DatabaseWrapper({**connection.settings_dict, "NAME": name}, alias=OLDER)
        connections[OLDER] = database
        try:
            migrate(database, BASELINE)
            yield database
        finally:
            database.close()
            del connections[OLDER]
            maker.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def migrate(database: BaseDatabaseWrapper, up_to: dict[str, str | None]) -> None:
    executor = MigrationExecutor(database)
    leaves = [(app, name) for app, name in executor.loader.graph.leaf_nodes() if app not in up_to]
    executor.migrate([*leaves, *up_to.items()])


def columns_of(database: BaseDatabaseWrapper) -> Columns:
    """Return the columns of our own tables."""
    tables = [model._meta.db_table for app in BASELINE for model in apps.get_app_config(app).get_models()]
    found: Columns = {}
    with database.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns "
            "WHERE table_name = ANY(%s) ORDER BY ordinal_position",
            [tables],
        )
        for table, column in cursor.fetchall():
            found.setdefault(table, []).append(column)
    return found


def write_as_before(columns: Columns, database: BaseDatabaseWrapper) -> dict[str, int]:
    """Copy this test's rows into the other database with these columns alone, as an older worker writes them."""
    with connection.cursor() as source, database.cursor() as target:
        target.execute("SET session_replication_role = replica")  # the order of tables does not matter
        for table, names in columns.items():
            listed = ", ".join(f'"{name}"' for name in names)
            with (
                source.copy(f"COPY (SELECT {listed} FROM {table}) TO STDOUT") as rows,
                target.copy(f"COPY {table} ({listed}) FROM STDIN") as copy,
            ):
                for row in rows:
                    copy.write(row)
        return {table: count(target, table) for table in columns}


def count(cursor: Any, table: str) -> int:
    cursor.execute(f"SELECT count(*) FROM {table}")
    return int(cursor.fetchone()[0])


def test_rows_as_older_workers_write_them_are_taken_after_migrating(
    older: BaseDatabaseWrapper, alice: Caller, settings: Any
) -> None:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        line = make_line(alice, provider)
        line.run(line.start())
    make_file(alice, line.card)
    make_link(alice.member.user)
    known = columns_of(older)

    migrate(older, {})
    written = write_as_before(known, older)

    assert written["agents_turn"] == written["agents_modelcall"] == written["boards_card"] == 1
    assert sum(1 for rows in written.values() if rows) > 15
    for app in BASELINE:
        for model in apps.get_app_config(app).get_models():
            rows = list(model._default_manager.using(OLDER).all())
            assert len(rows) == written.get(model._meta.db_table, 0)


def test_columns_that_older_workers_do_not_know_fill_themselves(older: BaseDatabaseWrapper) -> None:
    known = columns_of(older)

    migrate(older, {})

    with older.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns "
            "WHERE table_name = ANY(%s) AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'",
            [list(known)],
        )
        demanding = [(table, column) for table, column in cursor.fetchall() if column not in known[table]]
    now = columns_of(older)
    assert demanding == []
    assert [(table, name) for table, names in known.items() for name in names if name not in now[table]] == []
