"""Connecting a bucket: only a key that the service takes is kept, by whom may connect; off is for good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakedbrie.lib.refusals import Refused
from boards.access import get_card
from destinations.access import get_destination
from destinations.calls.connecting import (
    check_destination,
    create_destination,
    try_destination,
    update_destination,
)
from destinations.models import BoardDestination, CardDestination, Destination
from destinations.services.destinations import Changes, DestinationPlan, turn_off
from destinations.services.uses import clear_default, set_default, set_override
from destinations.states import DestinationState
from tests.factories.boards import make_board, make_card
from tests.factories.destinations import config_of, drop_key, make_destination, make_parcel
from tests.support.buckets import S3Server
from workspaces.caller import Caller
from workspaces.models import AuditEntry, SealedSecret
from workspaces.services.drops import prepare_drop
from workspaces.states import SecretPurpose

pytestmark = pytest.mark.django_db


@pytest.fixture
def destination(alice: Caller, server: S3Server) -> Destination:
    return make_destination(alice, server)


def plan_of(server: S3Server, bucket: str = "") -> DestinationPlan:
    return DestinationPlan(name="Website", config=config_of(server, bucket or server.new_bucket().name))


@pytest.mark.requirement("D017", "W070")
def test_a_bucket_is_connected_with_a_drop_and_its_secret_is_sealed(destination: Destination, server: S3Server) -> None:
    secret = SealedSecret.objects.get()

    assert (destination.state, destination.secret_id, destination.revision) == (DestinationState.ON, secret.pk, 1)
    assert secret.purpose == SecretPurpose.DESTINATION
    assert server.secret.encode() not in bytes(secret.sealed or b"")
    assert destination.config["access_key_id"] == server.access_key_id
    assert AuditEntry.objects.filter(verb="destination.created").count() == 1


@pytest.mark.parametrize(
    ("bucket", "secret", "code"),
    [
        ("", "wrong" * 8, "DESTINATION_AUTH_FAILED"),
        ("there-is-no-such-bucket", "", "BUCKET_NOT_FOUND"),
    ],
)
def test_a_key_or_bucket_that_is_not_right_is_not_kept(
    alice: Caller, server: S3Server, bucket: str, secret: str, code: str
) -> None:
    drop = drop_key(alice, secret or server.secret)

    with pytest.raises(Refused) as refused:
        create_destination(alice, plan=plan_of(server, bucket), drop_id=drop.pk)

    assert refused.value.code == code
    assert not Destination.objects.exists()
    assert SealedSecret.objects.get().sealed is None


def test_an_address_that_the_operator_did_not_list_is_not_asked(alice: Caller, server: S3Server) -> None:
    plan = plan_of(server)
    elsewhere = replace(plan, config=replace(plan.config, endpoint="http://127.0.0.1:9"))

    with pytest.raises(Refused) as refused:
        create_destination(alice, plan=elsewhere, drop_id=drop_key(alice, server.secret).pk)

    assert refused.value.code == "DESTINATION_UNREACHABLE"
    assert refused.value.details["reason"] == "ADDRESS_REFUSED"


@pytest.mark.requirement("C097")
def test_a_drop_serves_one_destination_and_no_drop_of_another_purpose_does(alice: Caller, server: S3Server) -> None:
    drop = drop_key(alice, server.secret)
    other = prepare_drop(alice, kind="s3", purpose=SecretPurpose.AI_ACCOUNT, env_var="KEY")
    create_destination(alice, plan=plan_of(server), drop_id=drop.pk)

    codes = []
    for used in (drop, other):
        with pytest.raises(Refused) as refused:
            create_destination(alice, plan=plan_of(server), drop_id=used.pk)
        codes.append(refused.value.code)

    assert codes == ["SECRET_DROP_EXPIRED", "SECRET_PURPOSE_MISMATCH"]
    assert Destination.objects.count() == 1


def test_a_template_that_cannot_be_used_leaves_the_drop_alone(alice: Caller, server: S3Server) -> None:
    drop = drop_key(alice, server.secret)

    with pytest.raises(Refused) as refused:
        create_destination(alice, plan=replace(plan_of(server), path_template="{day}.md"), drop_id=drop.pk)

    assert refused.value.code == "TEMPLATE_INVALID"
    assert refused.value.details["fields"] == {"path_template": ["does not know the placeholder {day}"]}
    create_destination(alice, plan=plan_of(server), drop_id=drop.pk)


def test_who_manages_no_board_connects_nothing(alice: Caller, mia: Caller, vic: Caller, server: S3Server) -> None:
    codes = []
    for caller in (mia, vic):
        with pytest.raises(Refused) as refused:
            create_destination(caller, plan=plan_of(server), drop_id=drop_key(alice, server.secret).pk)
        codes.append(refused.value.code)
    make_board(mia)

    made = create_destination(mia, plan=plan_of(server), drop_id=drop_key(mia, server.secret).pk)

    assert codes == ["NOT_BOARD_MANAGER", "FORBIDDEN"]
    assert made.connected_by == mia.actor


def test_another_workspace_finds_nothing(charlie: Caller, destination: Destination) -> None:
    with pytest.raises(Refused) as refused:
        get_destination(charlie, destination.pk)

    assert refused.value.code == "NOT_FOUND"


def test_a_check_marks_what_fails_and_mends_what_works(
    alice: Caller, server: S3Server, destination: Destination
) -> None:
    bucket = str(destination.config["bucket"])
    server.client.delete_bucket(Bucket=bucket)
    failing = check_destination(alice, destination=get_destination(alice, destination.pk))
    told = (failing.state, failing.last_error)
    server.client.create_bucket(Bucket=bucket)

    mended = check_destination(alice, destination=get_destination(alice, destination.pk))

    assert told == (DestinationState.FAILING, "BUCKET_NOT_FOUND")
    assert (mended.state, mended.last_error) == (DestinationState.ON, "")


def test_another_key_takes_the_place_of_the_one_before(
    alice: Caller, server: S3Server, destination: Destination
) -> None:
    old = destination.secret
    assert old is not None

    changed = update_destination(
        alice,
        destination=get_destination(alice, destination.pk),
        changes=Changes(name="Site"),
        drop_id=drop_key(alice, server.secret).pk,
        expected_revision=1,
    )

    old.refresh_from_db()
    assert (changed.name, changed.revision, old.sealed) == ("Site", 2, None)
    assert changed.secret_id != old.pk


def test_a_place_that_the_service_does_not_know_changes_nothing(
    alice: Caller, server: S3Server, destination: Destination
) -> None:
    with pytest.raises(Refused) as refused:
        update_destination(
            alice,
            destination=get_destination(alice, destination.pk),
            changes=Changes(config=config_of(server, "there-is-no-such-bucket")),
        )

    assert refused.value.code == "BUCKET_NOT_FOUND"
    assert Destination.objects.get().config == destination.config


def test_what_changed_meanwhile_is_not_changed_from_an_old_look(alice: Caller, destination: Destination) -> None:
    with pytest.raises(Refused) as refused:
        update_destination(
            alice,
            destination=get_destination(alice, destination.pk),
            changes=Changes(name="Site"),
            expected_revision=7,
        )

    assert (refused.value.code, refused.value.details["current_revision"]) == ("REVISION_CONFLICT", 1)


@pytest.mark.requirement("D044", "D046")
def test_a_try_writes_an_object_and_removes_it(alice: Caller, server: S3Server, destination: Destination) -> None:
    tried = try_destination(alice, destination=get_destination(alice, destination.pk))

    assert tried.path.startswith("out/bakedbrie-test-")
    assert tried.is_removed
    assert server.keys(server.bucket(str(destination.config["bucket"]))) == []


@pytest.mark.requirement("D018", "D019", "D021", "D022", "D023", "D048")
def test_turned_off_it_is_nobodys_default_or_override_and_its_key_is_destroyed(alice: Caller, server: S3Server) -> None:
    parcel = make_parcel(alice, server)
    other = make_card(alice, parcel.board)
    set_override(alice, destination=parcel.destination, card=get_card(alice, other.pk))

    cleared = turn_off(alice, destination=parcel.destination)
    again = turn_off(alice, destination=parcel.destination)

    destination = Destination.objects.get()
    assert [row.board_id for row in cleared.boards] == [parcel.board.pk]
    assert [row.card_id for row in cleared.cards] == [other.pk]
    assert (cleared.is_secret_destroyed, again.is_secret_destroyed, again.boards) == (True, False, [])
    assert (destination.state, destination.secret) == (DestinationState.OFF, None)
    assert SealedSecret.objects.get().sealed is None
    assert not BoardDestination.objects.exists()
    assert not CardDestination.objects.exists()


@pytest.mark.requirement("D023")
def test_what_is_off_can_not_be_used_again(alice: Caller, server: S3Server, destination: Destination) -> None:
    board = make_board(alice)
    turn_off(alice, destination=destination)
    off = get_destination(alice, destination.pk)

    attempts = (
        lambda: set_default(alice, destination=off, board=board),
        lambda: check_destination(alice, destination=off),
        lambda: try_destination(alice, destination=off),
        lambda: update_destination(alice, destination=off, changes=Changes(name="New")),
    )
    codes = []
    for attempt in attempts:
        with pytest.raises(Refused) as refused:
            attempt()
        codes.append(refused.value.code)

    assert codes == ["DESTINATION_DISABLED"] * 4


def test_only_managers_say_where_a_board_goes(alice: Caller, mia: Caller, destination: Destination) -> None:
    board = make_board(alice, members=[mia.member])

    for attempt in (
        lambda: set_default(mia, destination=destination, board=board),
        lambda: clear_default(mia, board=board),
    ):
        with pytest.raises(Refused) as refused:
            attempt()
        assert refused.value.code == "NOT_BOARD_MANAGER"
    assert not BoardDestination.objects.exists()


def test_a_destination_is_changed_by_who_connected_it_and_by_admins(
    mia: Caller, amir: Caller, alice: Caller, destination: Destination
) -> None:
    make_board(mia)

    with pytest.raises(Refused) as refused:
        turn_off(mia, destination=destination)
    turn_off(amir, destination=destination)

    assert refused.value.code == "FORBIDDEN"
