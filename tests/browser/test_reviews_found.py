"""Who has never heard of reviews is led to them: from the template of a first board to what waits for a decision."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from agents.services.bindings import bind_account
from agents.states import BindingScope
from reviews.models import Review
from tests.browser.judges import barriers, too_wide
from tests.browser.visits import DESKTOP, PHONE, Screen, Visits
from tests.factories.agents import make_account
from tests.factories.workspaces import make_member
from workspaces.caller import Caller


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_from_a_template_to_the_first_review_without_any_setting(opens: Visits, alice: Caller, screen: Screen) -> None:
    account = make_account(alice, opens.site.provider)
    bind_account(alice, account=account, scope=BindingScope.WORKSPACE)
    page = opens(alice, screen)
    page.goto("/boards/new/")
    page.get_by_label("Support replies").check()
    expect(page.get_by_label("A person reviews what agents make before it counts")).to_be_checked()
    assert (barriers(page), too_wide(page)) == ([], [])
    page.get_by_role("button", name="Make the board").click()
    page.get_by_role("link", name="Not now: show the board").click()

    column = page.get_by_role("region", name="Drafting")
    column.get_by_label("Add a card to Drafting").click()
    expect(column.get_by_text(f"Reply writer starts at once; “{account.label}” pays.")).to_be_visible()
    assert (barriers(page), too_wide(page)) == ([], [])
    column.get_by_label("Title").fill("Late loaf")
    column.get_by_role("button", name="Add and start").click()
    expect(column.locator(".badge.is-in_review")).to_be_visible()
    expect(page.locator("#reviews-waiting")).to_have_text("1")  # without loading the page anew
    page.goto("/")

    expect(page.locator("#reviews-waiting")).to_have_text("1")
    assert (barriers(page), too_wide(page)) == ([], [])
    page.locator("#to-reviews").click()
    expect(page.get_by_role("link", name="Late loaf").first).to_be_visible()
    assert Review.objects.get(card__title="Late loaf", board__workspace=alice.workspace).is_open


def test_what_is_off_leads_an_owner_to_the_switch_and_a_member_to_the_owner(opens: Visits, alice: Caller) -> None:
    mia = make_member(alice, "Mia Moreau")
    owner, member = opens(alice), opens(mia, PHONE)

    for page in (owner, member):
        page.goto("/settings/destinations/")
        expect(page.locator("[data-code=CAPABILITY_OFF]")).to_be_visible()
        assert (barriers(page), too_wide(page)) == ([], [])
    expect(member.get_by_text("Ask Alice Archer")).to_be_visible()
    owner.get_by_role("main").get_by_role("link", name="Settings → Capabilities").last.click()

    expect(owner.locator("#switch-destinations")).to_be_in_viewport()
