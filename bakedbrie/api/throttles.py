"""How many calls a token may make in a minute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from bakedbrie.lib import tally
from workspaces.caller import Caller

if TYPE_CHECKING:  # DRF reads its settings, and with them this module, while it loads its views
    from rest_framework.views import APIView

WINDOW_S = 60


class TokenThrottle(BaseThrottle):
    """A full window refuses until the next minute begins. Without Valkey nothing is counted and nothing refused."""

    def __init__(self) -> None:
        self._wait_s = 0.0

    def allow_request(self, request: Request, view: APIView) -> bool:
        caller: object = request.auth
        if not isinstance(caller, Caller):
            return True
        calls = tally.add(f"calls:{caller.subject}", window_s=WINDOW_S)
        self._wait_s = calls.wait_s
        return calls.count <= settings.CALLS_PER_MINUTE

    def wait(self) -> float:
        return self._wait_s
