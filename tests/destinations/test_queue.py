"""A delivery is queued once for the same contents, under paths that no other one has."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bakedbrie.lib.slugs import card_hash
from boards.access import get_card
from boards.models import BoardEvent, Card
from boards.states import Badge
from destinations.models import Delivery, DeliveryStep
from destinations.selectors.deliveries import planned_paths
from destinations.selectors.destinations import destination_of
from destinations.services.uses import clear_override, set_override
from destinations.states import Cause, DeliveryState, StepState
from tests.factories.destinations import DAY, RESULT, Parcel, make_destination, make_parcel
from tests.support.buckets import S3Server
from tests.support.jobs import Ran
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability

pytestmark = pytest.mark.django_db


def test_a_queued_delivery_holds_what_was_made_and_shows_on_the_card(parcel: Parcel) -> None:
    delivery = parcel.queue()

    step = DeliveryStep.objects.get()
    card = Card.objects.get(pk=parcel.card.pk)
    assert (delivery.state, delivery.cause, delivery.finished_on) == (DeliveryState.PENDING, Cause.FINISH, DAY)
    assert (step.state, step.n, step.bytes) == (StepState.QUEUED, 1, len(RESULT))
    assert step.path == f"out/research/2026-11-30-compare-prices-{card_hash(card.pk)}.md"
    assert (step.name, step.media_type, step.sha256) == (
        "compare-prices.md",
        "text/markdown",
        parcel.contents[0].sha256,
    )
    assert (card.badge, card.badge_reason) == (Badge.WAITING, "DELIVERING")
    event = BoardEvent.objects.get(kind="delivery_queued")
    assert event.data == {
        "delivery": str(delivery.pk),
        "destination": str(parcel.destination.pk),
        "name": "Website",
    }


def test_the_same_contents_are_the_same_delivery_and_others_another_one(parcel: Parcel) -> None:
    first = parcel.queue()
    again = parcel.queue(day=DAY + timedelta(days=1))
    parcel.write("# Prices\n\nBrie 8.\n")
    other = parcel.queue()

    assert again.pk == first.pk
    assert other.pk != first.pk
    assert Delivery.objects.count() == 2
    assert BoardEvent.objects.filter(kind="delivery_queued").count() == 2


@pytest.mark.requirement("D012")
def test_another_text_of_the_same_day_gets_a_path_of_its_own(parcel: Parcel) -> None:
    parcel.queue()
    parcel.write("# Prices\n\nBrie 8.\n", in_new_round=True)

    parcel.queue()

    first, second = DeliveryStep.objects.order_by("pk").values_list("path", flat=True)
    assert second == first.removesuffix(".md") + "-2.md"


def test_the_same_text_in_another_round_goes_to_the_same_path(parcel: Parcel) -> None:
    parcel.queue()
    parcel.write(RESULT, in_new_round=True)

    parcel.queue()

    first, second = DeliveryStep.objects.order_by("pk").values_list("path", flat=True)
    assert first == second
    assert Delivery.objects.count() == 2


def test_two_cards_of_one_title_share_no_path_even_where_the_template_does_not_tell_them_apart(
    alice: Caller, server: S3Server
) -> None:
    parcel = make_parcel(alice, server, title="Same", path_template="{card-slug}.md")
    other = make_parcel(alice, server, title="Same")
    other.destination = parcel.destination
    other.write("Something else.")

    parcel.queue()
    other.queue()

    assert sorted(DeliveryStep.objects.values_list("path", flat=True)) == ["out/same-2.md", "out/same.md"]


def test_paths_are_planned_in_one_query_and_a_delivery_is_queued_in_few(parcel: Parcel) -> None:
    with CaptureQueriesContext(connection) as planning:
        planned = planned_paths(parcel.card, parcel.contents, parcel.destination, DAY)
    with CaptureQueriesContext(connection) as queueing:
        delivery = parcel.queue()

    assert [step.path for step in delivery.steps.all()] == planned
    assert len(planning) == 1
    assert len(queueing) == 6


def test_a_path_that_was_taken_often_is_planned_in_two_queries(alice: Caller, server: S3Server) -> None:
    parcel = make_parcel(alice, server, path_template="report.md")
    for n in range(12):
        parcel.write(f"# {n}\n", in_new_round=True)
        parcel.queue()
    parcel.write("# The last\n", in_new_round=True)

    with CaptureQueriesContext(connection) as planning:
        planned = planned_paths(parcel.card, parcel.contents, parcel.destination, DAY)

    assert (planned, len(planning)) == (["out/report-13.md"], 2)


@pytest.mark.requirement("D015")
def test_a_card_goes_where_it_says_else_where_its_board_says(alice: Caller, server: S3Server, parcel: Parcel) -> None:
    own = make_destination(alice, server)
    before = destination_of(parcel.card)
    set_override(alice, destination=own, card=parcel.card)
    with CaptureQueriesContext(connection) as queries:
        during = destination_of(parcel.card)
    clear_override(alice, card=parcel.card)

    assert (before, during, destination_of(parcel.card)) == (parcel.destination, own, parcel.destination)
    assert len(queries) == 1


@pytest.mark.requirement("W032")
def test_nothing_is_a_destination_while_the_capability_is_off(alice: Caller, parcel: Parcel) -> None:
    switch_capability(alice, name="destinations", is_on=False)

    assert destination_of(get_card(alice, parcel.card.pk)) is None


def test_an_empty_delivery_is_a_mistake(parcel: Parcel, drain_jobs: Callable[..., Ran]) -> None:
    with pytest.raises(ValueError, match="at least one"):
        parcel.queue([])
