"""Who may decide: everybody at every door, as a maker and not, named and not, beside others and alone. Each door
refuses with the same code, and looking never decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from bakedbrie.asgi import Site as Application
from boards.models import Board
from boards.services.members import remove_board_member
from reviews.models import Decision, Review, WorkFolder
from reviews.states import ReviewState
from tests.api.world import writes_in
from tests.support.fake_provider import FakeProvider
from tests.support.mcp import McpClient, post, rpc, served
from tests.web.matrix import Site, got, make_site
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.members import change_role

pytestmark = pytest.mark.django_db(transaction=True)

VERDICTS = ("approve", "reject")
# What somebody gets who may decide: the hash that is sent is never the right one.
MAY = "PREVIEW_CHANGED"
WRITERS = ("owner", "admin", "manager", "member")
ALWAYS = {
    "viewer": "FORBIDDEN",
    "lowered": "FORBIDDEN",
    "outsider": "NOT_FOUND",
    "let_out": "NOT_FOUND",
    "stranger": "NOT_FOUND",
    "removed": "UNAUTHENTICATED",
    "off": "UNAUTHENTICATED",
    "nobody": "UNAUTHENTICATED",
    "revoked": "UNAUTHENTICATED",
    "expired": "UNAUTHENTICATED",
    "read_only": "TOKEN_READ_ONLY",
    "runner": "TOKEN_RUNNER_ONLY",
}
# The same, with what to do about it.
NOBODY = {"SIGNED_OUT", "NO_WORKSPACE", "TOKEN_REVOKED"}


@dataclass(frozen=True, kw_only=True)
class Case:
    maker: str
    named: str
    is_shared: bool

    def expected(self, who: str, verdict: str) -> str:
        """What this person is told, worked out from the rules alone."""
        if who in ALWAYS:
            return ALWAYS[who]
        if not self.is_shared and who != "owner":
            return "NOT_FOUND"
        if self.named and self.named != who and (self.is_shared or self.named == "owner"):
            return "NOT_NAMED_REVIEWER"
        if verdict == "approve" and self.is_shared and self.maker == who:
            return "MAKER_CANNOT_APPROVE"
        return MAY


CASES = [
    Case(maker=maker, named=named, is_shared=True) for maker, named in product(("owner", "member"), ("", "member"))
]
ALONE = [
    Case(maker=maker, named=named, is_shared=False)
    for maker, named in (("owner", ""), ("owner", "owner"), ("owner", "member"), ("member", ""))
]


@pytest.fixture(scope="module")
def address(django_db_setup: None) -> Iterator[str]:
    with served(Application()) as found:
        yield found


@pytest.fixture
def site(alice: Caller, charlie: Caller, settings: Settings, transactional_db: None) -> Iterator[Site]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        settings.CALLS_PER_MINUTE = 1_000_000
        yield make_site(alice, charlie, provider)


def token_in(client: APIClient) -> str:
    credentials: dict[str, str] = getattr(client, "_credentials", {})
    return credentials.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer ")


def plain(code: str) -> str:
    return "UNAUTHENTICATED" if code in NOBODY else code


def by_tool(site: Site, arguments: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for who, client in tokens(site).items():
        answer = client.post("/api/v1/tools/decide_review", dict(arguments), format="json")
        found[who] = plain(answer.json().get("error", {}).get("code", "done"))
    return found


def by_rest(site: Site, arguments: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    fields = {name: value for name, value in arguments.items() if name != "review_id"}
    for who, client in tokens(site).items():
        answer = client.post(f"/api/v1/reviews/{arguments['review_id']}/decision", fields, format="json")
        found[who] = plain(answer.json().get("error", {}).get("code", "done"))
    return found


def by_mcp(address: str, site: Site, arguments: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for who, client in tokens(site).items():
        if ALWAYS.get(who) == "UNAUTHENTICATED":  # refused before the protocol: no client gets so far
            call = rpc("tools/call", {"name": "decide_review", "arguments": dict(arguments)})
            status = post(address, call, token=token_in(client) or None).status_code
            found[who] = "UNAUTHENTICATED" if status == 401 else str(status)
        else:
            answer = McpClient(address, token_in(client)).answer("decide_review", **arguments)
            found[who] = answer.get("error", {}).get("code", "done")
    return found


def by_page(site: Site, arguments: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for who, client in site.everybody().items():
        fields = {name: value for name, value in arguments.items() if name != "review_id"}
        answer = client.post(f"/reviews/{arguments['review_id']}/", fields)
        found[who] = plain(got(answer)[1])
    return found


def tokens(site: Site) -> dict[str, APIClient]:
    return {**site.world.everybody(), "nobody": APIClient()}


def wrong_answers(case: Case, site: Site, address: str) -> dict[str, str]:
    """Set the case up, let everybody decide with a hash that is not the right one, and return what is not as it should
    be."""
    people = site.world.people
    review_id = site.world.ids["review"]
    named = people[case.named].member if case.named else None
    Review.objects.filter(pk=review_id).update(maker=people[case.maker].actor)
    WorkFolder.objects.filter(board__pk=site.world.ids["board"]).update(reviewer=named)
    wrong = {}
    for verdict in VERDICTS:
        arguments = {"review_id": review_id, "intent_hash": "0" * 64, "decision": verdict, "note": "Shorter."}
        doors = {
            "page": by_page(site, arguments),
            "tool": by_tool(site, arguments),
            "rest": by_rest(site, arguments),
            "mcp": by_mcp(address, site, arguments),
        }
        for door, answers in doors.items():
            for who, code in answers.items():
                if code != (expected := case.expected(who, verdict)):
                    wrong[f"{door} {verdict} {who} {case}"] = f"{code}, not {expected}"
    return wrong


@pytest.mark.requirement("V004", "V005", "V007", "V014", "C090", "C095")
def test_every_door_of_a_shared_board_tells_everybody_the_same(site: Site, address: str) -> None:
    wrong: dict[str, str] = {}
    for case in CASES:
        wrong |= wrong_answers(case, site, address)

    assert wrong == {}
    assert nothing_is_decided()


@pytest.mark.requirement("V006", "V007", "C090")
def test_every_door_of_a_board_of_one_person_tells_everybody_the_same(site: Site, address: str, alice: Caller) -> None:
    leave_alone(site, alice)

    wrong: dict[str, str] = {}
    for case in ALONE:
        wrong |= wrong_answers(case, site, address)

    assert wrong == {}
    assert nothing_is_decided()


def leave_alone(site: Site, alice: Caller) -> None:
    """Let the owner be the last who may decide on the board; viewers stay."""
    board = Board.objects.get(pk=site.world.ids["board"])
    for who in ("manager", "member"):
        remove_board_member(alice, board=board, member=site.world.people[who].member)
    change_role(alice, member=site.world.people["admin"].member, role=Role.MEMBER)


def nothing_is_decided() -> bool:
    is_open = Review.objects.exclude(state=ReviewState.OPEN).exists()
    return not is_open and not Decision.objects.exists()


@pytest.mark.requirement("C089", "C090")
def test_looking_never_decides_at_any_door(site: Site) -> None:
    review_id = site.world.ids["review"]
    asked = {"review_id": review_id, "decision": "approve", "intent_hash": hash_shown(site), "note": "Yes."}
    clients: list[Client | APIClient] = [*site.everybody().values(), *tokens(site).values()]
    pages = (f"/reviews/{review_id}/", "/reviews/")
    calls = ("tools/decide_review", f"reviews/{review_id}", f"reviews/{review_id}/decision")

    with CaptureQueriesContext(connection) as statements:
        for client, method in product(clients, ("get", "head", "options")):
            for path in (*pages, *(f"/api/v1/{call}" for call in calls)):
                getattr(client, method)(path, asked)

    assert nothing_is_decided()
    assert [sql for sql in writes_in(query["sql"] for query in statements) if "reviews_" in sql] == []


def hash_shown(site: Site) -> str:
    review_id = site.world.ids["review"]
    shown = site.world.inside["admin"].post("/api/v1/tools/get_review", {"review_id": review_id}, format="json")
    seen: str = shown.json()["untrusted_data"]["review"]["intent_hash"]
    return seen


@pytest.mark.requirement("V004", "C090")
def test_whoever_may_decides_at_each_door_with_the_right_hash(site: Site, address: str) -> None:
    review_id, admin = site.world.ids["review"], site.world.inside["admin"]
    fields = {"intent_hash": hash_shown(site), "decision": "reject"}
    named = {"review_id": review_id, **fields}
    doors: dict[str, Callable[[], object]] = {
        "page": lambda: site.inside["admin"].post(f"/reviews/{review_id}/", fields),
        "tool": lambda: admin.post("/api/v1/tools/decide_review", named, format="json"),
        "rest": lambda: admin.post(f"/api/v1/reviews/{review_id}/decision", fields, format="json"),
        "mcp": lambda: McpClient(address, token_in(admin)).answer("decide_review", **named),
    }
    told = {}
    for door, decide in doors.items():
        decide()
        decision = Decision.objects.get()
        told[door] = (str(decision.review_id), decision.decision, decision.decided_by_id, decision.door)
        decision.delete()
        Review.objects.update(state=ReviewState.OPEN, closed_at=None)  # the next door finds it as this one did

    by = site.world.people["admin"].member.pk
    kept = {"page": "web", "tool": "mcp", "rest": "rest", "mcp": "mcp"}
    assert told == {door: (review_id, "reject", by, name) for door, name in kept.items()}
