"""The destination of one card: shown where the card is, set and cleared by managers of its board."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client, override_settings

from boards.models import Board, Card
from boards.services.members import add_board_member
from destinations.models import BoardDestination, CardDestination, Destination
from destinations.services.uses import set_override
from tests.factories.boards import make_board, make_card
from tests.factories.destinations import make_destination
from tests.support.buckets import S3Server
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server(moto_server: S3Server) -> Iterator[S3Server]:
    with override_settings(OUTBOUND_LOOPBACK=[moto_server.pair]):
        yield moto_server


@pytest.fixture
def board(alice: Caller, server: S3Server) -> Board:
    board = make_board(alice)
    make_destination(alice, server, board=board)
    return board


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    return make_card(alice, board, title="Offer")


@pytest.fixture
def other(alice: Caller, card: Card, server: S3Server) -> Destination:
    other = make_destination(alice, server)
    Destination.objects.filter(pk=other.pk).update(name="Archive")
    return Destination.objects.get(pk=other.pk)


def choose(client: Client, card: Card, destination: Destination, **more: str) -> tuple[int, str | None]:
    """Tick, and send the form."""
    address = url("card-destination", card.pk)
    fields = {**form_of(client.get(address), address), "destination_id": str(destination.pk), **more}
    answer = client.post(address, fields)
    return answer.status_code, code_of(answer)


@pytest.mark.requirement("D015", "D016")
def test_a_manager_sends_one_card_elsewhere_and_the_card_says_so(alice: Caller, card: Card, other: Destination) -> None:
    client = browser(alice)
    before = text_of(client.get(url("card", card.pk)))

    status = choose(client, card, other, confirm="on")

    after, page = text_of(client.get(url("card", card.pk))), text_of(client.get(url("card-destination", card.pk)))
    assert (status, CardDestination.objects.get(card=card).destination) == ((302, None), other)
    assert ("as the board says" in before, "its own destination" in after) == (True, True)
    assert "Finished, it goes to" in page
    assert 'class="path">out/research/' in page or "offer-" in page


@pytest.mark.requirement("D016")
def test_nothing_is_set_before_its_manager_agrees(alice: Caller, card: Card, other: Destination) -> None:
    address, client = url("card-destination", card.pk), browser(alice)
    fields = {**form_of(client.get(address), address), "destination_id": str(other.pk)}
    fields.pop("confirm", None)

    answer = client.post(address, fields)

    assert (answer.status_code, code_of(answer)) == (409, "CONFIRMATION_NEEDED")
    assert not CardDestination.objects.exists()


@pytest.mark.requirement("D015")
def test_cleared_it_goes_where_the_board_says_and_the_question_names_that(
    alice: Caller, card: Card, other: Destination
) -> None:
    set_override(alice, destination=other, card=card)
    client, address = browser(alice), url("clear-card-destination", card.pk)

    question = client.get(address)
    answer = client.post(address, form_of(question, address))

    default = BoardDestination.objects.get().destination
    assert f"goes to “{default.name}”, as the other cards of the board do" in text_of(question)
    assert (answer.status_code, CardDestination.objects.count()) == (302, 0)


def test_with_scripts_the_page_says_what_is_new(alice: Caller, card: Card, other: Destination) -> None:
    address, client = url("card-destination", card.pk), browser(alice)
    fields = {**form_of(client.get(address), address), "destination_id": str(other.pk), "confirm": "on"}

    answer = client.post(address, fields, headers=HTMX)

    assert (answer.status_code, "its own destination" in text_of(answer)) == (200, True)


def test_who_does_not_manage_the_board_looks_and_changes_nothing(
    alice: Caller, mia: Caller, vic: Caller, card: Card, other: Destination
) -> None:
    for person in (mia, vic):
        add_board_member(alice, board=card.board, member=person.member)
    address = url("card-destination", card.pk)

    for person in (mia, vic):
        client = browser(person)
        page = client.get(address)
        answer = client.post(address, {"destination_id": str(other.pk), "confirm": "on"})

        assert "Finished, it goes to" in text_of(page)
        assert not has_form(page, address)
        assert "Change…" not in text_of(client.get(url("card", card.pk)))
        assert answer.status_code == 403
    assert not CardDestination.objects.exists()
