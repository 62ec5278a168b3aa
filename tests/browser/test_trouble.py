"""What goes wrong while people work: two at once, twice at once, out of the session, out of their role."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from boards.models import Card, Comment
from boards.services.members import add_board_member
from tests.browser.judges import barriers
from tests.browser.visits import DESKTOP, Visits
from tests.factories.boards import make_board, make_card, make_file
from tests.factories.workspaces import make_member
from tests.support.canary import plant
from tests.support.fake_provider import drop_connection
from workspaces.caller import Caller
from workspaces.models import Token
from workspaces.roles import Role
from workspaces.services.members import change_role

TITLE = "#card-title-field"
WITH_AND_WITHOUT = pytest.mark.parametrize("has_script", [True, False], ids=["script", "no script"])


def fill_new_card(page: Page, title: str) -> None:
    column = page.get_by_role("region", name="To do")
    column.get_by_label("Add a card to To do").click()
    column.get_by_label("Title").fill(title)


def test_of_two_tabs_the_second_is_shown_what_the_first_one_saved(opens: Visits, alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    first = opens(alice)
    second = opens.another_tab(first.context)
    for tab in (first, second):
        tab.goto(f"/cards/{card.pk}/")
        tab.locator("#edit-card > summary").click()
    first.locator(TITLE).fill("Title of the first tab")
    second.locator(TITLE).fill("Title of the second tab")

    first.get_by_role("button", name="Save").click()
    expect(first.get_by_role("heading", name="Title of the first tab")).to_be_visible()
    second.get_by_role("button", name="Save").click()
    expect(second.locator("[data-code=REVISION_CONFLICT]")).to_be_visible()
    expect(second.locator("#as-it-is-now")).to_contain_text("Title of the first tab")
    expect(second.locator(TITLE)).to_have_value("Title of the second tab")
    assert barriers(second) == []
    second.get_by_role("button", name="Save").click()

    expect(second.get_by_role("heading", name="Title of the second tab")).to_be_visible()


@WITH_AND_WITHOUT
def test_a_form_that_is_sent_twice_acts_once(opens: Visits, alice: Caller, has_script: bool) -> None:
    board = make_board(alice)
    page = opens(alice, DESKTOP, java_script_enabled=has_script)
    page.goto(f"/boards/{board.pk}/")

    fill_new_card(page, "Only one of these")
    page.get_by_role("button", name="Add card").first.dblclick()
    expect(page.get_by_role("link", name="Only one of these", exact=True)).to_be_visible()
    page.reload()

    expect(page.get_by_role("link", name="Only one of these", exact=True)).to_have_count(1)
    assert Card.objects.filter(board=board).count() == 1


def test_going_back_and_forward_sends_nothing_again(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    page = opens(alice, DESKTOP, java_script_enabled=False)
    page.goto(f"/boards/{board.pk}/")
    fill_new_card(page, "Made once")
    page.get_by_role("button", name="Add card").first.click()
    page.get_by_role("link", name="Made once", exact=True).click()
    expect(page.get_by_role("heading", name="Made once")).to_be_visible()

    page.go_back()
    page.go_back()
    page.go_forward()

    expect(page.get_by_role("link", name="Made once", exact=True)).to_be_visible()
    assert Card.objects.filter(board=board).count() == 1


def test_a_page_that_minted_a_token_shows_it_once_and_mints_nothing_when_it_is_loaded_again(
    opens: Visits, alice: Caller
) -> None:
    page = opens(alice)
    page.goto("/settings/tokens/")
    page.get_by_label("What it is for").fill("Claude Code on my laptop")
    page.get_by_role("button", name="Mint token").click()
    raw = page.get_by_label("Token", exact=True).input_value()
    expect(page.locator("pre").first).to_contain_text(f"Bearer {raw}")
    assert barriers(page) == []

    page.reload()

    expect(page.get_by_text("This token was minted already")).to_be_visible()
    assert raw not in page.content()
    assert Token.objects.filter(member=alice.member).count() == 1
    page.locator("a[id^=revoke-]").click()
    page.get_by_role("dialog").locator("#confirm").click()
    expect(page.locator("a[id^=revoke-]")).to_have_count(0)
    assert Token.objects.get(member=alice.member).revoked_at is not None


def test_what_one_writes_outlives_a_session_that_ended(opens: Visits, alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    page = opens(alice)
    page.goto(f"/cards/{card.pk}/")
    page.get_by_label("Comment", exact=True).fill("A long thought")
    other = opens.another_tab(page.context)
    other.goto("/")
    opens.sign_out(other)
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()

    page.get_by_role("button", name="Add comment").click()
    expect(page.locator("[data-code=SIGNED_OUT]")).to_be_visible()
    expect(page.get_by_label("Comment", exact=True)).to_have_value("A long thought")
    opens.sign_in(page.context, alice)
    page.get_by_role("button", name="Add comment").click()

    expect(page.locator(".comment", has_text="A long thought")).to_be_visible()
    assert Comment.objects.filter(card=card).count() == 1


def test_a_change_in_the_middle_of_a_click_does_not_swallow_it(opens: Visits, alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    page, held = opens(alice), list[Route]()
    with page.expect_response(lambda answer: "/events" in answer.url):
        page.goto(f"/cards/{card.pk}/")
    page.get_by_label("Comment", exact=True).fill("Pressed for long")
    button = page.get_by_role("button", name="Add comment")

    page.route(re.compile(f"/cards/{card.pk}/$"), lambda route: held.append(route))
    with page.expect_request(re.compile(f"/cards/{card.pk}/$")):
        make_file(alice, card, name="meanwhile.md")
    button.hover()
    page.mouse.down()
    with page.expect_request_finished():
        held[0].continue_()
    page.unroute_all()
    page.mouse.up()

    expect(page.locator(".comment", has_text="Pressed for long")).to_be_visible()
    expect(page.get_by_role("link", name="meanwhile.md", exact=True)).to_be_visible()


def test_who_was_lowered_meanwhile_is_refused_and_nothing_is_written(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    mia = make_member(alice, "Mia Moreau")
    add_board_member(alice, board=board, member=mia.member)
    page = opens(mia)
    page.goto(f"/boards/{board.pk}/")
    fill_new_card(page, "Too late")
    change_role(alice, member=mia.member, role=Role.VIEWER)

    page.get_by_role("button", name="Add card").first.click()

    expect(page.locator("[data-code=FORBIDDEN]").first).to_be_visible()
    assert Card.objects.filter(board=board).count() == 0


def test_a_provider_that_cannot_be_reached_is_told_in_the_form(opens: Visits, alice: Caller) -> None:
    provider, page = opens.site.provider, opens(alice)
    page.goto("/settings/accounts/new/")
    page.get_by_label("Compatible service").check()
    page.get_by_label("Address of the service").fill(provider.url("/v1"))
    page.get_by_label("Name of the account here").fill("Our own model")
    page.get_by_label("Key", exact=True).fill(plant("canary of a key for a dead provider"))
    page.get_by_label("Model", exact=True).fill("local-model")

    provider.script(drop_connection)
    page.get_by_role("button", name="Connect account").click()

    expect(page.locator("form .refusal[data-code=AI_PROVIDER_UNREACHABLE]")).to_be_visible()
    expect(page.locator("#notices")).to_be_empty()
    assert barriers(page) == []
    assert all(" 502 " in f" {each} " for each in opens.trouble)
    opens.trouble.clear()  # the status is that of a service which failed, and Chromium notes it


def test_what_broke_is_told_until_the_next_act(opens: Visits, alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    page = opens(alice)
    page.goto(f"/cards/{card.pk}/")
    page.get_by_label("Comment", exact=True).fill("Written twice, counted once")

    page.route(re.compile("/comments/$"), lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
    page.get_by_role("button", name="Add comment").click()
    expect(page.locator("#notices")).to_contain_text("Something went wrong on our side")
    page.unroute(re.compile("/comments/$"))
    page.get_by_role("button", name="Add comment").click()

    expect(page.locator("#notices")).to_be_empty()
    expect(page.locator(".comment", has_text="Written twice, counted once")).to_be_visible()
    opens.trouble.clear()  # Chromium notes the broken answer as an error of the console
