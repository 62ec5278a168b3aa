"""The tools of destinations: what they ask a person first, what they show, and what they never show."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from destinations.models import BoardDestination, Delivery, Destination
from destinations.states import DeliveryState, DestinationState
from tests.factories.boards import make_board
from tests.factories.destinations import Parcel, make_destination
from tests.support.buckets import S3Server
from tests.support.cast import api
from tests.support.jobs import Ran
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability

pytestmark = pytest.mark.django_db


def call(client: APIClient, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = client.post(f"/api/v1/tools/{tool}", arguments, format="json").json()
    body: dict[str, Any] = answer.get("error") or answer["untrusted_data"]
    return body


@pytest.fixture
def client(alice: Caller) -> APIClient:
    return api(alice)


def config(server: S3Server) -> dict[str, Any]:
    return {
        "endpoint": server.endpoint,
        "bucket": server.new_bucket().name,
        "access_key_id": server.access_key_id,
        "region": "us-east-1",
        "prefix": "/site/",
    }


def dropped(client: APIClient, server: S3Server) -> dict[str, str]:
    drop = call(client, "prepare_secret", kind="s3", purpose="destination", env_var="S3_SECRET")
    client.post(f"/api/v1/drops/{drop['drop_id']}", server.secret.encode().hex().encode(), content_type="text/plain")
    return {"drop_id": drop["drop_id"]}


@pytest.mark.requirement("D016", "D017", "D048")
def test_connecting_asks_first_with_target_and_board_and_then_keeps_what_was_shown(
    alice: Caller, client: APIClient, server: S3Server
) -> None:
    switch_capability(alice, name="destinations", is_on=True)
    board, place, drop = make_board(alice), config(server), dropped(client, server)
    given = {"action": "create", "type": "s3", "name": "Site", "config": place, "credential": drop}

    asked = call(client, "manage_destination", **given, board_id=str(board.pk))
    before = Destination.objects.count()
    made = call(client, "manage_destination", **given, board_id=str(board.pk), confirm=True)

    assert (asked["code"], asked["confirm"]) == ("CONFIRMATION_NEEDED", ["delivers_there"])
    assert asked["untrusted_data"] == {"target": f"{server.endpoint}/{place['bucket']}/site/", "board": "Research"}
    assert before == 0
    shown = made["destination"]
    assert (shown["type"], shown["state"], shown["target"]) == ("s3", "on", asked["untrusted_data"]["target"])
    assert [use["board_id"] for use in shown["boards"]] == [str(board.pk)]
    assert server.secret not in json.dumps(made)


@pytest.mark.requirement("D001")
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"type": "ftp"}, "type"),
        ({"config": {"endpoint": "http://example.com"}}, "config.endpoint"),
        ({"config": {"endpoint": "https://example.com/path"}}, "config.endpoint"),
        ({"config": {"bucket": "No"}}, "config.bucket"),
        ({"config": {"prefix": "../x"}}, "config.prefix"),
        ({"config": {"region": "a b"}}, "config.region"),
        ({"config": {"access_key_id": "a b"}}, "config.access_key_id"),
        ({"config": {"secret_access_key": "sk"}}, "config.secret_access_key"),
    ],
)
def test_what_is_no_bucket_is_refused_with_its_field(
    alice: Caller, client: APIClient, server: S3Server, change: dict[str, Any], field: str
) -> None:
    switch_capability(alice, name="destinations", is_on=True)
    place = {**config(server), **change.get("config", {})}
    given = {"type": "s3", "name": "Site", "credential": {"drop_id": "none"}, **change, "config": place}

    refused = call(client, "manage_destination", action="create", **given)

    assert (refused["code"], list(refused["fields"])) == ("INVALID_INPUT", [field])


@pytest.mark.requirement("D044", "D045")
def test_a_preview_tells_paths_and_asks_nobody(parcel: Parcel, client: APIClient) -> None:
    Destination.objects.update(config={**parcel.destination.config, "endpoint": "https://absent.invalid"})
    given = {"destination_id": str(parcel.destination.pk), "card_id": str(parcel.card.pk)}

    shown = call(client, "manage_destination", action="preview", **given, path_template="{card-slug}.txt")
    bad = call(client, "manage_destination", action="preview", **given, path_template="{card}.txt")

    assert shown["paths"] == [{"name": "compare-prices.md", "path": "out/compare-prices.txt"}]
    assert bad["code"] == "TEMPLATE_INVALID"
    assert Destination.objects.get().path_template != "{card-slug}.txt"


@pytest.mark.requirement("D046")
def test_a_test_call_is_made_once_a_person_agreed(parcel: Parcel, client: APIClient) -> None:
    given = {"action": "test_call", "destination_id": str(parcel.destination.pk)}

    asked = call(client, "manage_destination", **given)
    done = call(client, "manage_destination", **given, confirm=True)

    assert (asked["code"], asked["confirm"]) == ("CONFIRMATION_NEEDED", ["writes_a_test_object"])
    assert done["is_removed"] is True


@pytest.mark.requirement("D018", "D022")
def test_turning_off_asks_first_and_lists_what_it_cleared(parcel: Parcel, client: APIClient) -> None:
    given = {"action": "disable", "destination_id": str(parcel.destination.pk)}

    asked = call(client, "manage_destination", **given)
    state = Destination.objects.get().state
    done = call(client, "manage_destination", **given, confirm=True)

    assert (asked["code"], asked["confirm"], state) == ("CONFIRMATION_NEEDED", ["turns_off_for_good"], "on")
    assert done["destination"]["state"] == DestinationState.OFF
    assert [use["board_id"] for use in done["cleared"]["boards"]] == [str(parcel.board.pk)]
    assert done["cleared"]["credential_destroyed"] is True
    assert not BoardDestination.objects.exists()


def test_another_place_is_confirmed_and_another_name_is_not(parcel: Parcel, client: APIClient) -> None:
    given = {"action": "update", "destination_id": str(parcel.destination.pk)}

    named = call(client, "manage_destination", **given, name="Site")
    asked = call(client, "manage_destination", **given, path_template="{card-hash}.md")
    changed = call(client, "manage_destination", **given, path_template="{card-hash}.md", confirm=True)

    assert (named["destination"]["name"], named["destination"]["revision"]) == ("Site", 2)
    assert asked["code"] == "CONFIRMATION_NEEDED"
    assert changed["destination"]["path_template"] == "{card-hash}.md"


@pytest.mark.requirement("D041", "D043", "D048")
def test_a_delivery_is_begun_again_by_a_tool_and_its_receipt_is_read_over_rest(
    parcel: Parcel, client: APIClient, drain_jobs: Callable[..., Ran]
) -> None:
    delivery = parcel.queue()
    Delivery.objects.update(state=DeliveryState.UNKNOWN, code="OUTCOME_UNKNOWN")

    begun = call(client, "redeliver", delivery_id=str(delivery.pk))
    drain_jobs()
    receipt = client.get(f"/api/v1/deliveries/{delivery.pk}").json()["delivery"]
    listed = client.get(f"/api/v1/cards/{parcel.card.pk}/deliveries").json()["deliveries"]

    assert (begun["delivery"]["state"], begun["delivery"]["tries"]) == ("pending", 2)
    (file,) = receipt["files"]
    assert (receipt["state"], receipt["idempotency_key"], receipt["tries"]) == ("delivered", delivery.key, 2)
    assert file["path"] == parcel.server.keys(parcel.server.bucket(parcel.bucket))[0]
    assert (file["sha256"], file["http_status"]) == (parcel.contents[0].sha256, 200)
    assert listed == [receipt]
    assert parcel.server.secret not in json.dumps(receipt)


@pytest.mark.requirement("W022")
def test_whoami_names_the_destinations_that_are_not_off(alice: Caller, server: S3Server, client: APIClient) -> None:
    made, off = make_destination(alice, server), make_destination(alice, server)
    call(client, "manage_destination", action="disable", destination_id=str(off.pk), confirm=True)

    told = call(client, "whoami")["destinations"]

    assert [(one["id"], one["type"], one["state"]) for one in told] == [(str(made.pk), "s3", "on")]


@pytest.mark.requirement("W032")
def test_without_the_capability_both_tools_are_unlisted_and_refused(client: APIClient) -> None:
    listed = {tool["name"] for tool in client.get("/api/v1/tools").json()["tools"]}

    assert listed.isdisjoint({"manage_destination", "redeliver"})
    assert call(client, "manage_destination", action="list")["code"] == "CAPABILITY_OFF"
    assert call(client, "redeliver", delivery_id="x")["code"] == "CAPABILITY_OFF"
