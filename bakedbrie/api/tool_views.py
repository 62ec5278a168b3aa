"""The tools over REST: what MCP lists and calls, and everybody else may too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db import transaction
from rest_framework.fields import DictField, ListField
from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.api import whoami
from bakedbrie.api.catalog import REQUEST_ID, TOOLS, described, tools_for
from bakedbrie.api.errors import request_id_of
from bakedbrie.api.tool_answers import WHOAMI
from bakedbrie.lib.refusals import INVALID_INPUT, NOT_FOUND
from bakedbrie.lib.toolkit.inputs import Input, parse
from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.toolkit.untrusted import wrap
from bakedbrie.lib.web.operation import Operation
from bakedbrie.middleware import is_plain_request_id, set_request_id
from workspaces.access import read_only, require_capability
from workspaces.api.views import CallerView
from workspaces.caller import Caller
from workspaces.refusals import TOKEN_RUNNER_ONLY
from workspaces.services.replay import replay
from workspaces.states import Preset


class TokenView(CallerView):
    """Tells whether a token is good, without doing anything else."""

    @Operation("Check the token", status=204)
    def get(self, request: Request) -> Response:
        return Response(status=204)


class WhoamiView(CallerView):
    """What the tool whoami tells, bare."""

    @Operation("Who am I", answer=WHOAMI)
    def get(self, request: Request) -> Response:
        require_capability(self.caller, *whoami.TOOL.capabilities)
        return self.answer(whoami.whoami(self.caller, whoami.WhoamiIn()))


class ToolListView(CallerView):
    """The tools this token is shown."""

    @Operation("List the tools of this token", answer={"tools": ListField(child=DictField())})
    def get(self, request: Request) -> Response:
        tools = [described(tool.name) for tool in tools_for(self.caller)]
        return Response({"tools": tools, "request_id": request_id_of(request)})


class ToolCallView(CallerView):
    """Does one call: may it be made at all, is the input right, was it made before; then the handler."""

    @Operation("Call a tool", body=Input, answer={"untrusted_data": DictField()})
    def post(self, request: Request, name: str) -> Response:
        arguments, given_id = self._arguments()
        caller = replace(self.caller, request_id=request_id_of(request))
        tool = TOOLS.get(name)
        if tool is None:
            raise NOT_FOUND(fix="List the tools again and use a name as it is written there.")
        effect = tool.effect_of(arguments)
        _require_allowed(caller, tool, effect)
        given = parse(tool.input, arguments)
        answer = replay(
            caller,
            request_id=given_id,
            call={"tool": name, "arguments": arguments},
            effect=effect,
            run=lambda: _run(tool, caller, given, effect),
            shown_once=tool.shown_once,
        )
        return Response(wrap(answer, caller.request_id))

    def _arguments(self) -> tuple[dict[str, Any], str]:
        """Return the arguments without the request_id, and the id if the caller gave one there or in the header."""
        if not isinstance(self.request.data, dict):
            raise INVALID_INPUT(fields={"": ["must be an object"]})
        arguments = dict(self.request.data)
        given = arguments.pop(REQUEST_ID, None)
        if given is None:
            return arguments, self.given_request_id
        if not isinstance(given, str) or not is_plain_request_id(given):
            raise INVALID_INPUT(fields={REQUEST_ID: ["may have 1 to 100 letters, digits and . _ : -"]})
        set_request_id(self.request._request, given)
        return arguments, given


def _require_allowed(caller: Caller, tool: Tool[Caller], effect: Effect) -> None:
    """Being unlisted is no protection: each call is weighed again."""
    if caller.preset is Preset.RUNNER and not tool.serves_runner:
        raise TOKEN_RUNNER_ONLY()
    require_capability(caller, *tool.capabilities)
    if caller.preset is Preset.READ_ONLY and effect is not Effect.READ:
        raise read_only(caller)


def _run(tool: Tool[Caller], caller: Caller, given: Input, effect: Effect) -> Answer:
    """A call that changes something happens as a whole or not at all; one that sends must not hold a transaction."""
    if effect is not Effect.WRITE:
        return tool.handler(caller, given)
    with transaction.atomic():
        return tool.handler(caller, given)
