"""The first steps: put off one by one, a board from a template, and the card that tries it out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from agents.models import Agent, AiBinding, Turn
from agents.states import AgentState
from boards.models import Board, Card
from reviews.models import WorkFolder
from reviews.states import FolderStorage
from tests.factories.agents import make_account
from tests.factories.boards import make_board
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import HTMX, code_of, form_of, text_of, url
from workflows.models import Rule
from workflows.services.board_templates import TEMPLATES
from workflows.states import RuleState
from workspaces.caller import Caller
from workspaces.models import AuditEntry
from workspaces.services.capabilities import switch_capability

NEW = "/boards/new/"


@pytest.fixture
def service(settings: Settings) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair]
        yield fake


def steps_of(client: Client) -> tuple[bool, set[str]]:
    """Return whether the steps are shown, and which were put off."""
    answer = client.get("/")
    return 'id="first-steps-title"' in text_of(answer), set(answer.context["page"].first_steps.skipped)


def test_each_step_is_put_off_and_taken_up_again(alice: Caller) -> None:
    client, action = browser(alice), url("first-steps")

    client.post(action, {"step": "board", "shown": "no"}, headers=HTMX)
    one = steps_of(client)
    client.post(action, {"step": "board", "shown": "no"})
    client.post(action, {"step": "account", "shown": "no"})
    client.post(action, {"step": "card", "shown": "no"})
    all_of_them = steps_of(client)
    client.post(action, {"shown": "yes"})

    assert one == (True, {"board"})
    assert all_of_them == (False, {"account", "board", "card"})
    assert steps_of(client) == (True, set())


def test_what_was_put_off_is_kept_for_the_person_and_not_for_the_browser(alice: Caller, amir: Caller) -> None:
    browser(alice).post(url("first-steps"), {"shown": "no"})

    assert steps_of(browser(alice)) == (False, {"account", "board", "card"})
    assert steps_of(browser(amir)) == (True, set())


def test_with_the_rest_put_off_the_last_step_that_is_done_ends_them(alice: Caller) -> None:
    client = browser(alice)
    client.post(url("first-steps"), {"step": "account", "shown": "no"})
    client.post(url("first-steps"), {"step": "card", "shown": "no"})

    before = steps_of(client)[0]
    make_board(alice)

    assert (before, steps_of(client)[0]) == (True, False)


@pytest.mark.parametrize("key", list(TEMPLATES))
def test_every_template_makes_a_board_whose_agents_work(alice: Caller, service: FakeProvider, key: str) -> None:
    account = make_account(alice, service)
    client = browser(alice)

    answer = client.post(NEW, {**form_of(client.get(NEW), NEW), "template": key, "account": str(account.pk)})

    board, plan = Board.objects.get(), TEMPLATES[key].plan
    assert answer["Location"] == f"/boards/{board.pk}/first-card/"
    assert [stage.name for stage in board.stages.order_by("position")] == ["To do", *plan.columns, "Done"]
    assert {agent.state for agent in Agent.objects.all()} == {AgentState.PUBLISHED}
    assert {rule.state for rule in Rule.objects.all()} == {RuleState.PUBLISHED}
    assert (Agent.objects.count(), Rule.objects.count()) == (len(plan.agents), len(plan.rules))
    assert AiBinding.objects.get().board == board


def test_the_first_card_starts_the_agent_where_one_says_so(alice: Caller, service: FakeProvider) -> None:
    account = make_account(alice, service)
    client = browser(alice)
    made = client.post(NEW, {"template": "support", "name": "Post", "account": str(account.pk), "request_id": "r"})
    page = client.get(made["Location"])
    form = form_of(page, made["Location"])

    added = client.post(made["Location"], form)

    card = Card.objects.select_related("stage", "board").get()
    assert [start.payer == account for start in page.context["starts"]] == [False, True]
    assert (added["Location"], card.stage and card.stage.name) == (f"/cards/{card.pk}/", "Drafting")
    assert (card.board.name, card.title) == ("Post", TEMPLATES["support"].title)
    assert Turn.objects.get().card == card


def test_in_the_first_column_nothing_starts(alice: Caller, service: FakeProvider) -> None:
    client = browser(alice)
    made = client.post(NEW, {"template": "blog", "account": "", "request_id": "r"})
    action = made["Location"]
    starts = client.get(action).context["starts"]

    client.post(action, {"title": "Mine", "brief": "", "stage_id": str(starts[0].stage.pk), "request_id": "s"})

    assert [(start.stage.name, start.agent, start.payer) for start in starts] == [
        ("To do", "", None),
        ("Outline", "Outliner", None),
    ]
    assert (Card.objects.get().title, Turn.objects.count()) == ("Mine", 0)


def test_the_example_is_offered_whenever_one_comes_back_and_only_on_a_board_of_that_template(alice: Caller) -> None:
    client = browser(alice)
    made = client.post(NEW, {"template": "blog", "account": "", "request_id": "r"})
    own = make_board(alice, name="Mine")

    shown = client.get(made["Location"]).context["form"].values
    bare = client.get(f"/boards/{own.pk}/first-card/").context["form"].values

    assert (shown["title"], shown["brief"]) == (TEMPLATES["blog"].title, TEMPLATES["blog"].brief)
    assert bare == {}


def test_the_same_form_twice_makes_one_board_and_one_card(alice: Caller) -> None:
    client = browser(alice)
    form = {**form_of(client.get(NEW), NEW), "template": "research"}

    first, second = client.post(NEW, form), client.post(NEW, form)
    action = first["Location"]
    card = form_of(client.get(first["Location"]), action)
    cards = [client.post(action, card)["Location"] for _ in range(2)]

    assert (first["Location"], Board.objects.count()) == (second["Location"], 1)
    assert (cards[0], Card.objects.count()) == (cards[1], 1)


def test_what_is_no_template_and_no_account_is_refused(alice: Caller, charlie: Caller, service: FakeProvider) -> None:
    client, foreign = browser(alice), make_account(charlie, service)

    unknown = client.post(NEW, {"template": "cake", "request_id": "a"})
    others = client.post(NEW, {"template": "blog", "account": str(foreign.pk), "request_id": "b"})

    assert (unknown.status_code, code_of(unknown)) == (422, "INVALID_INPUT")
    assert (others.status_code, code_of(others)) == (404, "NOT_FOUND")
    assert Board.objects.count() == 0


def test_without_agents_there_are_no_templates(alice: Caller) -> None:
    switch_capability(alice, name="agents", is_on=False)
    client = browser(alice)

    home, page = client.get("/"), client.get(NEW)

    assert (home.context["may_use_templates"], NEW in text_of(home)) == (False, False)
    assert (page.status_code, code_of(page)) == (403, "CAPABILITY_OFF")


def test_an_owner_is_offered_reviews_with_the_first_board(alice: Caller, service: FakeProvider) -> None:
    client = browser(alice)
    form = form_of(client.get(NEW), NEW)

    made = client.post(NEW, {**form, "template": "blog"})

    switched = AuditEntry.objects.filter(verb="capability.switched").order_by("pk")
    folder = WorkFolder.objects.get()
    assert form["reviewed"] == "yes"
    assert made["Location"].startswith(f"/boards/{folder.board_id}/")
    assert folder.storage == FolderStorage.HOSTED
    assert [entry.data for entry in switched] == [
        {"capability": "reviews", "is_on": True},
        {"capability": "hosted_work_folder", "is_on": True},
    ]


def test_without_the_tick_and_for_members_nothing_is_switched_on(alice: Caller, mia: Caller) -> None:
    offered = "reviewed" in form_of(browser(mia).get(NEW), NEW)

    browser(alice).post(NEW, {"template": "blog", "request_id": "a"})
    refused = browser(mia).post(NEW, {"template": "blog", "reviewed": "yes", "request_id": "b"})

    alice.workspace.refresh_from_db()
    assert (offered, refused.status_code, code_of(refused)) == (False, 403, "FORBIDDEN")
    assert (Board.objects.count(), WorkFolder.objects.count()) == (1, 0)
    assert "reviews" not in alice.workspace.capabilities


def test_where_reviews_are_on_every_board_of_a_template_has_its_folder(alice: Caller, mia: Caller) -> None:
    for name in ("reviews", "hosted_work_folder"):
        switch_capability(alice, name=name, is_on=True)
    client = browser(mia)
    form = form_of(client.get(NEW), NEW)

    client.post(NEW, {**form, "template": "blog"})

    assert "reviewed" not in form
    assert WorkFolder.objects.get().storage == FolderStorage.HOSTED
