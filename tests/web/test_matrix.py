"""Everybody at every address of the site: what is not theirs stays shut, and nothing is written for who may not.

Held to the routes: an address without a row fails here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import resolve
from pytest_django.fixtures import Settings

from tests.api.world import ABSENT, OF_THE_WORKSPACE, RANK, one_replaced, taken_back, watched
from tests.support.fake_provider import FakeProvider
from tests.support.routes import every_route
from tests.web.matrix import ANYBODY, ANYBODY_IN, APART, DOORS, EVERYBODY, NOBODY, OPEN, Door, Site, got, make_site
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

METHODS = ("get", "post")
ELSEWHERE = "https://evil.example"


@pytest.fixture
def site(alice: Caller, charlie: Caller, settings: Settings) -> Iterator[Site]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        yield make_site(alice, charlie, provider)


def test_every_address_has_a_row() -> None:
    routes = {route for route, _ in every_route() if not route.startswith(("api/v1/", "admin/"))}
    tried = {route_of(path) for path in [*(door.path for door in (*DOORS, *OPEN)), *APART]}

    assert tried == routes | {route_of("/admin/login/")}


@pytest.mark.requirement("W002", "W005", "W007", "B045", "C092", "C095", "C098")
def test_everybody_gets_what_is_theirs_and_nothing_is_written_for_who_may_not(site: Site) -> None:
    wrong = {}
    for door in (*DOORS, *OPEN):
        for method in METHODS:
            for who, client in site.everybody().items():
                answer, written = ask(site, door, method, who, client)
                if got(answer) != (expected := expected_for(door, method, who)):
                    wrong[f"{method} {door.path} {who}"] = f"{got(answer)}, not {expected}"
                elif written and expected != door.done:
                    wrong[f"{method} {door.path} {who}"] = str(written)

    assert wrong == {}


@pytest.mark.requirement("W002", "W007", "C092")
def test_one_foreign_id_among_own_ones_is_an_absent_one(site: Site) -> None:
    """In the address, in its query and in a form: of another workspace, and of a board one may not open."""
    wrong = {}
    for door in DOORS:
        for method in METHODS:
            for name in door.names(method):
                for who, others in (("owner", site.world.foreign), ("manager", site.world.closed)):
                    foreign, absent = (
                        plain(door, method, site.inside[who], one_replaced(site.world.ids, name, by))
                        for by in (others[name], ABSENT)
                    )
                    if foreign != absent and (who == "owner" or name not in OF_THE_WORKSPACE):
                        wrong[f"{method} {door.path} {name} {who}"] = (foreign, absent)

    assert wrong == {}


@pytest.mark.requirement("C089")
def test_opening_a_page_changes_nothing(site: Site) -> None:
    """Whoever opens it, a program that follows links among them."""
    written = {}
    for door in (*DOORS, *OPEN):
        with watched() as seen, taken_back():
            got(door.send(site.inside["owner"], "get", site.world.ids))
        if seen:
            written[door.path] = seen

    assert written == {}


@pytest.mark.requirement("C089")
def test_no_form_is_taken_from_another_site(site: Site, alice: Caller, settings: Settings) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice.member.user)
    client.get("/")
    token = client.cookies[settings.CSRF_COOKIE_NAME].value
    wrong = {}
    for door in (*DOORS, *OPEN):
        if door.post == NOBODY or expected_for(door, "post", "owner")[0] == 404:
            continue
        sent = {
            "without a token": {},
            "with a made-up token": {"X-CSRFToken": "a" * 32},
            "from elsewhere": {"X-CSRFToken": token, "Origin": ELSEWHERE},
            "from nowhere": {"X-CSRFToken": token, "Origin": "null"},
        }
        for how, headers in sent.items():
            with watched() as written, taken_back(not door.sends):
                answer = got(door.send(client, "post", site.world.ids, **headers))
            if answer != (403, "FORM_EXPIRED") or written:
                wrong[f"{door.path} {how}"] = (answer, written)

    assert wrong == {}


@pytest.mark.requirement("C089", "C098")
@pytest.mark.parametrize("kind", ["text/plain", "application/json", "application/x-www-form-urlencoded"])
def test_a_session_alone_calls_no_tool_whatever_the_body_is_called(site: Site, kind: str) -> None:
    body = '{"name": "Forged", "request_id": "x"}'

    with watched() as written:
        answer = site.inside["owner"].post("/api/v1/tools/create_board", body, content_type=kind)

    assert (answer.status_code, answer.json()["error"]["code"], written) == (401, "UNAUTHENTICATED", [])


@pytest.mark.requirement("C095")
def test_who_may_follow_a_board_live_is_who_may_open_it(site: Site) -> None:
    ids = site.world.ids
    follows = {who: live_access(client, ids["board"]) for who, client in site.everybody().items()}
    others = {live_access(site.inside["owner"], board) for board in (ABSENT, site.world.foreign["board"], "", "*")}

    assert follows == {
        **dict.fromkeys((*RANK,), 204),
        **dict.fromkeys(("outsider", "removed", "off", "let_out", "stranger", "nobody"), 404),
    }
    assert others == {404}
    assert live_access(site.inside["manager"], site.world.closed["board"]) == 404
    assert site.inside["owner"].post("/live/access").status_code == 405


def test_sign_in_is_for_who_is_not_signed_in(site: Site) -> None:
    statuses = {who: client.get("/sign-in/").status_code for who, client in site.everybody().items()}

    assert {who for who, status in statuses.items() if status == 200} == {"off", "nobody"}
    assert set(statuses.values()) == {200, 302}


def live_access(client: Client, board: str) -> int:
    return client.get("/live/access", {"board": board}).status_code


def expected_for(door: Door, method: str, who: str) -> tuple[int, str]:
    """Return status and code: what the door gives, or why it stays shut."""
    least = door.get if method == "get" else door.post
    opened = door.shown if method == "get" else door.done
    if least == NOBODY:
        return 405, "" if door.path.startswith(("/api/", "/live/")) else "PAGE_METHOD"
    if least == EVERYBODY:
        return opened
    if who in {"nobody", "off"}:
        return (302, "") if method == "get" else (401, "SIGNED_OUT")
    if least == ANYBODY:
        return opened
    if who == "removed":
        return 403, "NO_WORKSPACE"
    if least == ANYBODY_IN:
        return opened
    rank = rank_at(door, method, who)
    if rank is None:
        return 404, "NOT_FOUND"
    if rank >= RANK[least]:
        return opened
    is_short = least == "manager" and rank == RANK["member"]
    code = door.hidden or ("NOT_BOARD_MANAGER" if is_short else "FORBIDDEN")
    return (404 if code == "NOT_FOUND" else 403), code


def rank_at(door: Door, method: str, who: str) -> int | None:
    """Return the rank of who asks, or None for those who find nothing there.

    Who opens no board is a member of the workspace all the same, and the stranger owns another one.
    """
    if who in RANK:
        return RANK[who]
    names = door.names(method)
    if who == "stranger":
        return None if names else RANK["owner"]
    return RANK["member"] if names <= OF_THE_WORKSPACE else None


def ask(site: Site, door: Door, method: str, who: str, client: Client) -> tuple[HttpResponseBase, list[str]]:
    """Ask with a copy of the session, so that signing out does not sign out for good; take back what changed."""
    copy = Client()
    copy.cookies = client.cookies.copy()  # type: ignore[assignment]
    with watched() as written, taken_back(not door.sends):
        answer = door.send(copy, method, site.world.ids)
    return answer, written


def plain(door: Door, method: str, client: Client, ids: dict[str, str]) -> tuple[tuple[int, str], str]:
    """Return the answer without ids, tokens and numbers, which differ between any two answers."""
    with taken_back(not door.sends):
        answer = door.send(client, method, ids)
    text = "" if answer.streaming else answer.content.decode()  # type: ignore[attr-defined]
    return got(answer), re.sub(r"[0-9a-f-]{36}|value=\"\w{64}\"|\d+", "#", text)


def route_of(path: str) -> str:
    return resolve(path.replace("$", "")).route
