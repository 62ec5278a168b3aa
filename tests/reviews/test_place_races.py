"""A destination that is led elsewhere at the same moment as somebody decides, or as a file is sent: what was shown is
what counts, and the new place takes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import transaction
from django.test import override_settings

from agents.access import get_agent
from agents.services.agents import publish_agent, write_draft
from destinations.calls.sending import run_delivery
from destinations.models import Delivery, DeliveryStep, Destination
from destinations.services.destinations import Changes, change_destination, turn_off
from destinations.states import DeliveryState
from reviews.models import Decision, Review
from reviews.states import Door, Verdict
from tests.factories.destinations import bare_destination
from tests.factories.reviews import decide, shown_hash, switch_on, work
from tests.factories.workflows import Line
from tests.support.fake_s3 import FakeS3
from tests.support.races import at_once, codes, in_thread, wait_until_waiting
from workflows.services.reviewing import decide_review
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)

ELSEWHERE = Changes(path_template="else/{card-hash}.md")


@pytest.fixture
def bucket() -> Iterator[FakeS3]:
    with FakeS3() as service:
        yield service


@pytest.fixture
def shared(line: Line, bucket: FakeS3, mia: Caller, amir: Caller) -> Iterator[Line]:
    """What Alice starts, Mia approves; then it goes to the bucket."""
    line.let_in(mia)
    switch_on(line.caller, "destinations")
    destination = bare_destination(line.caller, line.board)
    destination.config = {**destination.config, "endpoint": bucket.url(), "region": "us-east-1"}
    destination.save(update_fields=["config"])
    write_draft(line.caller, board=line.board, agent=line.agent, permissions={"deliver": "ask"})
    line.agent = publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk), confirm_outward=True)
    with override_settings(OUTBOUND_LOOPBACK=[line.provider.pair, bucket.pair]):
        yield line


def edit(line: Line) -> object:
    return change_destination(line.caller, destination=Destination.objects.get(), changes=ELSEWHERE)


def approving(caller: Caller, review: Review) -> Callable[[], object]:
    seen = shown_hash(caller, review)
    return lambda: decide_review(caller, review=review, intent_hash=seen, decision=Verdict.APPROVE, door=Door.WEB)


@pytest.mark.requirement("V013", "C090")
def test_an_edit_and_an_approval_at_once_send_nothing_to_the_new_place(
    shared: Line, mia: Caller, bucket: FakeS3
) -> None:
    review = work(shared)
    old = Destination.objects.get().place

    told = codes(at_once(approving(mia, review), lambda: edit(shared)))
    for delivery in Delivery.objects.all():
        run_delivery(delivery.pk)

    ended = list(Delivery.objects.values_list("state", "code"))
    assert told in (["PREVIEW_CHANGED", "done"], ["done", "done"])
    assert Decision.objects.count() == told.count("done") - 1
    assert ended == [(DeliveryState.FAILED, "DESTINATION_CHANGED")] * Decision.objects.count()
    assert {step.place for step in DeliveryStep.objects.all()} <= {old}
    assert bucket.objects == {}


@pytest.mark.requirement("V013", "C090")
@pytest.mark.parametrize("change", ["edit", "off"])
def test_an_approval_before_a_change_is_kept_is_bound_to_what_was_shown(
    shared: Line, mia: Caller, bucket: FakeS3, change: str
) -> None:
    approval = approving(mia, work(shared))

    with transaction.atomic():
        if change == "edit":
            edit(shared)
        else:
            turn_off(shared.caller, destination=Destination.objects.get())
        decided = in_thread(approval)
        if change == "edit":  # nobody waits for an edit: the approval names what it saw
            assert codes([decided.outcome()]) == ["done"]
    outcome = codes([decided.outcome()])
    for delivery in Delivery.objects.all():
        run_delivery(delivery.pk)

    assert outcome in (["done"], ["PREVIEW_CHANGED"])
    expected = "DESTINATION_CHANGED" if change == "edit" else "DESTINATION_DISABLED"
    assert list(Delivery.objects.values_list("code", flat=True)) == [expected] * Delivery.objects.count()
    assert bucket.requests == []


@pytest.mark.requirement("V013", "C090")
def test_an_edit_between_the_look_at_the_destination_and_the_claim_changes_nothing_of_what_is_sent(
    shared: Line, mia: Caller, bucket: FakeS3
) -> None:
    decide(mia, work(shared))
    step = DeliveryStep.objects.get()

    with transaction.atomic():
        DeliveryStep.objects.select_for_update().get(pk=step.pk)
        sending = in_thread(lambda: run_delivery(step.delivery_id))
        wait_until_waiting()
        assert codes([in_thread(lambda: edit(shared)).outcome()]) == ["done"]
    sending.outcome()

    assert Delivery.objects.get().state == DeliveryState.DELIVERED
    assert list(bucket.objects) == [step.path]


@pytest.mark.requirement("V013", "C090")
def test_an_edit_and_a_send_at_once_leave_the_new_place_empty(shared: Line, mia: Caller, bucket: FakeS3) -> None:
    decide(mia, work(shared))
    step = DeliveryStep.objects.get()

    at_once(lambda: run_delivery(step.delivery_id), lambda: edit(shared))
    run_delivery(step.delivery_id)  # what the sweep would ring for, where the claim saw the edit

    ended = Delivery.objects.get()
    assert (ended.state, ended.code) in {(DeliveryState.DELIVERED, ""), (DeliveryState.FAILED, "DESTINATION_CHANGED")}
    assert list(bucket.objects) == ([step.path] if ended.state == DeliveryState.DELIVERED else [])
