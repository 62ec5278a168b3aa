"""The SDK's own client, in every version of the protocol that it speaks, against the whole site on a socket."""

from __future__ import annotations

import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.factories.boards import make_board, make_card
from tests.support.cast import token_of
from tests.support.mcp import VERSIONS, McpClient, body_of
from workspaces.caller import Caller
from workspaces.states import Preset

every_version = pytest.mark.parametrize("version", VERSIONS)


@pytest.mark.requirement("C001")
@pytest.mark.parametrize(("version", "era"), [*zip(VERSIONS[:-1], VERSIONS[:-1], strict=True), (VERSIONS[-1], "auto")])
def test_client_and_server_agree_on_the_version_that_the_client_offers_or_discovers(
    address: str, alice: Caller, version: str, era: str
) -> None:
    async def greeting(client: Client) -> tuple[str | None, str, bool, str]:
        info, offered = client.server_info, client.server_capabilities
        assert info is not None
        return client.protocol_version, info.name, offered.tools is not None, client.instructions or ""

    agreed, name, has_tools, instructions = McpClient(address, token_of(alice), era=era).run(greeting)

    assert (agreed, name, has_tools) == (version, "bakedbrie", True)
    assert "whoami first" in instructions


@every_version
def test_one_session_lists_calls_and_is_refused(address: str, alice: Caller, version: str) -> None:
    card = make_card(alice, make_board(alice))

    async def session(client: Client) -> tuple[set[str], CallToolResult, CallToolResult]:
        names = {tool.name for tool in (await client.list_tools()).tools}
        read = await client.call_tool("read_card", {"card_id": str(card.pk)})
        refused = await client.call_tool("add_comment", {"card_id": str(card.pk), "text": "No"})
        return names, read, refused

    names, read, refused = McpClient(address, token_of(alice, Preset.READ_ONLY), era=version).run(session)

    assert {"whoami", "read_card", "move_card"} <= names
    assert (read.is_error, body_of(read)["untrusted_data"]["card"]["id"]) == (False, str(card.pk))
    assert (refused.is_error, body_of(refused)["error"]["code"]) == (True, "TOKEN_READ_ONLY")


@pytest.mark.requirement("C011")
@every_version
def test_a_small_answer_is_structured_too(address: str, alice: Caller, version: str) -> None:
    client = McpClient(address, token_of(alice), era=version)

    done, refused = client.call("whoami"), client.call("read_card", card_id="absent")

    assert done.structured_content == body_of(done)
    assert refused.structured_content == body_of(refused)
    assert set(done.structured_content or ()) == {"untrusted_data", "request_id"}
