"""The wire of /mcp, in both eras, against a stand-in for the REST door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from bakedbrie.mcpserver.answers import STRUCTURED_UP_TO
from tests.mcpserver.door import UNAUTHENTICATED, StandIn, StandInSite
from tests.support.mcp import ERAS, McpClient, body_of, post, rpc, served

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[str, StandIn]]:
    app = StandInSite()
    with served(app) as address:
        yield address, app.door


@pytest.fixture
def address(site: tuple[str, StandIn]) -> str:
    site[1].requests.clear()
    return site[0]


@pytest.fixture
def door(site: tuple[str, StandIn]) -> StandIn:
    return site[1]


@pytest.mark.parametrize("era", ERAS)
def test_the_official_client_lists_and_calls(address: str, era: str) -> None:
    client = McpClient(address, "bb_good", era=era)

    (tool,) = client.tools()
    result = client.call("echo", text="hello")

    assert (tool.name, tool.title) == ("echo", "Echo")
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint is True
    assert tool.annotations.open_world_hint is False
    assert result.is_error is False
    assert body_of(result) == {"untrusted_data": {"text": "hello"}, "request_id": "r-1"}


@pytest.mark.parametrize("era", ERAS)
def test_a_refusal_is_a_tool_result_with_the_doors_body(address: str, era: str) -> None:
    result = McpClient(address, "bb_good", era=era).call("absent")

    assert result.is_error is True
    assert body_of(result)["error"] == {"code": "NOT_FOUND", "message": "Nothing.", "fix": "Look."}


@pytest.mark.parametrize("era", ERAS)
def test_a_broken_door_shows_no_page_of_it(address: str, era: str) -> None:
    result = McpClient(address, "bb_good", era=era).call("broken")

    assert result.is_error is True
    assert body_of(result)["error"]["code"] == "INTERNAL_ERROR"


@pytest.mark.requirement("C011")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("length", "times"), [(100, 2), (STRUCTURED_UP_TO, 1)])
def test_a_small_answer_is_structured_too_and_a_large_one_travels_once(
    address: str, era: str, length: int, times: int
) -> None:
    text = "x" * length
    call = rpc("tools/call", {"name": "echo", "arguments": {"text": text}}, era=era)

    response = post(address, call, era=era)

    result = response.json()["result"]
    assert response.text.count(text) == times
    assert ("structuredContent" in result) == (times == 2)
    assert json.loads(result["content"][0]["text"])["untrusted_data"] == {"text": text}


@pytest.mark.parametrize("era", ERAS)
def test_one_call_is_one_request_to_the_door(address: str, door: StandIn, era: str) -> None:
    call = rpc("tools/call", {"name": "echo", "arguments": {"text": "x"}}, era=era)

    post(address, call, era=era)

    assert door.paths == ["/api/v1/tools/echo"]


def test_token_and_request_id_go_through_and_cookies_do_not(address: str, door: StandIn) -> None:
    post(address, rpc("tools/list"), X_Request_Id="mine-1", Cookie="bakedbrie_session=1")

    ((_, _, headers, _),) = door.requests
    assert headers["authorization"] == "Bearer bb_good"
    assert headers["x-request-id"] == "mine-1"
    assert "cookie" not in headers


@pytest.mark.requirement("C014")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("token", [None, "bb_bad"])
@pytest.mark.parametrize("method", ["tools/list", "tools/call", "ping", "initialize", "server/discover"])
def test_no_token_and_a_bad_one_are_an_http_401(address: str, era: str, token: str | None, method: str) -> None:
    all_params: dict[str, dict[str, Any]] = {"tools/call": {"name": "echo"}, "initialize": INITIALIZE}
    params = all_params.get(method)

    response = post(address, rpc(method, params, era=era), token=token, era=era, Cookie="bakedbrie_session=signed-in")

    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert response.json() == UNAUTHENTICATED


@pytest.mark.requirement("C003")
@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD", "PUT", "OPTIONS"])
def test_only_post_is_served(address: str, method: str) -> None:
    headers = {"Authorization": "Bearer bb_good", "Accept": "text/event-stream", "Origin": "https://evil.example"}

    response = httpx2.request(method, f"{address}/mcp", headers=headers)

    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.requirement("C003")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json, text/event-stream", 200),
        ("text/event-stream, application/json", 200),
        ("application/json", 200),
        ("*/*", 200),
        (None, 200),
        ("application/json;q=0.9, text/event-stream;q=0.8, */*;q=0.1", 200),
        ("text/event-stream", 406),
        ("text/html", 406),
    ],
)
def test_what_a_client_accepts(address: str, era: str, accept: str | None, status: int) -> None:
    response = post(address, rpc("tools/list", era=era), era=era, Accept=accept)

    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"
    assert ("result" in response.json()) == (status == 200)


@pytest.mark.requirement("C004")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/roots/list_changed", "no/such"])
def test_a_notification_is_taken_without_a_body(address: str, era: str, method: str) -> None:
    response = post(address, {"jsonrpc": "2.0", "method": method}, era=era)

    assert response.status_code == 202
    assert response.content == b""


@pytest.mark.requirement("C004")
@pytest.mark.parametrize("era", ERAS)
def test_a_call_without_an_id_is_not_run(address: str, door: StandIn, era: str) -> None:
    call = rpc("tools/call", {"name": "echo", "arguments": {"text": "x"}}, era=era)
    del call["id"]

    response = post(address, call, era=era)

    assert response.status_code == 202
    assert door.paths == []


@pytest.mark.requirement("C004")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("call_id", [0, "0", "abc", 7])
def test_ids_come_back_as_they_were(address: str, era: str, call_id: object) -> None:
    answer = post(address, rpc("tools/list", call_id=call_id, era=era), era=era).json()

    assert answer["id"] == call_id
    assert type(answer["id"]) is type(call_id)


@pytest.mark.requirement("C004")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"id": 1, "method": "ping"},
        [],
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
        "ping",
        b"{",
        b"[" * 100_000,
        b"\xff\xfe",
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": 5},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]},
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\ud800"}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}",
        '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'.encode("utf-16"),
    ],
)
def test_what_is_no_request_is_a_400_without_a_null_id(address: str, door: StandIn, era: str, message: object) -> None:
    response = post(address, message, era=era)

    assert response.status_code == 400
    assert response.json()["error"]["code"] in {-32600, -32700}
    assert "id" not in response.json()
    assert door.paths == []


@pytest.mark.requirement("C004")
def test_an_unknown_method_is_told_with_its_id(address: str) -> None:
    answer = post(address, rpc("no/such", call_id=7)).json()

    assert answer["error"]["code"] == -32601
    assert answer["id"] == 7


@pytest.mark.requirement("C005")
def test_an_unknown_session_is_ignored(address: str) -> None:
    response = post(address, rpc("tools/list"), Mcp_Session_Id="00000000-0000-0000-0000-000000000000")

    assert response.status_code == 200
    assert "mcp-session-id" not in response.headers


@pytest.mark.requirement("C010")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("arguments", [{}, {"arguments": None}, {"arguments": {}}])
def test_missing_null_and_empty_arguments_are_alike(
    address: str, door: StandIn, era: str, arguments: dict[str, object]
) -> None:
    response = post(address, rpc("tools/call", {"name": "echo", **arguments}, era=era), era=era)

    assert response.status_code == 200
    assert json.loads(response.json()["result"]["content"][0]["text"])["untrusted_data"] == {}
    assert [body for _, _, _, body in door.requests] == [b"{}"]


@pytest.mark.requirement("C010")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("arguments", [[], "{}", 7])
def test_arguments_that_are_no_object_are_invalid_params(
    address: str, door: StandIn, era: str, arguments: object
) -> None:
    response = post(address, rpc("tools/call", {"name": "echo", "arguments": arguments}, era=era), era=era)

    assert response.json()["error"]["code"] == -32602
    assert "pydantic" not in response.text
    assert "CallTool" not in response.text
    assert door.paths == []


@pytest.mark.requirement("C014")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://evil.example", 403), ("null", 403), ("http://127.0.0.1:8000", 200), (None, 200)],
)
def test_a_page_of_another_origin_is_refused(address: str, era: str, origin: str | None, status: int) -> None:
    response = post(address, rpc("tools/list", era=era), era=era, Origin=origin)

    assert response.status_code == status
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("era", ERAS)
def test_another_host_name_is_refused(address: str, era: str) -> None:
    response = post(address, rpc("tools/list", era=era), era=era, Host="rebound.example")

    assert response.status_code == 421


@pytest.mark.requirement("C001")
@pytest.mark.parametrize(
    ("asked", "answered"),
    [("1900-01-01", "2025-11-25"), ("2025-03-26", "2025-03-26"), ("2099-01-01", "2025-11-25")],
)
@pytest.mark.parametrize("has_header", [False, True])
def test_initialize_answers_a_version_it_speaks(address: str, asked: str, answered: str, has_header: bool) -> None:
    initialize = rpc("initialize", {**INITIALIZE, "protocolVersion": asked})

    result = post(address, initialize, MCP_Protocol_Version=asked if has_header else None).json()["result"]

    assert result["protocolVersion"] == answered
    assert result["serverInfo"]["name"] == "bakedbrie"


@pytest.mark.requirement("C001")
def test_a_handshake_is_not_known_where_there_is_none(address: str, door: StandIn) -> None:
    response = post(address, rpc("initialize", INITIALIZE, era="2026-07-28"), era="2026-07-28")

    assert (response.status_code, response.json()["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize("era", ERAS)
def test_the_instructions_name_whoami_and_untrusted_content(address: str, era: str) -> None:
    method, params = ("initialize", INITIALIZE) if era == "legacy" else ("server/discover", None)

    instructions = post(address, rpc(method, params, era=era), era=era).json()["result"]["instructions"]

    assert "whoami first" in instructions
    assert "untrusted_data" in instructions


def test_a_body_beyond_four_mebibytes_is_refused(address: str, door: StandIn) -> None:
    call = rpc("tools/call", {"name": "echo", "arguments": {"text": "x" * (4 * 1024 * 1024)}})

    response = post(address, call)

    assert response.status_code == 413
    assert door.paths == []
