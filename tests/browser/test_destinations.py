"""A bucket is connected, given to a board and turned off, by a person at the pages."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.visits import Visits
from tests.factories.workflows import Line
from tests.support.canary import plant
from tests.support.fake_service import answering
from workspaces.services.capabilities import switch_capability

EMPTY_BUCKET = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
SECRET = "canary of a typed secret"
AGREED = "I have looked at endpoint, bucket and folder."


def fill(page: Page, endpoint: str, bucket: str) -> None:
    page.get_by_label("Name of the destination here").fill("Website")
    page.get_by_role("textbox", name="Endpoint").fill(endpoint)
    page.get_by_label("Bucket", exact=True).fill(bucket)
    page.get_by_label("Access key id", exact=True).fill("AKIACHEESE")
    page.get_by_label("Secret access key").fill(plant(SECRET))
    page.get_by_label(AGREED).check()


def test_a_bucket_is_connected_used_by_a_board_and_turned_off(opens: Visits, line: Line) -> None:
    switch_capability(line.caller, name="destinations", is_on=True)
    provider, page = opens.site.provider, opens(line.caller)
    page.goto("/settings/destinations/")
    page.get_by_role("link", name="Connect a bucket").click()

    fill(page, provider.url("").rstrip("/"), "No Bucket")
    page.get_by_label("Path of each file").fill("posts/{card-slug}.md")
    expect(page.locator("#path-example")).to_contain_text("posts/compare-prices.md")
    page.get_by_role("button", name="Connect bucket").click()
    expect(page.locator("#bucket-new-error")).to_be_visible()
    expect(page.get_by_label("Secret access key")).to_have_value("")
    opens.picture(page, "wrong")

    provider.script(answering(body=EMPTY_BUCKET))
    fill(page, provider.url("").rstrip("/"), "cheese")
    page.get_by_role("button", name="Connect bucket").click()
    expect(page.get_by_role("heading", name="Website")).to_be_visible()

    page.get_by_label("Deliver what is finished on").select_option(label=line.board.name)
    page.get_by_label("Every later delivery of this board").check()
    page.get_by_role("button", name="Deliver there").click()
    expect(page.get_by_role("link", name=f"Deliver nothing more of {line.board.name}")).to_be_visible()
    page.goto(f"/boards/{line.board.pk}/settings/")
    expect(page.locator("#board-destination")).to_contain_text("Finished cards go to Website")

    page.get_by_role("link", name="Website").click()
    page.get_by_role("link", name="Turn off…").click()
    expect(page.get_by_text(f"What is finished on the board {line.board.name} goes nowhere any more.")).to_be_visible()
    page.get_by_role("button", name="Turn off for good").click()
    expect(page.get_by_text("No bucket is connected yet.")).to_be_visible()
