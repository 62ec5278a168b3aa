"""What an assistant does to be connected, step by step, and the person who answers it on the page."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.conf import settings
from django.test import Client

from tests.support.cast import browser
from tests.web.pages import form_of
from workspaces.caller import Caller

BACK = "http://127.0.0.1:4711/callback"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
AUTHORIZE, TOKEN, REGISTER, REVOKE = (f"/oauth/{name}/" for name in ("authorize", "token", "register", "revoke"))


@dataclass(kw_only=True)
class Assistant:
    """A client that registered; each method is one request of it."""

    client_id: str
    http: Client = field(default_factory=Client)

    def query(self, **other: str | None) -> dict[str, str]:
        asked: dict[str, str | None] = {
            "client_id": self.client_id,
            "redirect_uri": BACK,
            "response_type": "code",
            "scope": "mcp",
            "state": "s-1",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "resource": resource(),
            **other,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def exchange(self, code: str, **other: str | None) -> Any:
        sent = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": BACK,
            "code_verifier": VERIFIER,
            "client_id": self.client_id,
            "resource": resource(),
            **other,
        }
        return self.post(TOKEN, **sent)

    def refresh(self, refresh_token: str, **other: str | None) -> Any:
        sent = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": self.client_id, **other}
        return self.post(TOKEN, **sent)

    def post(self, path: str, **sent: str | None) -> Any:
        given = {name: value for name, value in sent.items() if value is not None}
        return self.http.post(path, data=urlencode(given), content_type="application/x-www-form-urlencoded")


def registered(*redirect_uris: str, name: str = "Claude", **more: object) -> Assistant:
    answer = register(redirect_uris=list(redirect_uris) or [BACK], client_name=name, **more)
    assert answer.status_code == 201, answer.content
    return Assistant(client_id=answer.json()["client_id"])


def register(**metadata: object) -> Any:
    return Client().post(REGISTER, data=metadata, content_type="application/json")


def resource() -> str:
    return f"{settings.APP_URL}/mcp"


def asked(person: Caller, query: dict[str, str]) -> Any:
    """Open the page as that person."""
    return browser(person).get(AUTHORIZE, query)


def answered(
    person: Caller, query: dict[str, str], *, preset: str = "read_only", answer: str = "yes", **more: str
) -> Any:
    """Open the page and send its form."""
    client = browser(person)
    page = client.get(AUTHORIZE, query)
    address = page.wsgi_request.get_full_path()
    form = form_of(page, address)
    return client.post(address, {**form, "preset": preset, "answer": answer, **more})


def told(response: Any) -> dict[str, str]:
    """Return what the address that the person is sent back to says."""
    assert response.status_code == 302, response.content
    return dict(parse_qsl(urlsplit(response["Location"]).query))


def code_for(person: Caller, assistant: Assistant, **more: str) -> str:
    return told(answered(person, assistant.query(), **more))["code"]


def connected(person: Caller, assistant: Assistant, *, preset: str = "read_only") -> dict[str, Any]:
    answer = assistant.exchange(code_for(person, assistant, preset=preset))
    assert answer.status_code == 200, answer.content
    tokens: dict[str, Any] = answer.json()
    return tokens
