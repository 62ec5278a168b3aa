"""The audit trail: who changed which right, when, in words."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from bakedbrie.lib.paging import Page, page
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.forms import refused_status, show_in_place
from bakedbrie.lib.web.htmx import partial_or_page
from workspaces.caller import Caller
from workspaces.inputs import ShowAuditIn
from workspaces.models import AuditEntry
from workspaces.selectors import audit_of, audited_actors, names_of_members
from workspaces.web.audit_words import KINDS, PEOPLE, sentence_of
from workspaces.web.session import member_page


@require_safe
@member_page
def trail(request: HttpRequest, caller: Caller) -> HttpResponse:
    rows = audit_of(caller)
    given, refused = ShowAuditIn(), None
    found: Page[AuditEntry] = Page(items=[], next_cursor=None)
    try:
        given = parse_query(ShowAuditIn, {name: value for name, value in request.GET.dict().items() if value})
        rows = audit_of(caller, kind=given.kind, actor_id=given.person)
        found = page(rows, cursor=given.cursor, limit=given.limit, order=("-id",))
    except Refused as caught:
        refused = show_in_place(caught)
    member_ids = {str(entry.data[key]) for entry in found.items for key in PEOPLE if key in entry.data}
    names = names_of_members(caller, member_ids)
    kept = {name: value for name, value in (("person", given.person), ("kind", given.kind)) if value}
    context = {
        "rows": [(entry, sentence_of(entry, names)) for entry in found.items],
        "actors": audited_actors(caller),
        "kinds": KINDS,
        "given": given,
        "is_filtered": bool(kept),
        "kept": urlencode(kept),
        "next_cursor": found.next_cursor,
        "is_first": given.cursor is None,
        "list_url": reverse("settings-audit"),
        "refused": refused,
    }
    status = refused_status(refused) if refused else 200
    return partial_or_page(request, "workspaces/_audit.html", "workspaces/audit_page.html", context, status)
