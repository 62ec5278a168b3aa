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
IS_FULL = "bakedbrie.is_full"  # in META, where the site puts it: no thread is left for what this call asks for
FULL_FOR_S = 20  # as long as a provider may take to answer


class TokenThrottle(BaseThrottle):
    """A full window refuses until the next minute begins. Without Valkey nothing is counted and nothing refused."""

    def __init__(self) -> None:
        self._wait_s = 0.0

    def allow_request(self, request: Request, view: APIView) -> bool:
        caller: object = request.auth
        if not isinstance(caller, Caller):
            return True
        if IS_FULL in request.META:
            self._wait_s = FULL_FOR_S
            return False
        calls = tally.add(f"calls:{caller.subject}", window_s=WINDOW_S)
        self._wait_s = calls.wait_s
        return calls.count <= settings.CALLS_PER_MINUTE

    def wait(self) -> float:
        return self._wait_s
