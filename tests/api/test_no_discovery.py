"""What stands at addresses where clients look for an OAuth server, while MCP is off."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mcp_is_off(settings: Settings) -> None:
    settings.MCP_ENABLED = False


@pytest.mark.requirement("C013")
@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration",
        "/mcp/.well-known/openid-configuration",
    ],
)
def test_discovery_of_an_oauth_server_finds_none(path: str) -> None:
    response = Client().get(path)

    assert response.status_code == 404
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == {"error": "not_found"}


@pytest.mark.requirement("C013")
def test_registration_of_an_oauth_client_is_not_there() -> None:
    response = Client(enforce_csrf_checks=True).post(
        "/register", {"redirect_uris": ["http://127.0.0.1:1/cb"]}, content_type="application/json"
    )

    assert response.status_code == 404
    assert response.json() == {"error": "not_found"}
