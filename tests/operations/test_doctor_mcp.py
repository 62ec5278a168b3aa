"""`manage.py doctor mcp`: walks the way of the assistants, and names where it breaks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pytest_django.fixtures import Settings

from bakedbrie.asgi import Site
from bakedbrie.doctor.checkup import examine
from bakedbrie.doctor.discovery import MCP_CHECKS
from bakedbrie.doctor.finding import State
from tests.support.fake_service import FakeService, Received, Script, answering
from tests.support.mcp import served

CHALLENGE = 'Bearer realm="BakedBrie", resource_metadata="{}/.well-known/oauth-protected-resource/mcp"'


def states() -> dict[str, str]:
    return {finding.id: finding.state.value for finding in examine(MCP_CHECKS)}


def says(id: str) -> str:
    finding = next(one for one in examine({id: MCP_CHECKS[id]}))
    assert finding.state is State.WRONG
    assert finding.fix
    return finding.says


@contextmanager
def standing_in(settings: Settings, respond: Callable[[Received, str], Script]) -> Iterator[str]:
    """Something else, or a proxy that meddles, answers at APP_URL."""
    with FakeService() as service:
        settings.APP_URL = service.url()
        service.handle_with(lambda received: respond(received, service.url()))
        yield service.url()


@pytest.mark.django_db(transaction=True)
def test_a_site_that_assistants_can_be_connected_to_is_well(settings: Settings) -> None:
    with served(Site()) as address:
        settings.APP_URL = address

        found = states()

    assert found == {id: "note" if id == "MCP_REACH" else "ok" for id in MCP_CHECKS}


def test_while_mcp_is_off_nothing_is_asked(settings: Settings) -> None:
    settings.MCP_ENABLED = False

    assert states() == {id: "wrong" if id == "MCP_SWITCH" else "skipped" for id in MCP_CHECKS}


def test_where_nobody_answers_each_step_says_so(settings: Settings) -> None:
    settings.APP_URL = "http://127.0.0.1:1"

    assert set(states().values()) == {"ok", "wrong", "note"}
    assert says("MCP_CHALLENGE") == "Nobody answers at http://127.0.0.1:1/mcp."


def test_a_proxy_that_drops_the_challenge_is_named(settings: Settings) -> None:
    with standing_in(settings, lambda _, __: answering(401, json={})):
        assert says("MCP_CHALLENGE") == "The answer 401 does not say where to go on (WWW-Authenticate)."


def test_a_page_in_place_of_a_document_is_named(settings: Settings) -> None:
    page = answering(body=b"<html>", headers={"Content-Type": "text/html"})
    with standing_in(settings, lambda _, __: page) as address:
        assert says("MCP_RESOURCE").endswith("/mcp answers 200 with text/html, not 200 with JSON.")
        assert says("MCP_SERVER").startswith(f"{address}/.well-known/oauth-authorization-server answers 200")
        assert "answers 200 to a call without a token" in says("MCP_CHALLENGE")
        assert says("MCP_DOORS").endswith("/oauth/token/ answers 200 without a reason that clients read.")


@pytest.mark.parametrize(
    ("said", "id", "expected"),
    [
        ({"resource": "{}/mcp/"}, "MCP_RESOURCE", "speaks of {}/mcp/, not of {}/mcp."),
        ({"resource": "{}/mcp", "authorization_servers": ["{}/"]}, "MCP_RESOURCE", "names another server"),
        ({"issuer": "{}/"}, "MCP_SERVER", "speaks of {}/, not of {}."),
        ({"issuer": "{}", "token_endpoint": "http://inner/token"}, "MCP_SERVER", "Addresses outside APP_URL"),
    ],
)
def test_what_is_not_the_same_byte_for_byte_is_named(
    settings: Settings, said: dict[str, object], id: str, expected: str
) -> None:
    def respond(_: Received, address: str) -> Script:
        return answering(json=json.loads(json.dumps(said).replace("{}", address)))

    with standing_in(settings, respond) as address:
        assert expected.replace("{}", address) in says(id)


def test_below_a_path_the_two_addresses_at_the_root_are_asked_for(settings: Settings) -> None:
    with standing_in(settings, lambda _, __: answering(404, body=b"no")) as address:
        settings.APP_URL, settings.APP_PATH = f"{address}/brie", "/brie"

        assert says("MCP_SERVER").startswith(f"{address}/.well-known/oauth-authorization-server/brie answers 404")
        assert says("MCP_RESOURCE_ROOT").startswith(f"{address}/.well-known/oauth-protected-resource/brie/mcp answers")
