"""The first page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from agents.models import AiAccount
from agents.services.bindings import bind_account
from agents.states import AccountState, BindingScope
from bakedbrie.lib import clock
from boards.models import Board, BoardMember, Card, Stage
from boards.services.boards import set_archived
from boards.services.cards import set_badge
from boards.states import Badge
from tests.factories.agents import make_account
from tests.factories.boards import make_board, make_card
from tests.factories.workflows import Line, make_line
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import HTMX, form_of, has_form, text_of, url
from workflows.selectors.home import Risk
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Member
from workspaces.services.dispatch import pause_dispatch


@pytest.fixture
def service(settings: Settings) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair]
        yield fake


@pytest.fixture
def line(alice: Caller, service: FakeProvider) -> Line:
    return make_line(alice, service)


@pytest.mark.requirement("B006")
def test_home_counts_cards_by_state_and_names_those_that_need_somebody(alice: Caller) -> None:
    board = make_board(alice, name="Bread")
    for badge, reason in [
        (Badge.WAITING, "AI_ACCOUNT_REQUIRED"),
        (Badge.BLOCKED, "AI_REFUSED"),
        (Badge.WAITING, "QUEUED"),
    ]:
        stand_still(alice, board, badge, reason)
    make_card(alice, board, title="Card idle")

    page = browser(alice).get("/").context["page"]

    assert [(line.board.name, line.counts) for line in page.boards] == [
        ("Bread", {Badge.BLOCKED: 1, Badge.WAITING: 2, Badge.IDLE: 1})
    ]
    assert [need.code for need in page.needs] == ["AI_REFUSED", "AI_ACCOUNT_REQUIRED"]
    assert page.needs_total == 2


def test_what_needs_somebody_is_sorted_by_risk_and_then_by_age(alice: Caller, line: Line) -> None:
    now = clock.now()
    for badge, reason, hours in [
        (Badge.WAITING, "AGENT_PAUSED", 9),
        (Badge.BLOCKED, "AI_REFUSED", 1),
        (Badge.BLOCKED, "AI_OUTCOME_UNKNOWN", 2),
        (Badge.BLOCKED, "AI_CUT_SHORT", 8),
        (Badge.BLOCKED, "AI_OUTCOME_UNKNOWN", 3),
    ]:
        card = stand_still(alice, line.board, badge, reason)
        Card.objects.filter(pk=card.pk).update(badge_since=now - timedelta(hours=hours))
    AiAccount.objects.update(state=AccountState.UNAVAILABLE, code="AI_KEY_REJECTED")
    Stage.objects.filter(pk=line.done.pk).delete()

    needs = browser(alice).get("/").context["page"].needs

    assert [(need.risk, need.code, hours_since(need.since, now)) for need in needs] == [
        (Risk.UNCLEAR, "AI_OUTCOME_UNKNOWN", 3),
        (Risk.UNCLEAR, "AI_OUTCOME_UNKNOWN", 2),
        (Risk.STOPPED, "AI_KEY_REJECTED", 0),
        (Risk.STOPPED, "STAGE_GONE", None),
        (Risk.FAILED, "AI_CUT_SHORT", 8),
        (Risk.FAILED, "AI_REFUSED", 1),
        (Risk.WAITING, "AGENT_PAUSED", 9),
    ]


@pytest.mark.parametrize(
    ("badge", "code", "step", "name"),
    [
        (Badge.BLOCKED, "AI_OUTCOME_UNKNOWN", "Find out what happened", "card"),
        (Badge.BLOCKED, "AI_OVERLOADED", "Run it again", "card"),
        (Badge.BLOCKED, "SOMETHING_NEW", "Open the card", "card"),
        (Badge.BLOCKED, "RULE_LOOP", "Look at the rules", "rules"),
        (Badge.WAITING, "AGENT_PAUSED", "Resume the agent", "agents"),
        (Badge.WAITING, "AI_ACCOUNT_REQUIRED", "Choose who pays", "ai-accounts"),
    ],
)
def test_each_need_has_one_next_step_and_who_only_reads_has_none(
    alice: Caller, vic: Caller, badge: Badge, code: str, step: str, name: str
) -> None:
    board = make_board(alice, members=[vic.member])
    card = stand_still(alice, board, badge, code)

    (hers,), (his,) = (browser(who).get("/").context["needs"] for who in (alice, vic))

    pages = {
        "card": url("card", card.pk),
        "agents": url("agents", board.pk),
        "rules": url("rules", board.pk),
        "ai-accounts": f"{url('ai-accounts')}?of=board/{board.pk}#who-pays",
    }
    assert (hers.step, hers.step_url) == (step, pages[name])
    assert (his.title, his.reason, his.step) == (hers.title, hers.reason, "")
    assert browser(alice).get(hers.step_url).status_code == 200


def test_a_pause_is_one_need_that_counts_what_it_holds(alice: Caller) -> None:
    board = make_board(alice)
    for _ in range(3):
        stand_still(alice, board, Badge.WAITING, "DISPATCH_PAUSED")
    stand_still(alice, board, Badge.BLOCKED, "AI_REFUSED")
    pause_dispatch(alice, reason="Oven on fire")

    answer = browser(alice).get("/")

    page = answer.context["page"]
    assert [(need.code, need.cards) for need in page.needs] == [("DISPATCH_PAUSED", 3), ("AI_REFUSED", 0)]
    assert page.needs_total == 2
    assert "Oven on fire" in text_of(answer)
    assert page.needs[0].since == AuditEntry.objects.get(verb="dispatch.paused").created_at
    assert answer.context["needs"][0].step_url == url("settings")


def test_archived_boards_stand_apart(alice: Caller, mia: Caller) -> None:
    set_archived(alice, board=make_board(alice, name="Old"), is_archived=True)

    hers, his = (browser(who).get("/").context["page"] for who in (alice, mia))

    assert ([board.name for board in hers.archived], hers.archived_total, hers.boards) == (["Old"], 1, ())
    assert (his.archived, his.archived_total) == ((), 0)


def test_the_first_steps_stand_there_until_each_is_done(alice: Caller, service: FakeProvider) -> None:
    client = browser(alice)
    seen = [steps_on(client)]

    account = make_account(alice, service)
    seen.append(steps_on(client))
    board = make_board(alice)
    bind_account(alice, account=account, scope=BindingScope.BOARD, board=board)
    seen.append(steps_on(client))
    make_card(alice, board)
    seen.append(steps_on(client))

    assert seen == [(False, False, False), (False, False, False), (True, True, False), None]


def test_the_first_steps_are_put_off_and_taken_up_again(alice: Caller, vic: Caller) -> None:
    client = browser(alice)
    action = url("first-steps")

    put_off = client.post(action, form_of(client.get("/"), action))
    without = steps_on(client)
    taken_up = client.post(action, form_of(client.get("/"), action), headers=HTMX)

    assert (put_off.status_code, without) == (302, None)
    assert 'id="first-steps-title"' in text_of(taken_up)
    assert steps_on(client) == (False, False, False)
    assert not has_form(browser(vic).get("/"), action)


def steps_on(client: Client) -> tuple[bool, bool, bool] | None:
    """Return which of the steps are done, or None where they are not shown."""
    answer = client.get("/")
    if 'id="first-steps-title"' not in text_of(answer):
        return None
    steps = answer.context["page"].first_steps
    return steps.has_account, steps.has_board, steps.has_card


def stand_still(caller: Caller, board: Board, badge: Badge, code: str) -> Card:
    card = make_card(caller, board, title=f"Card {code}")
    set_badge(card, badge, code)
    return card


def hours_since(instant: datetime | None, now: datetime) -> int | None:
    return None if instant is None else round((now - instant) / timedelta(hours=1))


@pytest.mark.requirement("W007")
def test_home_shows_the_boards_a_member_may_open_and_no_others(alice: Caller, mia: Caller, charlie: Caller) -> None:
    shared = make_board(alice, name="Shared", members=[mia.member])
    closed = make_board(alice, name="Closed")
    set_badge(make_card(alice, closed), Badge.BLOCKED, "AI_REFUSED")
    set_archived(alice, board=make_board(alice, name="Old", members=[mia.member]), is_archived=True)

    seen_by_mia = browser(mia).get("/").context["page"]
    seen_by_charlie = browser(charlie).get("/").context["page"]

    assert [line.board for line in seen_by_mia.boards] == [shared]
    assert (seen_by_mia.needs, seen_by_mia.needs_total) == ((), 0)
    assert seen_by_charlie.boards == ()


def test_htmx_gets_the_piece_and_a_browser_the_page(alice: Caller) -> None:
    client = browser(alice)

    piece, page = client.get("/", headers=HTMX), client.get("/")

    assert "<html" not in text_of(piece)
    assert "<html" in text_of(page)


def test_home_takes_as_many_queries_for_many_boards_as_for_one(
    alice: Caller, service: FakeProvider, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client: Client = browser(alice)
    _fill(alice, service, boards=1)
    with django_assert_max_num_queries(20) as one:
        client.get("/")
    _fill(alice, service, boards=6)

    with django_assert_max_num_queries(20) as many:
        client.get("/")

    assert len(many) == len(one)


def _fill(caller: Caller, service: FakeProvider, *, boards: int) -> None:
    for n in range(boards):
        line = make_line(caller, service)
        stand_still(caller, line.board, Badge.BLOCKED, "AI_REFUSED")
        set_archived(caller, board=make_board(caller, name=f"Old {n}"), is_archived=True)
        Stage.objects.filter(pk=line.done.pk).delete()
    AiAccount.objects.update(state=AccountState.UNAVAILABLE, code="AI_KEY_REJECTED")


def test_who_can_do_nothing_about_it_is_told_what_stands_still(alice: Caller, vic: Caller) -> None:
    make_board(alice, members=[vic.member])

    pages = [text_of(browser(who).get("/")) for who in (alice, vic)]

    assert [("Needs you" in page, "What stands still" in page) for page in pages] == [(True, False), (False, True)]


def test_home_and_the_page_of_tokens_say_the_same_of_connecting_an_assistant(alice: Caller, settings: Settings) -> None:
    client, address = browser(alice), f'value="{settings.APP_URL}/mcp"'

    home, tokens = text_of(client.get("/")), text_of(client.get(url("own-tokens")))

    for page in (home, tokens):
        assert page.count(address) == 1
        assert 'data-copy="mcp-address"' in page
        assert "need this address and nothing else" in page
    assert home.count(f'href="{url("own-tokens")}"') == 1


def test_where_mcp_is_off_home_offers_no_address(alice: Caller, settings: Settings) -> None:
    settings.MCP_ENABLED = False

    assert "/mcp" not in text_of(browser(alice).get("/"))


def test_who_joined_and_opens_no_board_is_let_in_from_home(alice: Caller, mia: Caller, vic: Caller) -> None:
    board, other = make_board(alice, name="Bread"), make_board(alice, name="Cake", members=[vic.member])
    set_archived(alice, board=make_board(alice, name="Old", members=[mia.member]), is_archived=True)
    client = browser(alice)
    page = client.get("/")
    form = form_of(page, url("let-in"))

    client.post(url("let-in"), {**form, "board_id": str(other.pk)})

    assert [member.pk for member in page.context["page"].newcomers] == [mia.member.pk]
    assert (form["member_id"], has_form(client.get("/"), url("let-in"))) == (str(mia.member.pk), False)
    assert [row.board_id for row in BoardMember.objects.filter(member=mia.member, board__in=[board, other])] == [
        other.pk
    ]


def test_who_joined_is_no_news_to_members_and_none_after_a_month(alice: Caller, mia: Caller, vic: Caller) -> None:
    board = make_board(alice, members=[mia.member])
    seen = [has_form(browser(who).get("/"), url("let-in")) for who in (alice, mia)]
    Member.objects.filter(pk=vic.member.pk).update(created_at=clock.now() - timedelta(days=31))

    refused = browser(mia).post(url("let-in"), {"member_id": str(vic.member.pk), "board_id": str(board.pk)})

    assert (seen, has_form(browser(alice).get("/"), url("let-in"))) == ([True, False], False)
    assert (refused.status_code, BoardMember.objects.filter(member=vic.member).count()) == (403, 0)
