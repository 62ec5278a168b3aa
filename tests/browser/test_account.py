"""Passkeys and the second step, with a device that Chromium plays; and the first steps of a new workspace."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_sign_in import with_a_password
from tests.browser.visits import DESKTOP, PHONE, Screen, Visits
from tests.factories.workspaces import PASSWORD, make_workspace
from tests.support.second_step import code_of_app
from workspaces.roles import Role
from workspaces.services.invites import invite_member


def named(opens: Visits) -> str:
    """Return the address of the site by a name: passkeys do not belong to numbers."""
    return opens.site.address.replace("127.0.0.1", "localhost")


def give_a_device(page: Page) -> None:
    """Let the browser have a device that keeps passkeys, and whose person is always there."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def sign_in(page: Page, address: str, email: str) -> None:
    page.goto(f"{address}/sign-in/?next=/account/")
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


@pytest.mark.parametrize("screen", [DESKTOP, PHONE])
def test_a_passkey_is_added_and_signs_in_alone(opens: Visits, screen: Screen) -> None:
    cora, address = with_a_password(), named(opens)
    page = opens(None, screen)
    give_a_device(page)
    sign_in(page, address, cora.member.user.email)

    page.get_by_role("link", name="Add a passkey…").click()
    page.get_by_label("Name of the passkey").fill("Kitchen tablet")
    opens.picture(page, "passkey")
    page.get_by_role("button", name="Make the passkey").click()
    expect(page.get_by_role("link", name="Kitchen tablet")).to_be_visible()
    page.context.clear_cookies()
    page.goto(f"{address}/sign-in/")
    page.get_by_role("button", name="Sign in with a passkey").click()

    expect(page).to_have_url(f"{address}/")
    page.goto(f"{address}/account/")
    expect(page.get_by_text("used just now")).to_be_visible()
    opens.picture(page, "account")


def test_the_second_step_is_turned_on_and_asked_for(opens: Visits) -> None:
    cora, address = with_a_password(), named(opens)
    page = opens(None, PHONE)
    sign_in(page, address, cora.member.user.email)
    page.get_by_role("link", name="Turn on…").click()
    page.get_by_text("Type it instead").click()
    seed = page.locator("details code").inner_text().replace(" ", "")
    expect(page.locator(".scan")).not_to_have_js_property("naturalWidth", 0)

    page.get_by_label("Enter the code that it shows").fill(code_of_app(seed))
    page.get_by_role("button", name="Turn on").click()
    codes = page.get_by_label("Recovery codes").input_value().split()
    with page.expect_download() as kept:
        page.get_by_role("button", name="Download").click()
    page.get_by_role("link", name="I have kept them").click()
    expect(page.get_by_label("Recovery codes")).to_have_count(0)
    page.context.clear_cookies()
    sign_in(page, address, cora.member.user.email)
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()
    opens.picture(page, "code")
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in", exact=True).click()

    expect(page.get_by_text("9 recovery codes left.")).to_be_visible()
    assert kept.value.path().read_text().split() == codes


def test_who_is_invited_joins_with_a_passkey(opens: Visits) -> None:
    alice = make_workspace(name="Corner Bakery", owner="Alice Archer")
    _, link = invite_member(alice, email=f"nora.{alice.workspace.pk}@example.com", role=Role.MEMBER)
    page = opens(None, PHONE)
    give_a_device(page)

    page.goto(f"{named(opens)}{link}")
    page.get_by_role("button", name="Join with a passkey").click()  # her name is missing
    page.get_by_label("Your name").fill("Nora Noor")
    page.screenshot(path=opens.pictures / "invite-with-passkey.png")
    page.get_by_role("button", name="Join with a passkey").click()

    expect(page).to_have_url(f"{named(opens)}/")
    page.goto(f"{named(opens)}/account/")
    expect(page.get_by_role("link", name="First passkey")).to_be_visible()


def test_a_new_workspace_has_a_board_with_agents_and_a_card_in_a_few_clicks(opens: Visits) -> None:
    page = opens(make_workspace(name="Corner Bakery", owner="Cora Corner"), PHONE)

    page.goto("/")
    page.get_by_role("button", name=re.compile("^Skip ?: the AI account")).click()
    expect(page.get_by_role("button", name=re.compile("^Skipped. Take it up"))).to_be_visible()
    opens.picture(page, "first-steps")
    page.get_by_role("link", name="Choose a template").click()
    page.get_by_text("Release notes").click()
    opens.picture(page, "templates")
    page.get_by_role("button", name="Make the board").click()
    expect(page.get_by_label("Title")).to_have_value("Version 2.4")
    opens.picture(page, "first-card")
    page.get_by_role("button", name="Add the card").click()

    expect(page).to_have_url(re.compile("/cards/"))
    expect(page.get_by_role("heading", name="Version 2.4")).to_be_visible()
