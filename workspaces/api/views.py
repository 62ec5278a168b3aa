"""The base of every REST view: it knows its caller and the request_id that the caller chose."""

from __future__ import annotations

from collections.abc import Callable

from rest_framework.response import Response
from rest_framework.views import APIView

from bakedbrie.lib.toolkit.tool import Answer, Effect
from workspaces.caller import Caller
from workspaces.services.replay import replay


class CallerView(APIView):
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
