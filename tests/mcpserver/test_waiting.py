"""Calls that wait for somebody outside, and clients that do not wait for their calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any

import anyio
import httpx2
import pytest
from django.db import transaction
from mcp import Client
from pytest_django.fixtures import Settings

from agents.models import AiAccount
from bakedbrie.asgi import SENDING_AT_ONCE
from boards.models import BoardEvent, Card, Comment
from boards.states import EventKind
from tests.factories.agents import make_account
from tests.factories.boards import make_board, make_card
from tests.support.cast import token_of
from tests.support.fake_provider import FakeProvider, Late, models
from tests.support.fake_service import answering
from tests.support.mcp import ERAS, VERSIONS, McpClient, body_of, modern_headers, post, rpc
from tests.support.races import in_thread, wait_until_waiting
from workspaces.caller import Caller

both_eras = pytest.mark.parametrize("era", ERAS)


@pytest.fixture
def service(settings: Settings) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair]
        yield fake


@pytest.fixture
def account(alice: Caller, service: FakeProvider, address: str) -> AiAccount:
    return make_account(alice, service)


class Hanging:
    """So many checks of the account, each of which waits for a provider that does not answer yet."""

    def __init__(self, url: str, token: str, account: AiAccount, service: FakeProvider, count: int) -> None:
        self._late = [Late(answering(json=models())) for _ in range(count)]
        service.script(*self._late)
        self._pool = ThreadPoolExecutor(count)
        before = len(service.requests)
        self._calls = [self._pool.submit(_check, url, token, account) for _ in range(count)]
        service.wait_for_requests(before + count)

    def answers(self) -> list[dict[str, Any]]:
        for late in self._late:
            late.answer_now()
        with self._pool:
            return [call.result() for call in self._calls]


def _check(url: str, token: str, account: AiAccount) -> dict[str, Any]:
    if url.endswith("/mcp"):
        return McpClient(url.removesuffix("/mcp"), token).answer("check_ai_account", account_id=str(account.pk))
    headers = {"Authorization": f"Bearer {token}"}
    answer: dict[str, Any] = httpx2.post(url, json={"account_id": str(account.pk)}, headers=headers, timeout=60).json()
    return answer


@both_eras
def test_a_provider_that_hangs_holds_up_no_other_call(
    address: str, alice: Caller, service: FakeProvider, account: AiAccount, era: str
) -> None:
    token = token_of(alice)
    hanging = Hanging(f"{address}/mcp", token, account, service, SENDING_AT_ONCE)

    meanwhile = McpClient(address, token, era=era).answer("whoami")
    one_more = McpClient(address, token, era=era).call("check_ai_account", account_id=str(account.pk))
    stranger = post(address, rpc("tools/call", {"name": "check_ai_account"}, era=era), token="bb_bad", era=era)
    finished = hanging.answers()
    afterwards = McpClient(address, token, era=era).answer("check_ai_account", account_id=str(account.pk))

    assert meanwhile["untrusted_data"]["workspace"]["name"] == "Alice's Bakery"
    assert one_more.is_error is True
    assert body_of(one_more)["error"]["code"] == "RATE_LIMITED"
    assert body_of(one_more)["error"]["retryable"] is True
    assert stranger.status_code == 401
    assert {answer["untrusted_data"]["ai_account"]["state"] for answer in [*finished, afterwards]} == {"ready"}


def test_a_provider_that_hangs_holds_up_no_page_and_no_rest_call(
    address: str, alice: Caller, service: FakeProvider, account: AiAccount
) -> None:
    token = token_of(alice)
    hanging = Hanging(f"{address}/api/v1/tools/check_ai_account", token, account, service, SENDING_AT_ONCE)

    page = httpx2.get(f"{address}/sign-in/")
    tools = httpx2.get(f"{address}/api/v1/tools", headers={"Authorization": f"Bearer {token}"})
    finished = hanging.answers()

    assert (page.status_code, tools.status_code) == (200, 200)
    assert {answer["untrusted_data"]["ai_account"]["state"] for answer in finished} == {"ready"}


@pytest.mark.parametrize("era", VERSIONS)
def test_a_client_that_cancels_leaves_the_whole_change_behind(address: str, alice: Caller, era: str) -> None:
    card = make_card(alice, make_board(alice))
    client = McpClient(address, token_of(alice), era=era)
    arguments = {"card_id": str(card.pk), "text": "Once", "request_id": "cancelled-1"}

    async def call_and_cancel(connected: Client) -> bool:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(connected.call_tool, "add_comment", arguments)
                await asyncio.to_thread(wait_in_a_thread)
                scope.cancel()
        return scope.cancelled_caught

    with transaction.atomic():
        Card.objects.select_for_update().get(pk=card.pk)
        was_cancelled = client.run(call_and_cancel)
        meanwhile = Comment.objects.count()
    again = client.answer("add_comment", **arguments)

    assert (was_cancelled, meanwhile) == (True, 0)
    assert again["untrusted_data"]["comment"]["text"] == "Once"
    assert Comment.objects.count() == 1
    assert BoardEvent.objects.filter(kind=EventKind.COMMENT_ADDED).count() == 1


@both_eras
def test_a_connection_that_breaks_leaves_the_whole_change_behind(address: str, alice: Caller, era: str) -> None:
    card = make_card(alice, make_board(alice))
    token = token_of(alice)
    arguments = {"card_id": str(card.pk), "text": "Once", "request_id": "broken-1"}
    message = rpc("tools/call", {"name": "add_comment", "arguments": arguments}, era=era)

    with transaction.atomic():
        Card.objects.select_for_update().get(pk=card.pk)
        _send_and_hang_up(address, token, message, era)
    again = post(address, message, token=token, era=era).json()["result"]

    assert again["isError"] is False
    assert json.loads(again["content"][0]["text"])["request_id"] == "broken-1"
    assert Comment.objects.count() == 1


def wait_in_a_thread(sessions: int = 1) -> None:
    """Look from a session of its own: the test's holds the lock."""
    in_thread(lambda: wait_until_waiting(sessions)).outcome()


def _send_and_hang_up(address: str, token: str, message: dict[str, Any], era: str) -> None:
    """Send the request, wait until it stands before the lock, and close the connection."""
    headers = {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {token}",
        **(modern_headers(message) if era != "legacy" else {}),
    }
    connection = HTTPConnection(address.removeprefix("http://"))
    connection.request("POST", "/mcp", json.dumps(message), headers)
    wait_in_a_thread()
    connection.close()
