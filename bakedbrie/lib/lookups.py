"""Finding a row by an id, with SQL that is made once per process.

Django makes the SQL of a query anew each time. For a row that brings ten others along this takes four times as long as
asking for it and reading the answer.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import connections
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators  # type: ignore[attr-defined]  # missing in the stubs
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

RowT = TypeVar("RowT", bound=Model)
Key = uuid.UUID | str

_ANY = uuid.UUID(int=2**128 - 1)  # stands in the SQL where the id goes; no row has it


class Lookup(Generic[RowT]):
    """A query that is written once for any id, as a function of it. All other values in it stay as they are.

    For a key of another kind, ``any_key`` is one that no row has.
    """

    def __init__(self, rows_of: Callable[[Any], QuerySet[RowT]], *, any_key: Key = _ANY) -> None:
        self._rows_of = rows_of
        self._any = any_key

    def first(self, key: Key) -> RowT | None:
        """Return the query's first row for this id, with the rows it selects beside it, or None."""
        return next(iter(self.all(key)), None)

    def all(self, key: Key) -> list[RowT]:
        """Return all of the query's rows for this id."""
        written = self._written
        connection = connections[written.using]
        if written.locks and not connection.in_atomic_block:
            raise TransactionManagementError("A row is locked until the transaction ends, and there is none.")
        with connection.cursor() as cursor:
            cursor.execute(written.sql, [key if value == self._any else value for value in written.params])
            return written.build(cursor.fetchall())

    @cached_property
    def _written(self) -> _Written[RowT]:
        rows = self._rows_of(self._any)
        compiler = rows.query.get_compiler(rows.db)
        sql, params = compiler.as_sql()
        return _Written(
            model=rows.model,
            using=rows.db,
            locks=rows.query.select_for_update,
            sql=sql,
            params=tuple(params),
            compiler=compiler,
        )


@dataclass(frozen=True, kw_only=True)
class _Written(Generic[RowT]):
    """The SQL of one query, and how its rows become objects: as Django's own `ModelIterable` does it."""

    model: type[RowT]
    using: str
    locks: bool
    sql: str
    params: tuple[Any, ...]
    compiler: SQLCompiler

    def build(self, rows: Sequence[Sequence[Any]]) -> list[RowT]:
        return [self._build(row) for row in self.compiler.results_iter([list(rows)])]

    def _build(self, row: Sequence[Any]) -> RowT:
        found = self.model.from_db(self.using, self._names, row[self._own])
        for populator in self._beside:
            populator.populate(row, found)
        return found

    @cached_property
    def _own(self) -> slice:
        columns = self._described["select_fields"]
        return slice(columns[0], columns[-1] + 1)

    @cached_property
    def _names(self) -> list[str]:
        return [column[0].target.attname for column in (self.compiler.select or [])[self._own]]

    @cached_property
    def _beside(self) -> list[Any]:
        return list(get_related_populators(self._described, self.compiler.select, self.using))

    @property
    def _described(self) -> dict[str, Any]:
        described: dict[str, Any] | None = self.compiler.klass_info
        assert described is not None  # a query for rows, never for values
        return described
