"""An agent that has to ask before it delivers, where nobody reviews: the card waits in Done for one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.test import override_settings

from agents.access import get_agent, get_approval
from agents.models import Approval
from agents.services.agents import publish_agent, write_draft
from agents.services.sweep import sweep_turns
from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from boards.states import Badge
from destinations.models import Delivery, Destination
from tests.factories.destinations import make_destination
from tests.factories.workflows import Line, make_line
from tests.support.buckets import S3Server
from tests.support.cast import api
from tests.support.fake_provider import FakeProvider
from tests.support.jobs import Ran
from workers.turns import run_turn
from workflows.services.approvals import answer_approval, as_it_is_now
from workflows.services.archive import archive_board
from workflows.services.moves import move_card, preview_move
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def asking(alice: Caller, provider: FakeProvider, moto_server: S3Server) -> Iterator[Line]:
    """A line without a work folder, whose agent has to ask before it delivers to the board's bucket."""
    line = make_line(alice, provider)
    with override_settings(OUTBOUND_LOOPBACK=[provider.pair, moto_server.pair]):
        make_destination(alice, moto_server, board=line.board)
        write_draft(alice, board=line.board, agent=line.agent, permissions={"deliver": "ask"})
        line.agent = publish_agent(alice, agent=get_agent(alice, line.agent.pk), confirm_outward=True)
        yield line


def finish(line: Line, text: str = "Finished work.") -> Approval:
    line.provider.reply(text)
    run_turn(str(line.start().pk))
    return Approval.objects.get(card=line.card, state="pending")


def answer(line: Line, approval: Approval, said: str) -> Approval:
    seen = as_it_is_now(get_approval(line.caller, approval.pk))
    return answer_approval(line.caller, approval=seen, answer=said, input_hash=seen.input_hash)


@pytest.mark.requirement("A008", "A012")
def test_the_card_waits_in_done_and_nothing_leaves(asking: Line) -> None:
    approval = finish(asking)

    card, destination = asking.fresh_card(), Destination.objects.get()
    assert (card.stage, card.badge, card.badge_reason) == (asking.done, Badge.WAITING, "DELIVERY_ASKED")
    assert (approval.area, approval.target, Delivery.objects.count()) == ("deliver", destination.pk, 0)
    assert approval.shown[0]["name"].endswith(".md")


@pytest.mark.requirement("A008", "A012")
def test_a_yes_delivers_exactly_what_was_shown(asking: Line, drain_jobs: Callable[..., Ran]) -> None:
    approval = finish(asking)

    answered = answer(asking, approval, "once")
    drain_jobs()

    delivery = Delivery.objects.get()
    assert (answered.state, delivery.state, asking.fresh_card().badge) == ("used", "delivered", Badge.DONE)
    assert [step.path for step in delivery.steps.all()] == [one["name"] for one in approval.shown]


@pytest.mark.requirement("A012")
def test_a_no_delivers_nothing_and_the_card_is_done(asking: Line) -> None:
    approval = finish(asking)

    answer(asking, approval, "deny")

    assert (asking.fresh_card().badge, Delivery.objects.count()) == (Badge.DONE, 0)


def test_a_destination_that_changed_meanwhile_is_shown_again(asking: Line) -> None:
    approval = finish(asking)
    Destination.objects.update(revision=7)

    with pytest.raises(Refused) as refused:
        answer_approval(asking.caller, approval=approval, answer="once", input_hash=approval.input_hash)

    assert (refused.value.code, Delivery.objects.count()) == ("PREVIEW_CHANGED", 0)
    assert asking.fresh_card().badge_reason == "DELIVERY_ASKED"


def test_moving_the_card_closes_the_question(asking: Line) -> None:
    approval = finish(asking)
    card = asking.fresh_card()
    preview = preview_move(asking.caller, card=card, stage=asking.todo)

    move_card(asking.caller, card=card, stage=asking.todo, preview_hash=preview.preview_hash)

    approval.refresh_from_db()
    assert approval.state == "canceled"
    with pytest.raises(Refused) as refused:
        answer_approval(asking.caller, approval=approval, answer="once", input_hash=approval.input_hash)
    assert (refused.value.code, Delivery.objects.count()) == ("APPROVAL_CLOSED", 0)


@pytest.mark.requirement("A012")
def test_a_card_that_waits_for_a_yes_is_read_with_the_question(asking: Line) -> None:
    approval = finish(asking)

    client = api(asking.caller)
    card = client.post("/api/v1/tools/read_card", {"card_id": str(asking.card.pk)}, format="json").json()
    results = client.post("/api/v1/tools/list_results", {}, format="json").json()

    assert [one["approval_id"] for one in card["untrusted_data"]["card"]["asks"]] == [str(approval.pk)]
    assert [(one["kind"], one["id"], one["code"]) for one in results["untrusted_data"]["followups"]] == [
        ("question", str(approval.pk), "DELIVERY_ASKED")
    ]


def test_archiving_the_board_closes_the_question(asking: Line) -> None:
    approval = finish(asking)

    archive_board(asking.caller, board=asking.board)
    Approval.objects.update(expires_at=clock.now() - timedelta(seconds=1))
    sweep_turns()

    approval.refresh_from_db()
    card = asking.fresh_card()
    assert (approval.state, card.badge, card.badge_reason) == ("canceled", Badge.DONE, "")
    assert Delivery.objects.count() == 0


def test_a_question_nobody_answers_says_so_on_the_card(asking: Line) -> None:
    finish(asking)
    Approval.objects.update(expires_at=clock.now() - timedelta(seconds=1))

    sweep_turns()

    card = asking.fresh_card()
    assert (card.badge, card.badge_reason, Delivery.objects.count()) == (Badge.BLOCKED, "APPROVAL_EXPIRED", 0)


def test_always_delivers_the_next_one_without_asking(asking: Line, drain_jobs: Callable[..., Ran]) -> None:
    answer(asking, finish(asking), "always")
    drain_jobs()
    card = asking.fresh_card()
    preview = preview_move(asking.caller, card=card, stage=asking.todo)
    move_card(asking.caller, card=card, stage=asking.todo, preview_hash=preview.preview_hash)
    asking.card = asking.fresh_card()
    asking.provider.reply("Other work.")

    run_turn(str(asking.start().pk))
    drain_jobs()

    assert Delivery.objects.filter(state="delivered").count() == 2
    assert not Approval.objects.filter(state="pending").exists()
