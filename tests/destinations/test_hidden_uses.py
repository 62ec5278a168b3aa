"""Turning a destination off tells of its uses what the caller may open, and counts the rest."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from boards.access import get_card
from boards.models import Board
from destinations.calls.connecting import create_destination
from destinations.models import BoardDestination, Destination
from destinations.services.destinations import DestinationPlan
from destinations.services.uses import set_default, set_override
from destinations.states import DestinationState
from reviews.services.folders import FolderPlan, set_work_folder
from reviews.states import FolderStorage
from tests.factories.boards import make_board, make_card
from tests.factories.destinations import config_of, drop_key
from tests.factories.reviews import switch_on
from tests.support.buckets import S3Server
from tests.support.cast import api
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def hers(alice: Caller, mia: Caller, server: S3Server) -> Destination:
    """A bucket that Mia connected, who manages a board of her own."""
    switch_on(alice, "destinations", "reviews")
    mia.workspace.refresh_from_db()
    mia.__dict__.pop("capabilities", None)
    make_board(mia, name="Recipes")
    plan = DestinationPlan(name="Website", config=config_of(server, server.new_bucket().name))
    return create_destination(mia, plan=plan, drop_id=drop_key(mia, server.secret).pk)


@pytest.fixture
def secret(alice: Caller) -> Board:
    return make_board(alice, name="Secret merger")


def disable(caller: Caller, destination: Destination) -> str:
    client: APIClient = api(caller)
    given = {"action": "disable", "destination_id": str(destination.pk), "confirm": True}
    return str(client.post("/api/v1/tools/manage_destination", given, format="json").content.decode())


@pytest.mark.requirement("V022", "W007")
def test_what_keeps_it_on_is_named_to_those_who_open_it(
    alice: Caller, mia: Caller, hers: Destination, secret: Board
) -> None:
    set_work_folder(alice, board=secret, plan=FolderPlan(storage=FolderStorage.S3, destination=hers), confirm=True)

    to_her, to_alice = disable(mia, hers), disable(alice, hers)

    assert "DESTINATION_IN_USE" in to_her
    assert ("Secret merger" in to_her, '"hidden_boards":1' in to_her) == (False, True)
    assert ("work folder of Secret merger" in to_alice, '"hidden_boards":0' in to_alice) == (True, True)
    assert Destination.objects.get().state == DestinationState.ON


@pytest.mark.requirement("D022", "W007")
def test_what_it_cleared_is_named_to_those_who_open_it(
    alice: Caller, mia: Caller, hers: Destination, secret: Board
) -> None:
    card = get_card(alice, make_card(alice, secret, title="Buy them for 3 million").pk)
    set_default(alice, destination=hers, board=secret)
    set_override(alice, destination=hers, card=card)

    told = disable(mia, hers)

    assert ("million" in told, "merger" in told, '"hidden":2' in told) == (False, False, True)
    assert not BoardDestination.objects.exists()
