"""The base of every REST view: it knows its caller and the request_id that the caller chose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bakedbrie.lib.refusals import INVALID_INPUT
from bakedbrie.lib.toolkit.tool import Answer, Effect
from bakedbrie.lib.web.operation import operation_of
from workspaces.caller import Caller
from workspaces.services.replay import replay

UNKNOWN = "is not taken here"


class CallerView(APIView):
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse queries and bodies where the operation takes none: a misspelt filter must not be lost quietly."""
        super().initial(request, *args, **kwargs)
        described = operation_of(getattr(self, str(request.method).lower(), None))
        if described is None:
            return
        given = request.query_params
        if described.query is None and given:
            raise INVALID_INPUT(fields={name: [UNKNOWN] for name in given})
        if twice := [name for name in given if len(given.getlist(name)) > 1]:
            raise INVALID_INPUT(fields={name: ["is given more than once"] for name in twice})
        if request.method in {"GET", "HEAD"} or described.body or described.takes or not request.data:
            return
        body: object = request.data
        names = body if isinstance(body, dict) else [""]
        raise INVALID_INPUT(fields={name: [UNKNOWN] for name in names})

    @property
    def caller(self) -> Caller:
        caller = self.request.auth
        if not isinstance(caller, Caller):
            raise TypeError("HasToken lets nobody in without a caller.")
        return caller

    @property
    def given_request_id(self) -> str:
        """The X-Request-Id that the caller sent: a repetition is told by it. Empty when the caller sent none."""
        return self.request.headers.get("X-Request-Id", "")

    def once(self, run: Callable[[], Answer], *, effect: Effect = Effect.WRITE, body: object = None) -> Response:
        """Answer a change; repeated with the same request_id it answers the same and changes nothing."""
        call = {"method": self.request.method, "path": self.request.path, "body": body}
        answer = replay(self.caller, request_id=self.given_request_id, call=call, effect=effect, run=run)
        return self.answer(answer)

    def answer(self, content: Answer) -> Response:
        return Response({**content, "request_id": self.caller.request_id})
