"""The whole site below a path, as a server process behind a reverse proxy: nothing leads out of the path."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from django.db import connection

from bakedbrie.embedded.data_folder import CODE
from boards.models import Board, Card
from tests.deploy.clicking import Clicker
from tests.deploy.proxy import Proxy, proxying
from tests.factories.boards import make_board, make_card, make_file
from tests.support.cast import token_of
from tests.support.mcp import McpClient
from tests.web.pages import form_of
from workspaces.caller import Caller
from workspaces.models import User
from workspaces.services.sign_in_links import make_link

BASE = "/tools/brie"
RESOURCE = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]
SERVER = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]
PROBES = ["/mcp/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/mcp"]


@pytest.fixture(scope="module", params=["the proxy takes the path off", "the proxy leaves the path on"])
def proxy(request: pytest.FixtureRequest, django_db_setup: None) -> Iterator[Proxy]:
    """A proxy, and behind it a web process that knows nothing of it but APP_URL."""
    with proxying(BASE, strips="off" in request.param) as proxy:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "bakedbrie.settings",
            "DATABASE_NAME": str(connection.settings_dict["NAME"]),
            "APP_URL": proxy.app_url,
        }
        collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
        subprocess.run(collect, cwd=CODE, env=environment, check=True)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            proxy.upstream_port = listener.getsockname()[1]
            command = [sys.executable, "-m", "bakedbrie.embedded.serve_web", str(listener.fileno())]
            server = subprocess.Popen(command, cwd=CODE, env=environment, pass_fds=[listener.fileno()])
        try:
            yield proxy
        finally:
            server.terminate()
            server.wait(30)


@pytest.fixture
def board(alice: Caller) -> Board:
    return make_board(alice)


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    card = make_card(alice, board)
    make_file(alice, card)
    return card


@contextmanager
def signed_in(proxy: Proxy, caller: Caller) -> Iterator[httpx2.Client]:
    """The browser of somebody who came by a sign-in link."""
    with httpx2.Client(trust_env=False, timeout=60) as browser:
        link = proxy.app_url + make_link(caller.member.user)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(link).text)
        assert token is not None
        entered = browser.post(link, data={"csrfmiddlewaretoken": token[1]}, headers={"Origin": proxy.origin})
        assert (entered.status_code, entered.headers["location"]) == (302, f"{BASE}/")
        yield browser


@pytest.mark.django_db(transaction=True)
def test_no_page_names_an_address_outside_the_path(proxy: Proxy, alice: Caller, card: Card) -> None:
    User.objects.filter(pk=alice.member.user.pk).update(is_staff=True)
    proxy.strayed.clear()
    with signed_in(proxy, alice) as browser:
        clicker = Clicker(browser, proxy.origin)

        clicker.click_through(f"{proxy.app_url}/boards/{card.board_id}/", at_most=40)
        clicker.click_through(f"{proxy.app_url}/admin/", at_most=60)

    opened = {address.removeprefix(proxy.app_url).split("?")[0] for address in clicker.opened}
    assert clicker.broken == []
    assert [address for address in clicker.own() if not f"{address}/".startswith(f"{BASE}/")] == []
    assert proxy.strayed == []
    assert {"/", f"/boards/{card.board_id}/", f"/cards/{card.pk}/", "/settings/tokens/", "/admin/"} <= opened
    assert [address for address in opened if address.startswith("/static/bakedbrie/app.") and address.endswith(".js")]


@pytest.mark.django_db(transaction=True)
def test_forms_redirects_and_cookies_stay_below_the_path(proxy: Proxy, alice: Caller, board: Board) -> None:
    with signed_in(proxy, alice) as browser:
        action = f"{BASE}/boards/{board.pk}/cards/"
        form = form_of(browser.get(f"{proxy.app_url}/boards/{board.pk}/"), action)
        made = browser.post(
            f"{proxy.origin}{action}", data={**form, "title": "Below"}, headers={"Origin": proxy.origin}
        )
        paths = {(cookie.name, cookie.path) for cookie in browser.cookies.jar}
    stranger = httpx2.get(f"{proxy.app_url}/boards/{board.pk}/", trust_env=False)

    assert (made.status_code, made.headers["location"]) == (302, f"{BASE}/boards/{board.pk}/")
    assert Card.objects.get(board=board).title == "Below"
    assert paths == {(name, f"{BASE}/") for name in ("bakedbrie_session", "bakedbrie_csrf", "known")}
    assert stranger.status_code == 302
    assert stranger.headers["location"].startswith(f"{BASE}/sign-in/?next=%2Ftools%2Fbrie%2Fboards%2F")


@pytest.mark.django_db(transaction=True)
def test_programs_find_everything_below_the_path(proxy: Proxy, alice: Caller, card: Card) -> None:
    token = token_of(alice)
    file = card.files.get()

    who = McpClient(proxy.app_url, token).answer("whoami")
    headers = {"Authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=proxy.app_url, headers=headers, trust_env=False) as programs:
        read = programs.post("/api/v1/tools/whoami", json={})
        link = programs.post(f"/api/v1/files/{file.pk}/link").json()["url"]
        absent = programs.get("/api/v1/nowhere")
    downloaded = httpx2.get(link, trust_env=False)

    assert json.dumps(proxy.app_url) in json.dumps(who)
    assert (read.status_code, absent.status_code) == (200, 404)
    assert absent.json()["error"]["code"] == "NOT_FOUND"
    assert link.startswith(f"{proxy.app_url}/downloads/")
    assert (downloaded.status_code, downloaded.content) == (200, b"# Notes\n")


@pytest.mark.django_db(transaction=True)
def test_live_hints_come_below_the_path(proxy: Proxy, alice: Caller, board: Board) -> None:
    with (
        signed_in(proxy, alice) as browser,
        browser.stream("GET", f"{proxy.app_url}/events", params={"board": str(board.pk)}) as stream,
    ):
        first = next(stream.iter_lines())

        assert stream.status_code == 200
        assert first == "retry: 3000"


@pytest.mark.requirement("C013")
@pytest.mark.django_db(transaction=True)
def test_assistants_find_their_way_below_the_path_and_at_the_root(proxy: Proxy) -> None:
    """Byte for byte: what the documents name is what the person set."""
    at_root = [
        f"{proxy.origin}/.well-known/oauth-protected-resource{BASE}/mcp",
        f"{proxy.origin}/.well-known/oauth-authorization-server{BASE}",
    ]
    with httpx2.Client(trust_env=False, timeout=60) as client:
        resources = [client.get(url).json() for url in [*(proxy.app_url + path for path in RESOURCE), at_root[0]]]
        servers = [client.get(url).json() for url in [*(proxy.app_url + path for path in SERVER), at_root[1]]]
        challenge = client.post(f"{proxy.app_url}/mcp", json={}).headers["www-authenticate"]
        refused = client.post(servers[0]["token_endpoint"], data={"grant_type": "x"})

    assert {said["resource"] for said in resources} == {f"{proxy.app_url}/mcp"}
    assert {issuer for said in resources for issuer in said["authorization_servers"]} == {proxy.app_url}
    assert {said["issuer"] for said in servers} == {proxy.app_url}
    assert {said["authorization_endpoint"] for said in servers} == {f"{proxy.app_url}/oauth/authorize/"}
    assert f'resource_metadata="{proxy.app_url}{RESOURCE[1]}"' in challenge
    assert (refused.status_code, refused.json()["error"]) == (400, "unsupported_grant_type")


@pytest.mark.requirement("C013")
def test_other_probes_get_a_plain_404(proxy: Proxy) -> None:
    with httpx2.Client(trust_env=False, timeout=60) as client:
        answers = [client.get(proxy.app_url + probe) for probe in PROBES]
        answers.append(client.post(f"{proxy.app_url}/register", json={"redirect_uris": ["http://127.0.0.1:1/cb"]}))

    assert {(answer.status_code, answer.headers["content-type"]) for answer in answers} == {(404, "application/json")}
    assert {answer.json()["error"] for answer in answers} == {"not_found"}
