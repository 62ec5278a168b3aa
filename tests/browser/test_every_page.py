"""Every page that the site serves, found by the rows of the matrix: a new one is judged without being named here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse, HttpResponseBase
from playwright.sync_api import Page

from bakedbrie.lib.documents import library
from boards.models import Board, Card, CardFile, Stage
from tests.api.world import World, filled, make_world
from tests.browser.judges import barriers, open_everything, too_wide, without_visible_focus
from tests.browser.site import Site
from tests.browser.visits import DESKTOP, PHONE, SMALL_PHONE, TABLET, Screen, Visits
from tests.factories.workspaces import make_workspace
from tests.support.cast import browser as signed_in
from tests.web.matrix import DOORS, NOBODY, OPEN, Door
from workspaces.models import Actor

LONG_NAME = "Answers to everybody who wrote to us about the bread " + "Donaudampfschifffahrtsgesellschaft" * 2
LONG_BRIEF = f"""# {"W" * 90}

A line without an end: {"abcdefghij" * 40}

| {" | ".join(f"Column {n}" for n in range(12))} |
|{"---|" * 12}
| {" | ".join(f"https://example.com/{n}/{'x' * 30}" for n in range(12))} |

```
{"a long line of code " * 20}
```
"""
# Swagger UI, as its makers publish it: its look and its weight are theirs.
OTHERS = {"/api/docs"}
PARTS_AT_MOST, BYTES_AT_MOST = 3, 100_000
ZOOMED = Screen(width=DESKTOP.width // 2, height=DESKTOP.height // 2)  # what 200 % leaves of it, in CSS pixels


@pytest.fixture(scope="module")
def world(site: Site) -> World:
    """One of everything, with names as long as somebody may make them."""
    alice, charlie = (make_workspace(name=f"{name}’s bakery", owner=name) for name in ("Alice Archer", "Charlie Cole"))
    world = make_world(alice, charlie, site.provider)
    Board.objects.filter(pk=world.ids["board"]).update(name=LONG_NAME[:120], description=LONG_NAME * 3)
    Stage.objects.filter(pk=world.ids["extra_stage"]).update(name=LONG_NAME[:120])
    Card.objects.filter(board_id=world.ids["board"]).update(title=LONG_NAME * 2, brief=LONG_BRIEF)
    CardFile.objects.filter(pk=world.ids["file"]).update(name="x" * 120 + ".md")
    Actor.objects.filter(pk=world.ids["agent_owner"]).update(name="Researcherofeverythingthere" * 3)
    return world


@pytest.fixture(scope="module")
def addresses(world: World) -> list[str]:
    """Every address that answers the owner of the world with a whole page."""
    documents = [f"/docs/{name}/" for name in library().documents if name != "concepts"]
    return ["/sign-in/", "/absent/", *pages_of(world, "owner", (*DOORS, *OPEN)), *documents]


def pages_of(world: World, who: str, doors: Iterable[Door]) -> list[str]:
    """Return the addresses that answer somebody with a whole page, be it a refusal."""
    client, found = signed_in(world.people[who]), []
    for door in doors:
        asked = {name: filled(value, world.ids) for name, value in door.query.items()}
        address = f"{filled(door.path, world.ids)}{'?' if asked else ''}{urlencode(asked)}"
        if door.get != NOBODY and b"<html" in content_of(client.get(address)):
            found.append(address)
    return found


def content_of(answer: HttpResponseBase) -> bytes:
    """Return what a page or a file holds; read to its end, a file is closed."""
    return answer.content if isinstance(answer, HttpResponse) else b"".join(answer)


Judge = Callable[[Page], list[str]]


def judged(opens: Visits, world: World, addresses: list[str], screen: Screen, judge: Judge) -> dict[str, list[str]]:
    """Return what the judge finds wrong at each address, as the owner sees it, or somebody who is not signed in."""
    owner, nobody = opens(world.people["owner"], screen), opens(None, screen)
    wrong = {}
    for address in addresses:
        page = nobody if address == "/sign-in/" else owner
        page.goto(address)
        if found := judge(page):
            wrong[address] = found
    return wrong


def test_the_walk_finds_the_pages(world: World, addresses: list[str]) -> None:
    ids = world.ids

    assert len(addresses) == len(set(addresses))
    assert {"/", f"/boards/{ids['board']}/", f"/cards/{ids['card']}/", "/settings/tokens/", "/docs/"} < set(addresses)


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_serious(opens: Visits, world: World, addresses: list[str], screen: Screen) -> None:
    """In light and dark, with every menu and composer open."""
    own = [address for address in addresses if address not in OTHERS]

    def judge(page: Page) -> list[str]:
        page.emulate_media(color_scheme="light")
        open_everything(page)
        opens.picture(page, f"{screen.width}-light")
        found = barriers(page)
        page.emulate_media(color_scheme="dark")
        opens.picture(page, f"{screen.width}-dark")
        return found + [f"dark: {each}" for each in barriers(page, ["color-contrast"])]

    assert judged(opens, world, own, screen, judge) == {}


@pytest.mark.parametrize(("who", "screen"), [("member", DESKTOP), ("viewer", PHONE)])
def test_who_may_less_sees_pages_as_good(opens: Visits, world: World, who: str, screen: Screen) -> None:
    """What a member and a viewer are shown, refusals among it, on both sizes."""
    page, wrong = opens(world.people[who], screen), {}
    for address in pages_of(world, who, DOORS):
        page.set_viewport_size({"width": screen.width, "height": screen.height})
        page.goto(address)
        open_everything(page)
        opens.picture(page, f"{who}-{screen.width}")
        found = [*barriers(page), *too_wide(page)]
        other = PHONE if screen is DESKTOP else DESKTOP
        page.set_viewport_size({"width": other.width, "height": other.height})
        if found := [*found, *too_wide(page)]:
            wrong[address] = found

    assert wrong == {}


def test_nothing_is_wider_than_the_screen_and_focus_shows(opens: Visits, world: World, addresses: list[str]) -> None:
    """From the smallest phone to a desktop, and on a desktop that is zoomed to 200 %."""

    def judge(page: Page) -> list[str]:
        found = []
        for is_open in (False, True):
            if is_open:
                open_everything(page)
            for screen in (SMALL_PHONE, PHONE, ZOOMED, TABLET, DESKTOP):
                page.set_viewport_size({"width": screen.width, "height": screen.height})
                found += [f"{screen.width} {'open' if is_open else 'shut'}: {each}" for each in too_wide(page)]
        return found + [f"no visible focus: {each}" for each in without_visible_focus(page)]

    assert judged(opens, world, addresses, DESKTOP, judge) == {}


def test_a_first_load_is_light(opens: Visits, world: World, addresses: list[str]) -> None:
    """At most three requests beyond the HTML and a hundred kilobytes in all, as they come over the wire."""
    too_much = {}
    for address in addresses:
        if address not in OTHERS:
            parts, size = opens.first_load(None if address == "/sign-in/" else world.people["owner"], address)
            if len(parts) > PARTS_AT_MOST or size > BYTES_AT_MOST:
                too_much[address] = (size, parts)

    assert too_much == {}
