"""What clients read to find their way, from /mcp on, and what they find while MCP is off."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from connecting.web.urls import urlpatterns
from tests.support.mcp import post, rpc

RESOURCE, SERVER = "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"


def addresses() -> Iterator[str]:
    for pattern in urlpatterns:
        yield f"/{pattern.pattern}"


@pytest.mark.requirement("C013")
@pytest.mark.parametrize("token", [None, "bb_wrong"])
def test_the_way_begins_at_the_401_of_mcp_and_every_name_is_the_same(address: str, token: str | None) -> None:
    refused = post(address, rpc("tools/list"), token=token)
    challenge = refused.headers["www-authenticate"]
    resource = httpx2.get(f"{address}{RESOURCE}", trust_env=False).json()
    server = httpx2.get(f"{address}{SERVER}", trust_env=False).json()

    assert refused.status_code == 401
    assert f'resource_metadata="{address}{RESOURCE}", scope="mcp"' in challenge
    assert ('error="invalid_token"' in challenge) is (token is not None)
    assert (resource["resource"], resource["authorization_servers"]) == (f"{address}/mcp", [address])
    assert server["issuer"] == address
    assert {server[f"{name}_endpoint"] for name in ("authorization", "token", "registration", "revocation")} == {
        f"{address}/oauth/{name}/" for name in ("authorize", "token", "register", "revoke")
    }
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["token_endpoint_auth_methods_supported"] == ["none"]
    assert server["client_id_metadata_document_supported"] is True
    assert server["authorization_response_iss_parameter_supported"] is True


@pytest.mark.parametrize("path", [*addresses()])
def test_browsers_of_any_origin_may_ask_and_send_no_cookie(db: None, path: str) -> None:
    if path == "/oauth/authorize/":
        return  # a page for people
    preflight = Client().options(path, headers={"Origin": "https://inspector.example"})
    answer = Client().get(path)

    assert preflight.status_code == 204
    assert "Content-Type" in preflight["Access-Control-Allow-Headers"]
    assert answer["Access-Control-Allow-Origin"] == preflight["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer


@pytest.mark.requirement("C013")
def test_while_mcp_is_off_nothing_is_served_and_nothing_is_html(address: str, settings: Settings) -> None:
    settings.MCP_ENABLED = False
    machine = [path for path in addresses() if path != "/oauth/authorize/"]

    answers = [httpx2.get(address + path, trust_env=False) for path in [*machine, "/mcp"]]
    answers += [httpx2.post(address + path, trust_env=False) for path in [*machine, "/mcp", "/mcp/"]]

    assert {(answer.status_code, answer.headers["content-type"]) for answer in answers} == {(404, "application/json")}


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_other_methods_are_refused_in_the_words_of_oauth(db: None, method: str) -> None:
    answer = getattr(Client(), method)("/oauth/token/")

    assert (answer.status_code, answer.json()["error"], answer["Allow"]) == (405, "invalid_request", "POST")
