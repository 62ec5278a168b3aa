"""Processes that are killed around a decision: it is made once or not at all, and what follows happens once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F

from agents.access import get_agent
from agents.models import Turn
from agents.services.agents import publish_agent, write_draft
from agents.services.sweep import sweep_turns
from bakedbrie.lib.jobs import Job
from boards.models import BoardEvent, Iteration
from boards.states import Badge, EventKind
from destinations.access import get_delivery
from destinations.models import Delivery, DeliveryStep
from destinations.services.sweep import sweep_deliveries
from destinations.states import DeliveryState
from reviews.models import Decision, FolderFile, Review
from reviews.states import ReviewState
from tests.acceptance.conftest import Model
from tests.acceptance.nursery import Nursery
from tests.acceptance.worker import holding
from tests.factories.destinations import bare_destination
from tests.factories.reviews import give_folder, shown_hash, switch_on, work
from tests.factories.workflows import Line, make_line
from tests.support.fake_s3 import FakeS3
from tests.support.jobs import drain_jobs, purge_jobs
from workflows.services.redelivering import deliver_again
from workflows.services.rules import Then, publish_rule, write_rule_draft
from workflows.states import OnApproval
from workspaces.caller import Caller

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db(transaction=True)]

PAST = timedelta(hours=2)


@pytest.fixture
def line(alice: Caller, model: Model, bucket: FakeS3) -> Line:
    """A line whose approved work goes to a bucket."""
    line = make_line(alice, model.provider)
    give_folder(line)
    switch_on(alice, "destinations")
    destination = bare_destination(alice, line.board)
    destination.config = {**destination.config, "endpoint": bucket.url(), "region": "us-east-1"}
    destination.save(update_fields=["config"])
    write_draft(alice, board=line.board, agent=line.agent, permissions={"deliver": "ask"})
    line.agent = publish_agent(alice, agent=get_agent(alice, line.agent.pk), confirm_outward=True)
    return line


def on_approval(line: Line, action: OnApproval) -> None:
    rule = write_rule_draft(
        line.caller,
        board=line.board,
        rule=line.rule,
        from_stage=line.doing,
        agent=line.agent,
        to_stage=line.done,
        then=Then(on_approval=action),
    )
    publish_rule(line.caller, rule=rule)


def kill_everywhere(line: Line, review: Review, verdict: str, nursery: Nursery) -> None:
    """Decide three times: the first two are killed before the commit and change nothing, the third right after it."""
    given = {
        "member": str(line.caller.member.pk),
        "review": str(review.pk),
        "intent_hash": shown_hash(line.caller, review),
        "verdict": verdict,
        "note": "Add prices.",
    }
    for row in (line.board, FolderFile.objects.get(review=review)):  # before anything, and with the decision written
        with holding(row) as wait_until_waiting:
            child = nursery.decide(given)
            wait_until_waiting()
            child.kill()
        review.refresh_from_db()
        assert (review.state, Decision.objects.count(), Turn.objects.count()) == (ReviewState.OPEN, 0, 1)
        assert not Delivery.objects.exists()
    nursery.decide(given, dies=True).wait_for_end()
    review.refresh_from_db()
    assert (review.is_open, Decision.objects.count()) == (False, 1)


def go_on() -> None:
    """Let time pass by every lease, sweep, and do what it rings for: no message of the dead ever arrived."""
    Turn.objects.update(updated_at=F("updated_at") - PAST)
    Delivery.objects.update(updated_at=F("updated_at") - PAST)
    DeliveryStep.objects.update(lease_until=F("lease_until") - PAST)
    sweep_turns()
    sweep_deliveries()
    drain_jobs()


def reviewed(line: Line, model: Model) -> Review:
    review = work(line)
    drain_jobs()
    purge_jobs()
    assert model.calls() == 1
    return review


@pytest.mark.requirement("V002", "D047", "C018")
def test_an_approval_is_kept_once_and_delivered_once(
    line: Line, model: Model, nursery: Nursery, bucket: FakeS3
) -> None:
    review = reviewed(line, model)

    kill_everywhere(line, review, "approve", nursery)
    queued = (line.fresh_card().badge, list(bucket.writes))
    go_on()
    go_on()

    assert queued == (Badge.WAITING, [])
    assert (Delivery.objects.get().state, line.fresh_card().badge) == (DeliveryState.DELIVERED, Badge.DONE)
    assert list(bucket.writes.values()) == [1]
    assert BoardEvent.objects.filter(kind=EventKind.REVIEW_DECIDED).count() == 1
    assert FolderFile.objects.get().area == "done"


@pytest.mark.requirement("D042", "D043")
def test_a_delivery_after_an_approval_that_is_killed_with_its_answer_is_unclear_until_a_person_looks(
    line: Line, model: Model, nursery: Nursery, bucket: FakeS3
) -> None:
    kill_everywhere(line, reviewed(line, model), "approve", nursery)
    delivery = Delivery.objects.get()
    with bucket.withholding("PUT") as (wait_for_it, _):
        child = nursery.run(Job.DELIVERY_RUN, delivery.pk)
        wait_for_it()
        child.kill()
    go_on()
    unclear = (Delivery.objects.get().state, line.fresh_card().badge_reason, FolderFile.objects.get().area)

    deliver_again(line.caller, delivery=get_delivery(line.caller, delivery.pk))
    drain_jobs()

    assert unclear == (DeliveryState.UNKNOWN, "OUTCOME_UNKNOWN", "approved")
    assert (Delivery.objects.get().state, FolderFile.objects.get().area) == (DeliveryState.DELIVERED, "done")
    assert list(bucket.writes.values()) == [1]


@pytest.mark.requirement("V002", "C018")
def test_an_approval_that_finishes_is_kept_once_and_nothing_is_sent(
    line: Line, model: Model, nursery: Nursery, bucket: FakeS3
) -> None:
    on_approval(line, OnApproval.FINISH)
    review = reviewed(line, model)

    kill_everywhere(line, review, "approve", nursery)
    go_on()

    card = line.fresh_card()
    assert (card.stage, card.badge, bucket.requests) == (line.done, Badge.DONE, [])
    assert (model.calls(), FolderFile.objects.get().area) == (1, "done")


@pytest.mark.requirement("V002", "V003", "C018")
@pytest.mark.parametrize(("verdict", "rounds"), [("approve", 1), ("request_changes", 2)])
def test_the_agent_is_given_the_card_again_once(
    line: Line, model: Model, nursery: Nursery, bucket: FakeS3, verdict: str, rounds: int
) -> None:
    on_approval(line, OnApproval.RETURN)
    review = reviewed(line, model)
    model.provider.reply("Second answer.")

    kill_everywhere(line, review, verdict, nursery)
    before = (Turn.objects.count(), model.calls())
    go_on()
    go_on()

    assert before == (2, 1)
    assert (Turn.objects.count(), model.calls(), Iteration.objects.count()) == (2, 2, rounds)
    assert Review.objects.filter(state=ReviewState.OPEN).count() == 1
    assert bucket.requests == []
