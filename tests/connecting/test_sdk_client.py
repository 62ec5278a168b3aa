"""The official MCP client connects by itself, over real sockets: registered, and by its own document."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from oauth2_provider.models import Application

from tests.connecting.asking import BACK
from tests.support.cast import browser
from tests.support.fake_service import FakeService, answering
from tests.support.mcp import body_of
from tests.web.pages import form_of
from workspaces.caller import Caller
from workspaces.models import Token
from workspaces.services.tokens import revoke_token

T = TypeVar("T")


class Kept(TokenStorage):
    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """A browser in which somebody is signed in, and who says yes."""

    def __init__(self, caller: Caller, preset: str) -> None:
        self._cookies = {name: morsel.value for name, morsel in browser(caller).cookies.items()}
        self._preset = preset
        self.opened = 0
        self._sent: dict[str, list[str]] = {}

    async def open(self, url: str) -> None:
        self.opened += 1
        async with httpx2.AsyncClient(cookies=self._cookies, trust_env=False) as http:
            page = await http.get(url)
            assert page.status_code == 200, page.text
            parts = urlsplit(url)
            form = form_of(page, f"{parts.path}?{parts.query}")
            answer = await http.post(url, data={**form, "preset": self._preset, "answer": "yes"})
        assert answer.status_code == 302, answer.text
        self._sent = parse_qs(urlsplit(answer.headers["location"]).query)

    async def code(self) -> AuthorizationCodeResult:
        sent = {name: values[0] for name, values in self._sent.items()}
        return AuthorizationCodeResult(code=sent["code"], state=sent["state"], iss=sent["iss"])


def in_a_session(
    address: str, person: Person, kept: Kept, work: Callable[[Client], Awaitable[T]], document: str | None = None
) -> T:
    async def session() -> T:
        provider = OAuthClientProvider(
            server_url=f"{address}/mcp",
            client_metadata=OAuthClientMetadata(
                client_name="Official", redirect_uris=[BACK], token_endpoint_auth_method="none"
            ),
            storage=kept,
            redirect_handler=person.open,
            callback_handler=person.code,
            client_metadata_url=document,
        )
        async with (
            httpx2.AsyncClient(auth=provider, trust_env=False) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            return await work(client)

    return asyncio.run(session())


async def whoami(client: Client) -> dict[str, Any]:
    answer: dict[str, Any] = body_of(await client.call_tool("whoami", {}))["untrusted_data"]
    return answer


@pytest.mark.requirement("C013", "W018")
def test_it_registers_is_let_in_and_works_as_the_person(address: str, mia: Caller) -> None:
    person, kept = Person(mia, "full_control"), Kept()

    answer = in_a_session(address, person, kept, whoami)
    again = in_a_session(address, person, kept, whoami)

    token = Token.objects.get(member=mia.member)
    assert answer["token"] == {"id": str(token.pk), "label": "Official", "preset": "full_control"}
    assert (again["token"], person.opened) == (answer["token"], 1)
    assert kept.tokens is not None
    assert kept.client is not None
    assert (kept.tokens.scope, kept.client.token_endpoint_auth_method) == ("mcp", "none")


def test_it_is_known_by_its_own_document(address: str, mia: Caller, publisher: FakeService) -> None:
    document = f"https://{publisher.pair}/assistant.json"
    said = {"client_id": document, "client_name": "Described", "redirect_uris": [BACK]}
    publisher.handle_with(lambda _: answering(json=said))
    kept = Kept()

    answer = in_a_session(address, Person(mia, "read_only"), kept, whoami, document)

    client = Application.objects.get()
    assert (client.client_id, client.registration_source) == (document, "cimd")
    assert (answer["token"]["label"], answer["token"]["preset"]) == ("Described", "read_only")
    assert len(publisher.requests) == 1


def test_it_renews_its_access_when_that_has_run_out(address: str, mia: Caller) -> None:
    person, kept = Person(mia, "read_only"), Kept()
    in_a_session(address, person, kept, whoami)
    before = kept.tokens
    assert before is not None
    Token.objects.update(access_ends_at="2020-01-01T00:00:00Z")
    kept.tokens = before.model_copy(update={"expires_in": -10})

    in_a_session(address, person, kept, whoami)

    assert kept.tokens is not None
    assert kept.tokens.access_token != before.access_token
    assert person.opened in (1, 2)


def test_a_revoked_grant_counts_from_the_next_call(address: str, mia: Caller) -> None:
    person, kept = Person(mia, "read_only"), Kept()
    in_a_session(address, person, kept, whoami)
    revoke_token(mia, token=Token.objects.get())

    in_a_session(address, person, kept, whoami)

    assert person.opened == 2
    assert Token.objects.filter(revoked_at=None).count() == 1
