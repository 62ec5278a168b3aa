"""The capabilities over REST, to read. They are switched by people."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from workspaces.api.views import CallerView
from workspaces.selectors import list_capabilities
from workspaces.serializers import CapabilitySerializer


class CapabilitiesView(CallerView):
    @Operation("List the capabilities and which are on", answer={"capabilities": CapabilitySerializer(many=True)})
    def get(self, request: Request) -> Response:
        return self.answer({"capabilities": show_rows(CapabilitySerializer(), list_capabilities(self.caller))})
