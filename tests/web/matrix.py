"""Everybody who may be at a page, and one row for each address of the site but those of the API and the admin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse, HttpResponseBase
from django.test import Client

from boards.models import Board
from boards.services.members import add_board_member, remove_board_member
from tests.api.world import World, filled, make_world, names_in
from tests.factories.workspaces import make_member
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import code_of
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.members import change_role, remove_member
from workspaces.services.users import set_active

# The marks of rights, beside the names of RANK: everybody, whoever is signed in, whoever has a membership, nobody.
EVERYBODY, ANYBODY, ANYBODY_IN, NOBODY = "everybody", "anybody", "anybody in", "nobody"


@dataclass(frozen=True, kw_only=True)
class Door:
    """``path``, ``query`` and ``fields`` name ids of the world with a $; ``fields`` are what a form sends.

    ``get`` and ``post`` say who is let in; ``shown`` and ``done`` are the status and the code that they then get.
    ``hidden`` is the code for those below, where it is not the one that their role gets elsewhere.
    ``sends`` where its form asks an outside service, for which no transaction may be open.
    """

    path: str
    get: str = NOBODY
    post: str = NOBODY
    query: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str | bytes] = field(default_factory=dict)
    shown: tuple[int, str] = (200, "")
    done: tuple[int, str] = (302, "")
    hidden: str = ""
    sends: bool = False

    def names(self, method: str) -> set[str]:
        return names_in([self.path, *(self.query if method == "get" else self.fields).values()])

    def send(self, client: Client, method: str, ids: dict[str, str], **headers: str) -> HttpResponseBase:
        """Open the page, or send its form as a browser without scripts does."""
        path: str = filled(self.path, ids)
        if method == "get":
            return client.get(path, {name: filled(value, ids) for name, value in self.query.items()}, headers=headers)
        return client.post(path, {name: _sent(value, ids) for name, value in self.fields.items()}, headers=headers)


def page(path: str, **more: Any) -> Door:
    return Door(path=path, get="viewer", **more)


def form(path: str, **more: Any) -> Door:
    return Door(path=path, post="member", **more)


def for_managers(path: str, **more: Any) -> Door:
    """Return the door of a page that asks, or holds a form, and takes the answer."""
    return Door(path=path, get="manager", post="manager", **more)


def asked_first(path: str) -> Door:
    """Return the door of a page that opens to its person only after they showed who they are."""
    return Door(path=path, get=ANYBODY, post=ANYBODY, shown=(302, ""))


BOARD, COLUMN, CARD = "/boards/$board/", "/columns/$extra_stage/", "/cards/$card/"
AGENT = "/agents/$agent/"
DRAFTED = {"name": "Scout", "instructions": "Do it."}
ACCOUNTS, ACCOUNT = "/settings/accounts/", "/settings/accounts/$account/"
DESTINATIONS, DESTINATION = "/settings/destinations/", "/settings/destinations/$destination/"
PLACED = {
    "name": "New",
    "endpoint": "https://absent.invalid",
    "bucket": "cheese",
    "prefix": "out",
    "access_key_id": "AKIA",
}
EDITED = {"title": "New", "brief": "", "owner": "$agent_owner", "expected_revision": "2", "seen": ""}
MOVED = {"stage_id": "$extra_stage", "preview_hash": "0" * 64}
RULED = {"from_stage_id": "$extra_stage", "agent_id": "$agent", "to_stage_id": "$other_stage"}
MINTED = {"label": "laptop", "preset": "read_only", "days": "30"}

DOORS: tuple[Door, ...] = (
    Door(path="/", get=ANYBODY_IN),
    Door(path="/search/", get=ANYBODY_IN, query={"q": "Card"}),
    Door(path="/let-in/", post="manager", fields={"member_id": "$newcomer", "board_id": "$board"}),
    Door(path="/first-steps/", post=ANYBODY_IN, fields={"shown": "no"}),
    form("/boards/", fields={"name": "New"}),
    Door(path="/boards/new/", get="member", post="member", fields={"template": "support"}),
    Door(path=f"{BOARD}first-card/", get="member", post="member", fields={"title": "New", "stage_id": "$todo"}),
    page(BOARD),
    form(f"{BOARD}cards/", fields={"stage_id": "$todo", "title": "New"}),
    page(f"{BOARD}tiles/", query={"card": "$card"}, shown=(302, "")),
    form(f"{BOARD}columns/", fields={"name": "New"}),
    page(f"{BOARD}rules/"),
    for_managers(f"{BOARD}rules/new/", fields=RULED),
    for_managers("/rules/$rule/", fields=RULED),
    for_managers("/rules/$rule/publish/", shown=(409, "RULE_STATE"), done=(409, "RULE_STATE")),
    for_managers("/rules/$rule/pause/"),
    page(f"{BOARD}settings/"),
    Door(path=f"{BOARD}settings/name/", post="manager", fields={"name": "New", "expected_revision": "3"}),
    form(f"{BOARD}settings/guidelines/", fields={"guidelines": "Be short.", "expected_revision": "3"}),
    Door(
        path=f"{BOARD}folder/",
        get="viewer",
        post="manager",
        fields={"place": "hosted", "inbox": "off", "confirm": "yes"},
    ),
    Door(path=f"{BOARD}folder/try/", post="manager", done=(404, "NOT_FOUND")),
    Door(path="/folder-files/$folder_file/", get="viewer", shown=(302, "")),
    Door(
        path=f"{BOARD}destination/",
        get="viewer",
        post="manager",
        fields={"destination_id": "$destination", "confirm": "on"},
    ),
    for_managers(f"{BOARD}destination/clear/"),
    Door(path=f"{BOARD}members/", post="manager", fields={"member_id": "$newcomer"}),
    Door(path=f"{BOARD}members/$member/", post="manager", fields={"is_manager": "on"}),
    for_managers(f"{BOARD}members/$member/remove/"),
    for_managers(f"{BOARD}archive/"),
    Door(path=f"{BOARD}unarchive/", post="manager"),
    page(f"{BOARD}trash/"),
    page(f"{BOARD}agents/"),
    for_managers(f"{BOARD}agents/new/", fields=DRAFTED),
    page(AGENT),
    page(f"{AGENT}versions/"),
    page(f"{AGENT}versions/1/"),
    for_managers(f"{AGENT}edit/", fields={**DRAFTED, "expected_revision": "2"}),
    for_managers(f"{AGENT}publish/", done=(409, "NO_DRAFT")),
    for_managers(f"{AGENT}retire/", done=(409, "AGENT_IN_USE")),
    Door(path=f"{AGENT}pause/", post="manager"),
    Door(path=f"{AGENT}resume/", post="manager", done=(409, "AGENT_STATE")),
    page(f"{COLUMN}cards/"),
    form(f"{COLUMN}order/", fields={"before_stage_id": "$other_stage"}),
    form(f"{COLUMN}name/", fields={"name": "New"}),
    form(f"{COLUMN}place/", fields={"direction": "right"}),
    Door(path=f"{COLUMN}delete/", get="manager", post="manager"),
    page(CARD),
    page("/cards/$trashed_card/"),
    form(f"{CARD}edit/", fields=EDITED),
    Door(
        path=f"{CARD}destination/",
        get="viewer",
        post="manager",
        fields={"destination_id": "$destination", "confirm": "on"},
    ),
    for_managers(f"{CARD}destination/clear/"),
    Door(path=f"{CARD}trash/", get="member", post="member"),
    form("/cards/$trashed_card/restore/"),
    form("/cards/$trashed_card/restore/", fields={"from": "list"}),
    form(f"{CARD}comments/", fields={"text": "Hello"}),
    form(f"{CARD}files/", fields={"file": b"hello"}),
    Door(
        path=f"{CARD}move/",
        get="member",
        post="member",
        query={"stage_id": "$extra_stage"},
        fields=MOVED,
        done=(409, "PREVIEW_CHANGED"),
    ),
    form(f"{CARD}drop/", fields={"stage_id": "$other_stage"}),
    page(f"{CARD}peek/", shown=(302, "")),
    page("/files/$file/"),
    page("/files/$file/preview/"),
    page("/files/$file/content/"),
    Door(path="/files/$file/remove/", get="member", post="member"),
    Door(path="/text/preview/", post=ANYBODY_IN, fields={"text": "**Now**"}, done=(200, "")),
    page("/turns/$turn/lines/"),
    form("/turns/$turn/stop/"),
    Door(path="/reviews/", get=ANYBODY_IN),
    Door(path="/reviews/link/", get=ANYBODY_IN),
    page("/reviews/", query={"board_id": "$board", "state": "approved"}),
    Door(
        path="/reviews/$review/",
        get="viewer",
        post="member",
        fields={"decision": "reject", "intent_hash": "0" * 64},
        done=(409, "PREVIEW_CHANGED"),
        sends=True,
    ),
    Door(path="/reviews/$review/alike/", get="viewer", post="member", done=(422, "INVALID_INPUT"), sends=True),
    form("/deliveries/$delivery/redeliver/", done=(409, "DELIVERY_RUNNING")),
    Door(
        path="/approvals/$approval/",
        get="viewer",
        post="member",
        fields={"answer": "once", "input_hash": "0" * 64},
        done=(409, "PREVIEW_CHANGED"),
    ),
    Door(path="/permits/$permit/withdraw/", post="manager"),
    form("/turns/$turn/run-again/", done=(409, "TURN_NOT_ENDED")),
    Door(path=ACCOUNTS, get=ANYBODY_IN),
    page(ACCOUNTS, query={"of": "board/$board"}),
    Door(path=f"{ACCOUNTS}new/", get="member", post="member", fields={"label": "Key"}, done=(422, "INVALID_INPUT")),
    page(ACCOUNT),
    form(f"{ACCOUNT}check/", sends=True),
    Door(path=f"{ACCOUNT}bindings/", post="manager", fields={"target": "board/$board"}),
    Door(path=f"{ACCOUNT}cap/", post="admin", fields={"monthly_cap_usd": "20"}),
    Door(path=f"{ACCOUNT}edit/", post="admin", fields={"label": "Key", "model": "claude-sonnet-5-5"}),
    Door(path=f"{ACCOUNT}remove/", get="admin", post="admin"),
    Door(path="/settings/bindings/$binding/remove/", get="manager", post="manager"),
    Door(path=DESTINATIONS, get=ANYBODY_IN),
    for_managers(f"{DESTINATIONS}new/", fields={"name": "Site"}, done=(422, "INVALID_INPUT")),
    Door(path=f"{DESTINATIONS}example/", get=ANYBODY_IN, shown=(302, "")),
    page(DESTINATION),
    Door(path=f"{DESTINATION}edit/", post="admin", fields={**PLACED, "expected_revision": "1"}),
    Door(path=f"{DESTINATION}check/", post="manager", sends=True, done=(502, "DESTINATION_UNREACHABLE")),
    Door(path=f"{DESTINATION}default/", post="manager", fields={"board_id": "$board", "confirm": "on"}),
    Door(path=f"{DESTINATION}turn-off/", get="admin", post="admin"),
    Door(path="/settings/", get=ANYBODY_IN, post="admin", fields={"name": "New"}),
    Door(path="/settings/stop/", get="admin", post="admin", fields={"reason": "Fire"}),
    Door(path="/settings/resume/", get="admin", post="admin"),
    Door(path="/settings/members/", get=ANYBODY_IN),
    Door(path="/settings/members/$newcomer/role/", get="admin", post="admin", fields={"role": "viewer"}),
    Door(path="/settings/members/$newcomer/remove/", get="admin", post="admin"),
    Door(path="/settings/invites/", post="admin", fields={"email": "n@example.com", "role": "viewer"}, done=(200, "")),
    Door(path="/settings/invites/$invite/take-back/", get="admin", post="admin"),
    Door(path="/settings/tokens/", get=ANYBODY_IN, post=ANYBODY_IN, fields=MINTED, done=(200, "")),
    Door(
        path="/settings/tokens/",
        get="admin",
        post=ANYBODY_IN,
        query={"of": "everyone"},
        fields=MINTED,
        done=(200, ""),
    ),
    Door(path="/settings/tokens/$token/revoke/", get="admin", post="admin", hidden="NOT_FOUND"),
    Door(path="/settings/capabilities/", get=ANYBODY_IN),
    Door(path="/settings/capabilities/agents/", get="admin", post="admin"),
    Door(path="/settings/audit/", get="admin"),
    Door(path="/account/", get=ANYBODY),
    Door(path="/account/name/", post=ANYBODY, fields={"name": "New"}),
    Door(path="/account/mail/", post=ANYBODY, fields={"review_mail": "on"}),
    Door(path="/account/confirm/", get=ANYBODY, post=ANYBODY, done=(422, "SIGN_IN_FAILED")),
    Door(path="/account/sessions/1/end/", post=ANYBODY, done=(404, "NOT_FOUND")),
    Door(path="/account/sessions/end-others/", post=ANYBODY),
    # Whoever has not shown lately who they are is asked to: tests/web/test_account.py has what comes then.
    asked_first("/account/password/"),
    asked_first("/account/passkeys/new/"),
    Door(path="/account/passkeys/options/", post=ANYBODY),
    asked_first("/account/passkeys/1/"),
    asked_first("/account/second-step/"),
    Door(path="/account/second-step/picture.svg", get=ANYBODY, shown=(302, "")),
    asked_first("/account/second-step/off/"),
    asked_first("/account/recovery-codes/"),
)

# What is open to everybody by what it is for, with what anybody gets there who has no key to it.
OPEN: tuple[Door, ...] = (
    Door(path="/api/docs", get=EVERYBODY),
    Door(path="/api/schema", get=EVERYBODY),
    Door(path="/docs/", get=EVERYBODY),
    Door(path="/docs/concepts/", get=EVERYBODY),
    Door(path="/setup/", get=EVERYBODY, shown=(404, "NOT_FOUND")),
    Door(
        path="/setup/made-up/",
        get=EVERYBODY,
        post=EVERYBODY,
        shown=(404, "NOT_FOUND"),
        done=(404, "NOT_FOUND"),
    ),
    Door(path="/sign-in/link/made-up/", get=EVERYBODY, post=EVERYBODY, done=(409, "LINK_EXPIRED")),
    Door(
        path="/invites/made-up/",
        get=EVERYBODY,
        post=EVERYBODY,
        shown=(409, "INVITE_EXPIRED"),
        done=(409, "INVITE_EXPIRED"),
    ),
    Door(path="/downloads/folders/made-up/", get=EVERYBODY, shown=(409, "LINK_EXPIRED")),
    Door(path="/downloads/made-up/", get=EVERYBODY, shown=(409, "LINK_EXPIRED")),
    Door(path="/register", get=EVERYBODY, post=EVERYBODY, shown=(404, ""), done=(404, "")),
    Door(path="/.well-known/absent", get=EVERYBODY, post=EVERYBODY, shown=(404, ""), done=(404, "")),
    Door(path="/mcp", get=EVERYBODY, post=EVERYBODY, shown=(404, ""), done=(404, "")),
    Door(path="/sign-in/code/", get=EVERYBODY, post=EVERYBODY, shown=(302, "")),
    Door(path="/sign-in/passkey/", post=EVERYBODY, done=(422, "PASSKEY_FAILED")),
    Door(path="/sign-in/passkey/options/", post=EVERYBODY, done=(200, "")),
    Door(path="/invites/made-up/passkey/", post=EVERYBODY, done=(409, "")),
    Door(path="/tokens/", get=EVERYBODY, shown=(302, "")),
    Door(path="/sign-out/", post=EVERYBODY),
    Door(path="/preferences/", post=EVERYBODY, fields={"theme": "dark"}),
    Door(path="/workspace/", post=EVERYBODY, fields={"workspace": "$board"}),
)
# Their answer depends on who asks, and has tests of its own below.
APART = {"/sign-in/forgotten/", "/settings/leave/", "/sign-in/", "/admin/login/", "/live/access"} | {
    # Doors for assistants and the page that lets them in: tests/connecting/.
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/oauth/authorize/",
    "/oauth/token/",
    "/oauth/register/",
    "/oauth/revoke/",
}


@dataclass(kw_only=True)
class Site:
    """The world, and a browser for everybody: those in RANK and outsider, and those who lost something since."""

    world: World
    inside: dict[str, Client]
    lost: dict[str, Client]
    stranger: Client

    def everybody(self) -> dict[str, Client]:
        return {**self.inside, **self.lost, "stranger": self.stranger, "nobody": Client()}


def make_site(alice: Caller, charlie: Caller, provider: FakeProvider) -> Site:
    world = make_world(alice, charlie, provider)
    inside = {name: browser(person) for name, person in world.people.items()}
    inside["lowered"] = _signed_in_before_it_was_lowered(alice, world)
    return Site(world=world, inside=inside, lost=_with_live_sessions(alice, world), stranger=browser(charlie))


def _signed_in_before_it_was_lowered(alice: Caller, world: World) -> Client:
    lowered = make_member(alice, "Lea Lesser", Role.ADMIN)
    client = browser(lowered)
    add_board_member(alice, board=_board(world), member=lowered.member, is_manager=True)
    change_role(alice, member=lowered.member, role=Role.VIEWER)
    return client


def _with_live_sessions(alice: Caller, world: World) -> dict[str, Client]:
    """Return those who were signed in when they lost their membership, their account, or the board."""
    removed, off, let_out = (make_member(alice, name) for name in ("Rita Romero", "Olaf Off", "Lena Left"))
    clients = {"removed": browser(removed), "off": browser(off), "let_out": browser(let_out)}
    for person in (removed, off, let_out):
        add_board_member(alice, board=_board(world), member=person.member, is_manager=True)
    remove_member(alice, member=removed.member)
    set_active(off.member.user, is_active=False)
    remove_board_member(alice, board=_board(world), member=let_out.member)
    return clients


def _board(world: World) -> Board:
    return Board.objects.get(pk=world.ids["board"])


def _sent(value: str | bytes, ids: dict[str, str]) -> object:
    return SimpleUploadedFile("a.txt", value) if isinstance(value, bytes) else filled(value, ids)


def got(answer: HttpResponseBase) -> tuple[int, str]:
    """Return the status and the code that the page shows; a file is read to its end, which closes it."""
    if isinstance(answer, HttpResponse):
        return answer.status_code, code_of(answer) or ""
    b"".join(answer)
    return answer.status_code, ""
