"""The page of a question: what would be read or would leave is shown for what it is, then answered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from agents.access import get_agent
from agents.models import Approval
from agents.services.agents import publish_agent, write_draft
from agents.services.approvals import ask_first, question_about_files
from tests.factories.boards import make_file
from tests.factories.destinations import make_destination
from tests.factories.workflows import Line, make_line
from tests.support.buckets import S3Server
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import text_of, url
from workers.turns import run_turn
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def provider(settings: Settings, moto_server: S3Server) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair, moto_server.pair]
        yield fake


def asked_to_deliver(line: Line, server: S3Server, text: str) -> Approval:
    make_destination(line.caller, server, board=line.board)
    write_draft(line.caller, board=line.board, agent=line.agent, permissions={"deliver": "ask"})
    publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk), confirm_outward=True)
    line.provider.reply(text)
    run_turn(str(line.start().pk))
    return Approval.objects.get(card=line.card)


def asked_to_read(line: Line) -> Approval:
    write_draft(line.caller, board=line.board, agent=line.agent, permissions={"read_files": "ask"})
    publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk))
    turn = line.start()
    ask_first(turn, question_about_files(turn))
    return Approval.objects.get(card=line.card)


@pytest.mark.requirement("A012")
def test_what_would_leave_is_shown_as_a_review_shows_it(
    alice: Caller, provider: FakeProvider, moto_server: S3Server
) -> None:
    line = make_line(alice, provider)
    approval = asked_to_deliver(line, moto_server, "# Oven\n\n<script>alert(1)</script> Bake **well**.")

    text = text_of(browser(alice).get(url("approval", approval.pk)))

    assert "<strong>well</strong>" in text
    assert "<script>alert" not in text
    assert f"sha256 {approval.shown[0]['sha256']}" in text
    assert approval.shown[0]["name"] in text
    assert f'href="{url("card", line.card.pk)}"' in text


@pytest.mark.requirement("A012")
def test_the_files_that_would_be_read_are_shown(alice: Caller, provider: FakeProvider) -> None:
    line = make_line(alice, provider)
    make_file(alice, line.card, name="prices.csv", content=b"tool,price\nTrowel,12\n")
    approval = asked_to_read(line)

    text = text_of(browser(alice).get(url("approval", approval.pk)))

    assert "<td>Trowel</td>" in text
    assert f"sha256 {approval.shown[0]['sha256']}" in text


@pytest.mark.requirement("A012")
def test_a_finished_card_says_that_its_delivery_is_asked_for_and_leads_there(
    alice: Caller, provider: FakeProvider, moto_server: S3Server
) -> None:
    line = make_line(alice, provider)
    approval = asked_to_deliver(line, moto_server, "Finished work.")

    card = text_of(browser(alice).get(url("card", line.card.pk)))
    home = text_of(browser(alice).get(url("home")))

    assert line.fresh_card().badge_reason == "DELIVERY_ASKED"
    assert "asks whether its work may be delivered" in card
    assert "It starts by itself" not in card
    assert card.count(f'href="{url("approval", approval.pk)}"') == 1
    assert "Say yes or no" in home


@pytest.mark.requirement("A012")
def test_a_waiting_card_says_what_its_agent_asks(alice: Caller, provider: FakeProvider) -> None:
    line = make_line(alice, provider)
    make_file(alice, line.card, name="prices.csv", content=b"tool,price\nTrowel,12\n")
    approval = asked_to_read(line)

    card = text_of(browser(alice).get(url("card", line.card.pk)))

    assert line.fresh_card().badge_reason == "APPROVAL"
    assert "asks whether it may read the files of this card" in card
    assert card.count(f'href="{url("approval", approval.pk)}"') == 1
