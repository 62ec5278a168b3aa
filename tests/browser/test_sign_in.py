"""Coming in and going out."""

from __future__ import annotations

import re

from django.conf import global_settings
from django.test import override_settings
from playwright.sync_api import expect

from tests.browser.visits import PHONE, Visits
from tests.factories.workspaces import PASSWORD, make_workspace
from workspaces.caller import Caller


def with_a_password() -> Caller:
    """The owner of a new workspace, whose password the site can check: the tests' own cheap hash it does not know."""
    with override_settings(PASSWORD_HASHERS=global_settings.PASSWORD_HASHERS):
        return make_workspace(name="Corner Bakery", owner="Cora Corner")


def test_a_wrong_password_is_named_and_a_right_one_leads_to_where_one_wanted_to_go(opens: Visits) -> None:
    cora = with_a_password()
    page = opens(None, PHONE)

    page.goto("/settings/tokens/")
    page.get_by_label("E-mail address").fill(cora.member.user.email)
    page.get_by_label("Password").fill("not the one")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("[data-code=SIGN_IN_FAILED]")).to_be_visible()
    expect(page.get_by_label("E-mail address")).to_have_value(cora.member.user.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()

    expect(page.get_by_role("heading", name="Your tokens")).to_be_visible()


def test_who_signs_out_is_out_and_the_back_button_shows_nothing_more(opens: Visits, alice: Caller) -> None:
    page = opens(alice)
    page.goto("/")
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_label("Name of the workspace")).to_be_visible()

    opens.sign_out(page)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.go_back()

    expect(page).to_have_url(re.compile("/sign-in/"))
