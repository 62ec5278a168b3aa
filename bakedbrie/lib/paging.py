"""Lists in pages: an opaque cursor says after which row the next page begins, so rows that come or go shift nothing.

Each row is on one page only, as long as what it is ordered by stays the same. Ids never change. A place in a column
does: a card that is moved while somebody reads page after page may be seen twice or not at all.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Field, Model, Q, QuerySet
from pydantic import Field as InputField

from bakedbrie.lib import strictjson
from bakedbrie.lib.refusals import INVALID_INPUT, Refused
from bakedbrie.lib.toolkit.inputs import Input

RowT = TypeVar("RowT", bound=Model)
ItemT = TypeVar("ItemT")

MOST_ROWS = 100


class PageInput(Input):
    """What every paged list takes."""

    cursor: str | None = InputField(default=None, max_length=400, description="next_cursor of the page before.")
    limit: int = InputField(default=50, ge=1, le=MOST_ROWS, description="Rows per page.")


@dataclass(frozen=True, kw_only=True)
class Page(Generic[ItemT]):
    """``next_cursor`` is None on the last page."""

    items: list[ItemT]
    next_cursor: str | None


def page(rows: QuerySet[RowT], *, cursor: str | None, limit: int, order: tuple[str, ...]) -> Page[RowT]:
    """Return one page. ``order`` names ids or whole numbers, never null, that together tell every two rows apart."""
    if cursor is not None:
        rows = rows.filter(_after(rows.model, order, _read_cursor(cursor, order)))
    found = list(rows.order_by(*order)[: limit + 1])
    items = found[:limit]
    return Page(items=items, next_cursor=_write_cursor(items[-1], order) if len(found) > limit else None)


def _after(model: type[Model], order: tuple[str, ...], texts: list[str]) -> Q:
    """Return the condition "later in this order than the row with these values"."""
    later = Q(pk__in=[])
    same = Q()
    for name, text in zip(order, texts, strict=True):
        path = name.removeprefix("-")
        try:
            value = _field(model, path).to_python(text)
        except ValidationError:
            raise _broken() from None
        later |= same & Q(**{f"{path}__{'lt' if name.startswith('-') else 'gt'}": value})
        same &= Q(**{path: value})
    return later


def _field(model: type[Model], path: str) -> Field[Any, Any]:
    *relations, last = path.split("__")
    for relation in relations:
        related = model._meta.get_field(relation).related_model
        if not isinstance(related, type):
            raise TypeError(f"{relation} of {model.__name__} leads nowhere.")
        model = related
    field = model._meta.pk if last == "pk" else model._meta.get_field(last)
    if not isinstance(field, Field):
        raise TypeError(f"{path} is no field to order by.")
    return field


def _write_cursor(row: Model, order: tuple[str, ...]) -> str:
    values = [reduce(getattr, name.removeprefix("-").split("__"), row) for name in order]
    text = json.dumps([*order, *map(str, values)])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(cursor: str, order: tuple[str, ...]) -> list[str]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        parts = strictjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError):
        raise _broken() from None
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise _broken()
    names, values = parts[: len(order)], parts[len(order) :]
    if tuple(names) != order or len(values) != len(order) or any("\x00" in value for value in values):
        raise _broken()
    return values


def _broken() -> Refused:
    return INVALID_INPUT(fields={"cursor": ["is no cursor of this list"]})
