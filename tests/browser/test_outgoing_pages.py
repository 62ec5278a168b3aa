"""Where work goes and who is asked, in Chromium: folder, destinations, rules, a question and mail, each used once on
a desktop and on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from agents.access import get_agent
from agents.models import Approval, Turn
from agents.services.agents import publish_agent, write_draft
from agents.services.approvals import ask_first, question_about_files
from destinations.models import BoardDestination, CardDestination, Destination
from destinations.services.uses import clear_default
from reviews.models import WorkFolder
from tests.browser.judges import barriers, too_wide
from tests.browser.visits import DESKTOP, PHONE, Screen, Visits
from tests.factories.boards import make_file
from tests.factories.destinations import bare_destination
from tests.factories.reviews import give_folder, switch_on
from tests.factories.workflows import Line
from workflows.models import Rule
from workspaces.models import User

SCREENS = pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])


def judge(opens: Visits, page: Page, name: str) -> None:
    """Keep a picture in light and dark, and let no page be too wide or keep anybody out."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        width = page.viewport_size["width"] if page.viewport_size else 0
        page.screenshot(path=opens.pictures / f"outgoing-{name}-{width}-{scheme}.png", full_page=True)
        assert (too_wide(page), barriers(page)) == ([], [])


def two_buckets(line: Line) -> tuple[Destination, Destination]:
    """Two destinations, neither of them used yet."""
    switch_on(line.caller, "destinations")
    made = [bare_destination(line.caller, line.board) for _ in range(2)]
    clear_default(line.caller, board=line.board)
    Destination.objects.filter(pk=made[1].pk).update(name="Archive")
    return made[0], made[1]


@SCREENS
def test_a_board_is_given_a_work_folder(opens: Visits, line: Line, screen: Screen) -> None:
    switch_on(line.caller, "reviews", "hosted_work_folder")
    page = opens(line.caller, screen)
    page.goto(f"/boards/{line.board.pk}/folder/")
    judge(opens, page, "folder")

    page.get_by_label("BakedBrie storage").check()
    page.get_by_role("button", name=re.compile("^Show what changes")).click()
    expect(page.get_by_role("heading", name="Is this right?")).to_be_visible()
    judge(opens, page, "folder-asks")
    page.get_by_role("button", name="Set the work folder").click()
    expect(page.get_by_role("heading", name="Change it")).to_be_visible()

    assert WorkFolder.objects.get(board=line.board).storage == "hosted"


@SCREENS
def test_a_board_and_one_card_of_it_are_given_destinations(opens: Visits, line: Line, screen: Screen) -> None:
    website, archive = two_buckets(line)
    page = opens(line.caller, screen)
    page.goto(f"/boards/{line.board.pk}/destination/")
    page.get_by_label("Website").check()
    page.get_by_label("Every later delivery of this board").check()
    page.get_by_role("button", name="Deliver there").click()
    expect(page.get_by_text("Finished cards go to Website")).to_be_visible()
    judge(opens, page, "board")

    page.goto(f"/cards/{line.card.pk}/")
    expect(page.locator("#goes-to")).to_contain_text("as the board says")
    judge(opens, page, "card-page")
    page.locator("#goes-to").get_by_role("link", name="Change…").click()
    page.get_by_label("Archive").check()
    page.get_by_label("Every later delivery of this card").check()
    judge(opens, page, "card")
    page.get_by_role("button", name="Deliver there").click()
    expect(page.get_by_text("its own destination, whatever the board says")).to_be_visible()
    own = CardDestination.objects.get(card=line.card).destination
    page.get_by_role("link", name="Take it off this destination…").click()
    page.get_by_role("button", name="Let it go where the board says").click()
    expect(page.get_by_text("Finished, it goes to Website")).to_be_visible()

    assert (own, BoardDestination.objects.get(board=line.board).destination) == (archive, website)
    assert not CardDestination.objects.filter(card=line.card).exists()


@SCREENS
def test_the_list_of_destinations_leads_to_each(opens: Visits, line: Line, screen: Screen) -> None:
    two_buckets(line)
    page = opens(line.caller, screen)
    page.goto("/settings/destinations/")
    judge(opens, page, "list")

    page.get_by_role("link", name="Archive").click()
    expect(page.get_by_role("heading", name="Archive")).to_be_visible()
    judge(opens, page, "one")


@SCREENS
def test_a_rule_says_who_reviews_and_what_an_approval_leads_to(opens: Visits, line: Line, screen: Screen) -> None:
    give_folder(line)
    switch_on(line.caller, "api_workflow")
    page = opens(line.caller, screen)
    page.goto(f"/rules/{line.rule.pk}/")
    judge(opens, page, "rule")

    said = page.locator(".consequences")
    page.get_by_label("When it is approved").select_option("return")
    expect(said).to_contain_text("works on the card once more")
    page.get_by_label("When it is finished").select_option("none")
    expect(page.get_by_label("When it is approved")).to_have_count(0)
    page.get_by_label("When it is finished").select_option("folder")
    page.get_by_label("When it is approved").select_option("finish")
    expect(said).to_contain_text("the card is done and nothing is delivered")
    page.get_by_role("button", name="Save draft").click()
    page.wait_for_url("**/rules/")
    judge(opens, page, "rules")

    assert Rule.objects.get(pk=line.rule.pk).draft.on_approval == "finish"


def ask(line: Line) -> Approval:
    write_draft(line.caller, board=line.board, agent=line.agent, permissions={"read_files": "ask"})
    publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk))
    make_file(line.caller, line.card, name="prices.csv", content=b"tool,price\nTrowel,12\n")
    turn = line.start()
    ask_first(turn, question_about_files(turn))
    return Turn.objects.get(pk=turn.pk).approvals.get()


@SCREENS
def test_a_question_of_an_agent_is_answered(opens: Visits, line: Line, screen: Screen) -> None:
    approval = ask(line)
    page = opens(line.caller, screen)
    page.goto(f"/approvals/{approval.pk}/")
    judge(opens, page, "question")

    page.get_by_role("button", name="Allow for this card").click()
    page.wait_for_url(f"**/cards/{line.card.pk}/")
    page.goto(f"/approvals/{approval.pk}/")
    expect(page.get_by_text("said yes, for this card")).to_be_visible()
    judge(opens, page, "answered")


@SCREENS
def test_mail_about_reviews_is_turned_off(opens: Visits, line: Line, screen: Screen) -> None:
    page = opens(line.caller, screen)
    page.goto("/account/#mail")
    page.get_by_label("Tell me when something waits for my decision").uncheck()
    page.locator("#mail").get_by_role("button", name="Save").click()
    page.wait_for_url("**/account/#mail")
    expect(page.get_by_label("Tell me when something waits for my decision")).not_to_be_checked()
    judge(opens, page, "account")

    assert not User.objects.get(pk=line.caller.member.user_id).gets_review_mail
