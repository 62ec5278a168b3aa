"""A destination that is led elsewhere after somebody agreed to it: what was agreed to never goes to the new place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bakedbrie.lib.refusals import Refused
from boards.models import Card
from boards.states import Badge
from destinations.access import get_delivery
from destinations.calls.sending import run_delivery
from destinations.models import Delivery, DeliveryStep, Destination
from destinations.receipts import newest_files
from destinations.rules import place_of
from destinations.services.deliveries import redeliver
from destinations.services.destinations import Changes, change_destination
from destinations.services.uses import clear_default, set_default, set_override
from destinations.states import DeliveryState, DestinationState, StepState
from tests.destinations.test_sending import add_made_file, content_of, fresh, keys
from tests.factories.destinations import RESULT, Parcel, config_of, drop_key, make_destination
from tests.support.jobs import Ran
from workspaces.caller import Caller
from workspaces.services.drops import consume_drop
from workspaces.states import SecretPurpose

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]
CONFIG: dict[str, object] = {
    "endpoint": "https://s3.example.com",
    "region": "auto",
    "bucket": "cheese",
    "prefix": "out/",
    "path_style": True,
    "access_key_id": "AKIA",
}


def lead_to(parcel: Parcel, bucket: str = "", prefix: str = "out/") -> str:
    """Lead the destination to another bucket, or to another folder of its own."""
    config = config_of(parcel.server, bucket or parcel.bucket, prefix)
    change_destination(parcel.caller, destination=parcel.destination, changes=Changes(config=config))
    return config.bucket


def keys_in(parcel: Parcel, bucket: str) -> list[str]:
    return parcel.server.keys(parcel.server.bucket(bucket))


def refusal_of(parcel: Parcel, delivery: Delivery, preview_hash: str = "") -> dict[str, Any]:
    with pytest.raises(Refused) as refused:
        redeliver(parcel.caller, delivery=get_delivery(parcel.caller, delivery.pk), preview_hash=preview_hash)
    return refused.value.body()


@pytest.mark.parametrize(
    "change",
    [
        {"endpoint": "https://other.example.com"},
        {"region": "eu-central-1"},
        {"bucket": "other"},
        {"prefix": ""},
        {"path_style": False},
    ],
    ids=str,
)
def test_everything_that_tells_where_bytes_go_is_part_of_the_place(change: dict[str, object]) -> None:
    place = place_of("s3", CONFIG, "{card-slug}.md")

    assert place_of("s3", {**CONFIG, **change}, "{card-slug}.md") != place
    assert place_of("s3", CONFIG, "{card-hash}.md") != place
    assert place_of("s3", {**CONFIG, "access_key_id": "AKIB"}, "{card-slug}.md") == place


@pytest.mark.parametrize("what", ["bucket", "prefix", "template"])
def test_what_is_queued_does_not_go_to_a_place_that_nobody_agreed_to(
    parcel: Parcel, drain_jobs: Drain, what: str
) -> None:
    delivery, old, new = parcel.queue(), parcel.bucket, parcel.server.new_bucket().name
    if what == "template":
        changes = Changes(path_template="else/{card-hash}.md")
        change_destination(parcel.caller, destination=parcel.destination, changes=changes)
    elif what == "prefix":
        lead_to(parcel, prefix="else/")
    else:
        lead_to(parcel, new)

    drain_jobs()

    card, step = Card.objects.get(pk=parcel.card.pk), DeliveryStep.objects.get()
    assert (fresh(delivery).state, fresh(delivery).code) == (DeliveryState.FAILED, "DESTINATION_CHANGED")
    assert (step.state, step.sent_at) == (StepState.REFUSED, None)
    assert (card.badge, card.badge_reason) == (Badge.BLOCKED, "DESTINATION_CHANGED")
    assert (keys_in(parcel, old), keys_in(parcel, new)) == ([], [])
    assert Destination.objects.get().state == DestinationState.ON


def test_another_name_and_another_key_are_the_same_place(parcel: Parcel, drain_jobs: Drain) -> None:
    delivery = parcel.queue()
    drop = drop_key(parcel.caller, parcel.server.secret)
    secret = consume_drop(parcel.caller, drop_id=drop.pk, purpose=SecretPurpose.DESTINATION)
    change_destination(
        parcel.caller, destination=parcel.destination, changes=Changes(name="Our website", secret=secret)
    )

    drain_jobs()

    assert (fresh(delivery).state, len(keys(parcel))) == (DeliveryState.DELIVERED, 1)


def test_another_default_and_another_override_take_nothing_of_what_was_agreed_to(
    parcel: Parcel, drain_jobs: Drain
) -> None:
    delivery = parcel.queue()
    other, own = make_destination(parcel.caller, parcel.server), make_destination(parcel.caller, parcel.server)
    set_default(parcel.caller, destination=other, board=parcel.board)
    set_override(parcel.caller, destination=own, card=parcel.card)
    clear_default(parcel.caller, board=parcel.board)

    drain_jobs()

    assert (fresh(delivery).state, len(keys(parcel))) == (DeliveryState.DELIVERED, 1)
    assert [keys_in(parcel, str(one.config["bucket"])) for one in (other, own)] == [[], []]


def test_begun_again_it_goes_there_only_once_somebody_has_seen_that_place(parcel: Parcel, drain_jobs: Drain) -> None:
    delivery = parcel.queue()
    new = lead_to(parcel, parcel.server.new_bucket().name, prefix="else/")
    drain_jobs()

    told = refusal_of(parcel, delivery)
    wrong = refusal_of(parcel, delivery, "0" * 64)
    untouched = (fresh(delivery).tries, DeliveryStep.objects.count())
    redeliver(parcel.caller, delivery=get_delivery(parcel.caller, delivery.pk), preview_hash=told["preview_hash"])
    drain_jobs()

    (path,) = told["untrusted_data"]["paths"]
    assert (told["code"], wrong, untouched) == ("DESTINATION_CHANGED", told, (1, 1))
    assert told["untrusted_data"]["target"] == f"{parcel.server.endpoint}/{new}/else/"
    assert (fresh(delivery).state, fresh(delivery).key) == (DeliveryState.DELIVERED, delivery.key)
    assert (keys(parcel), keys_in(parcel, new)) == ([], [path])
    assert path.startswith("else/")


def test_what_was_seen_counts_no_more_once_it_is_led_elsewhere_again(parcel: Parcel, drain_jobs: Drain) -> None:
    delivery = parcel.queue()
    lead_to(parcel, parcel.server.new_bucket().name)
    drain_jobs()
    seen = refusal_of(parcel, delivery)["preview_hash"]
    last = lead_to(parcel, parcel.server.new_bucket().name)

    told = refusal_of(parcel, delivery, seen)
    drain_jobs()

    assert told["preview_hash"] != seen
    assert (fresh(delivery).state, fresh(delivery).tries, keys_in(parcel, last)) == (DeliveryState.FAILED, 1, [])


def test_a_place_that_was_seen_and_is_changed_before_it_is_sent_takes_nothing(
    parcel: Parcel, drain_jobs: Drain
) -> None:
    delivery = parcel.queue()
    lead_to(parcel, parcel.server.new_bucket().name)
    drain_jobs()
    seen = refusal_of(parcel, delivery)["preview_hash"]
    redeliver(parcel.caller, delivery=get_delivery(parcel.caller, delivery.pk), preview_hash=seen)
    last = lead_to(parcel, parcel.server.new_bucket().name)

    drain_jobs()

    assert (fresh(delivery).state, fresh(delivery).code) == (DeliveryState.FAILED, "DESTINATION_CHANGED")
    assert keys_in(parcel, last) == []


def test_led_back_it_goes_where_it_was_agreed_to_without_a_further_word(parcel: Parcel, drain_jobs: Drain) -> None:
    delivery, old = parcel.queue(), parcel.bucket
    lead_to(parcel, parcel.server.new_bucket().name)
    drain_jobs()
    lead_to(parcel, old)

    redeliver(parcel.caller, delivery=get_delivery(parcel.caller, delivery.pk))
    drain_jobs()

    assert (fresh(delivery).state, len(keys_in(parcel, old))) == (DeliveryState.DELIVERED, 1)


@pytest.mark.parametrize("state", [DeliveryState.FAILED, DeliveryState.UNKNOWN])
def test_a_try_after_an_edit_is_asked_about_whatever_the_one_before_ended_with(
    parcel: Parcel, drain_jobs: Drain, state: DeliveryState
) -> None:
    delivery = parcel.queue()
    Delivery.objects.update(state=state, code="API_UNAVAILABLE")
    DeliveryStep.objects.update(state=StepState(state.value))
    new = lead_to(parcel, parcel.server.new_bucket().name)

    told = refusal_of(parcel, delivery)
    drain_jobs()

    assert told["code"] == "DESTINATION_CHANGED"
    assert (fresh(delivery).state, keys_in(parcel, new)) == (state, [])


def test_a_delivery_that_is_half_sent_stops_at_the_edit_and_goes_whole_to_the_new_place(
    parcel: Parcel, drain_jobs: Drain
) -> None:
    file = add_made_file(parcel, "chart.csv", b"1;2")
    delivery = parcel.queue([*parcel.contents, content_of(file)])
    first = DeliveryStep.objects.get(n=1)
    DeliveryStep.objects.filter(pk=first.pk).update(state=StepState.DONE)
    new = lead_to(parcel, parcel.server.new_bucket().name)

    run_delivery(delivery.pk)
    stopped = (fresh(delivery).code, keys_in(parcel, new))
    told = refusal_of(parcel, delivery)
    redeliver(parcel.caller, delivery=get_delivery(parcel.caller, delivery.pk), preview_hash=told["preview_hash"])
    drain_jobs()

    assert stopped == ("DESTINATION_CHANGED", [])
    assert sorted(keys_in(parcel, new)) == sorted(told["untrusted_data"]["paths"])
    assert [step.tries for step in newest_files(fresh(delivery).steps.all())] == [2, 2]
    assert parcel.server.read(parcel.server.bucket(new), told["untrusted_data"]["paths"][0]).decode() == RESULT


def test_a_delivery_from_before_places_were_kept_is_sent_as_it_was_queued_and_asked_about_when_begun_again(
    parcel: Parcel, drain_jobs: Drain
) -> None:
    delivery = parcel.queue()
    DeliveryStep.objects.update(place="")
    drain_jobs()
    arrived = fresh(delivery).state
    Delivery.objects.update(state=DeliveryState.FAILED)

    told = refusal_of(parcel, delivery)

    assert (arrived, told["code"]) == (DeliveryState.DELIVERED, "DESTINATION_CHANGED")


@pytest.mark.parametrize("edit", ["before", "after"])
def test_a_destination_that_is_off_is_told_as_such_and_not_as_changed(
    alice: Caller, parcel: Parcel, drain_jobs: Drain, edit: str
) -> None:
    delivery = parcel.queue()
    if edit == "before":
        lead_to(parcel, parcel.server.new_bucket().name)
        drain_jobs()
    Destination.objects.update(state=DestinationState.OFF, secret=None)
    drain_jobs()

    assert fresh(delivery).code == ("DESTINATION_CHANGED" if edit == "before" else "DESTINATION_DISABLED")
    assert refusal_of(parcel, delivery)["code"] == "DESTINATION_DISABLED"
