"""Reading what an assistant asks for when it sends a person to us."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.http import HttpRequest
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.models import Application
from oauth2_provider.oauth2_backends import OAuthLibCore

from connecting.addresses import issuer, resource
from connecting.calls.documents import client_of
from connecting.refusals import ASSISTANT_REQUEST_WRONG
from connecting.rules import WrongMetadata, check_redirect_uri
from workspaces.caller import Caller

LONGEST_QUERY = 8000
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
ONCE = (
    "client_id",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "response_mode",
    "prompt",
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request that may be answered at ``redirect_uri``, which is one of the client's own."""

    client: Application
    redirect_uri: str
    state: str
    scopes: tuple[str, ...] = ()
    credentials: Mapping[str, Any] = field(default_factory=dict)

    def back(self, error: str, description: str = "") -> str:
        """Return the address that tells the assistant why it gets nothing."""
        said = {"error": error, "error_description": description, "state": self.state}
        return with_issuer(_with(self.redirect_uri, {name: value for name, value in said.items() if value}))


class CannotAnswer(Exception):
    """The request is wrong, but the assistant is known: a person may go back to it with the error."""

    def __init__(self, asked: Asked, error: str, description: str) -> None:
        super().__init__(description)
        self.asked = asked
        self.error = error


def read_request(request: HttpRequest, caller: Caller) -> Asked:
    """Return what is asked for. Refuses what may be answered nowhere; raises `CannotAnswer` for the rest.

    The answer to the page's form is read from the same address again, so that nothing has to be trusted in between.
    """
    _check_query(request)
    client = client_of(caller, request.GET.get("client_id", ""))
    redirect_uri = _redirect_uri(request, client)
    asked = Asked(client=client, redirect_uri=redirect_uri, state=request.GET.get("state", ""))
    try:
        scopes, credentials = OAuthLibCore().validate_authorization_request(request)
    except FatalClientError as error:
        raise ASSISTANT_REQUEST_WRONG(error.oauthlib_error.description or "") from None
    except OAuthToolkitError as error:
        raise CannotAnswer(asked, error.oauthlib_error.error, error.oauthlib_error.description or "") from None
    if credentials.get("code_challenge_method") != "S256":
        raise CannotAnswer(asked, "invalid_request", "code_challenge_method must be S256.")
    if not _CHALLENGE.fullmatch(credentials.get("code_challenge") or ""):
        raise CannotAnswer(asked, "invalid_request", "code_challenge must be a SHA-256 in base64url: 43 characters.")
    if set(request.GET.getlist("resource")) - {resource()}:
        raise CannotAnswer(asked, "invalid_target", f"The only resource is {resource()}.")
    if request.GET.get("response_mode", "query") != "query":
        raise CannotAnswer(asked, "invalid_request", "The only response_mode is query.")
    if "none" in request.GET.get("prompt", "").split():
        raise CannotAnswer(asked, "consent_required", "A person has to answer.")
    kept = {name: credentials[name] for name in ("client_id", "redirect_uri", "response_type", "state")}
    kept |= {name: credentials[name] for name in ("code_challenge", "code_challenge_method")}
    return Asked(
        client=client,
        redirect_uri=redirect_uri,
        state=asked.state,
        scopes=tuple(scopes),
        credentials={**kept, "resource": [resource()]},
    )


def with_issuer(uri: str) -> str:
    """Name ourselves in every answer, once, so that an assistant notices when somebody mixes servers up (RFC 9207)."""
    parts = urlsplit(uri)
    kept = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != "iss"]
    return urlunsplit(parts._replace(query=urlencode([*kept, ("iss", issuer())])))


def _with(uri: str, said: Mapping[str, str]) -> str:
    parts = urlsplit(uri)
    kept = parse_qsl(parts.query, keep_blank_values=True)
    return urlunsplit(parts._replace(query=urlencode([*kept, *said.items()])))


def _check_query(request: HttpRequest) -> None:
    if len(request.META.get("QUERY_STRING", "")) > LONGEST_QUERY:
        raise ASSISTANT_REQUEST_WRONG("What the assistant asks is too long.")
    twice = next((name for name in ONCE if len(request.GET.getlist(name)) > 1), "")
    if twice:
        raise ASSISTANT_REQUEST_WRONG(f"The assistant names {twice} twice.")
    if any("\x00" in value for values in request.GET.lists() for value in values[1]):
        raise ASSISTANT_REQUEST_WRONG("What the assistant asks holds a character that none may.")


def _redirect_uri(request: HttpRequest, client: Application) -> str:
    """Return where the answer goes: named, and one of the client's own; on this computer, whatever its port."""
    own: list[str] = client.redirect_uris.split()
    named = request.GET.get("redirect_uri", own[0] if len(own) == 1 else "")
    try:
        check_redirect_uri(named)
        is_own = client.redirect_uri_allowed(named)
    except WrongMetadata:
        is_own = False
    if not is_own:
        raise ASSISTANT_REQUEST_WRONG("The assistant wants to be answered at an address that is not its own.")
    return named
