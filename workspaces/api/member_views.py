"""Members of the workspace over REST, to read. Roles and removals are for people, in the web app."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from workspaces.access import get_member
from workspaces.api.views import CallerView
from workspaces.selectors import members_of
from workspaces.serializers import MemberSerializer


class MembersView(CallerView):
    @Operation("List the members of the workspace", query=PageInput, answer={"members": MemberSerializer(many=True)})
    def get(self, request: Request) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        found = page(members_of(self.caller), cursor=given.cursor, limit=given.limit, order=("id",))
        members = show_rows(MemberSerializer(), found.items)
        return self.answer({"members": members, "next_cursor": found.next_cursor})


class MemberView(CallerView):
    @Operation("Read a member of the workspace", answer={"member": MemberSerializer()})
    def get(self, request: Request, member_id: str) -> Response:
        return self.answer({"member": MemberSerializer(get_member(self.caller, member_id)).data})
