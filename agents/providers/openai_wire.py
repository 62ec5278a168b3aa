"""What OpenAI's two APIs share: the header of the key, the list of models, and where a request's id stands."""

from __future__ import annotations

from abc import ABC, abstractmethod

from agents.providers import base
from agents.providers.base import Events, Reply
from agents.providers.errors import read_error
from bakedbrie.lib.outbound.messages import Answer, Headers, Request, find_header
from bakedbrie.lib.outbound.urls import join

_REQUEST_ID = "x-request-id"


class OpenAiWire(ABC):
    key_header = "Authorization"
    key_prefix = "Bearer "

    def check(self, base_url: str, timeout_s: float) -> Request:
        return base.list_request(join(base_url, "/models"), (), timeout_s)

    def events(self, headers: Headers) -> Events:
        return self._events(find_header(headers, _REQUEST_ID) or "")

    def read(self, answer: Answer) -> Reply:
        request_id = answer.header(_REQUEST_ID) or ""
        if answer.status != 200:
            return read_error(answer, base.label(request_id, 120))
        return self._reply(base.body_of(answer), request_id)

    @abstractmethod
    def _events(self, request_id: str) -> Events: ...

    @abstractmethod
    def _reply(self, body: dict[str, object] | None, request_id: str) -> Reply: ...
