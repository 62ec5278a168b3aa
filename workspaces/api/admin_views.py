"""What owners and admins read of their workspace over REST: open invites and the audit trail."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from workspaces.api.views import CallerView
from workspaces.inputs import ListAuditIn
from workspaces.selectors import audit_of, open_invites
from workspaces.serializers import AuditEntrySerializer, InviteSerializer


class InvitesView(CallerView):
    @Operation(
        "List the invites that can still be accepted, newest first",
        query=PageInput,
        answer={"invites": InviteSerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        found = page(open_invites(self.caller), cursor=given.cursor, limit=given.limit, order=("-id",))
        invites = show_rows(InviteSerializer(), found.items)
        return self.answer({"invites": invites, "next_cursor": found.next_cursor})


class AuditView(CallerView):
    @Operation(
        "List who changed which right, newest first",
        query=ListAuditIn,
        answer={"entries": AuditEntrySerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        given = parse_query(ListAuditIn, request.query_params.dict())
        rows = audit_of(self.caller, verb=given.verb)
        found = page(rows, cursor=given.cursor, limit=given.limit, order=("-id",))
        entries = show_rows(AuditEntrySerializer(), found.items)
        return self.answer({"entries": entries, "next_cursor": found.next_cursor})
