"""Who calls: a token in ``Authorization: Bearer`` or ``X-API-Key`` becomes a caller."""

from __future__ import annotations

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from bakedbrie.middleware import DOOR
from workspaces.access import caller_from_token
from workspaces.caller import Caller
from workspaces.models import Token, User
from workspaces.refusals import UNAUTHENTICATED
from workspaces.services.tokens import note_use
from workspaces.states import TokenKind

_LONGEST = 200


class TokenAuthentication(BaseAuthentication):
    """Sets ``request.auth`` to the `Caller`. One query; the time of last use is written once a minute."""

    def authenticate(self, request: Request) -> tuple[User, Caller] | None:
        raw = _token_in(request)
        if raw is None:
            return None
        if not 0 < len(raw) <= _LONGEST:
            raise UNAUTHENTICATED()
        caller = caller_from_token(raw, getattr(request, "request_id", ""))
        if isinstance(caller.token, Token):
            _require_its_door(request, caller.token)
            note_use(caller.token)
        return caller.member.user, caller

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _require_its_door(request: Request, token: Token) -> None:
    """The token of a connected assistant is for MCP alone, which calls from within."""
    if token.kind == TokenKind.CONNECTED and DOOR not in request.META:
        raise UNAUTHENTICATED(
            "This token was given to an assistant, for MCP alone.", fix="Mint a token for REST in settings."
        )


def _token_in(request: Request) -> str | None:
    """Other schemes of Authorization are left to whoever stands before us: a proxy with a password of its own."""
    key = request.headers.get("X-API-Key")
    scheme, _, raw = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return key
    if key is not None and key != raw.strip():
        raise UNAUTHENTICATED(
            "Authorization and X-API-Key carry different tokens.", fix="Send the token in one of the two."
        )
    return raw.strip()
