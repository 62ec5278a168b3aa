"""A list of a page, as far as the address says: ``?cursor=`` leads to its next part."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest

from bakedbrie.lib.paging import Page, PageInput, RowT, page
from bakedbrie.lib.toolkit.inputs import parse_query


def page_in_address(request: HttpRequest, rows: QuerySet[RowT], *, limit: int, order: tuple[str, ...]) -> Page[RowT]:
    """Return what follows the cursor of the address, or the first rows."""
    cursor = request.GET.get("cursor")
    given = parse_query(PageInput, {} if cursor is None else {"cursor": cursor})
    return page(rows, cursor=given.cursor, limit=limit, order=order)
