"""Destinations on their pages: connected with a secret that is seen nowhere, changed, checked, used and turned off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from bakedbrie.asgi import SENDING_PAGES
from boards.models import Board
from destinations.models import BoardDestination, CardDestination, Destination
from destinations.rules import DEFAULT_TEMPLATE
from destinations.services.destinations import Changes, change_destination
from destinations.services.uses import set_default, set_override
from destinations.states import DestinationState
from tests.factories.boards import make_board, make_card
from tests.factories.destinations import bare_destination, make_destination, queued_delivery
from tests.support.buckets import S3Server
from tests.support.canary import plant
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workflows.services.archive import archive_board
from workspaces.caller import Caller
from workspaces.models import AuditEntry, RequestRecord, SealedSecret
from workspaces.services.capabilities import switch_capability
from workspaces.services.secrets import open_secret
from workspaces.web.audit_words import sentence_of

pytestmark = pytest.mark.django_db

LIST, NEW, EXAMPLE = "/settings/destinations/", "/settings/destinations/new/", "/settings/destinations/example/"


@pytest.fixture
def server(moto_server: S3Server, settings: Settings) -> S3Server:
    settings.OUTBOUND_LOOPBACK = [moto_server.pair]
    return moto_server


@pytest.fixture(autouse=True)
def is_on(alice: Caller) -> None:
    switch_capability(alice, name="destinations", is_on=True)


@pytest.fixture
def board(alice: Caller, mia: Caller) -> Board:
    """Alice's board, which Mia opens and does not manage."""
    return make_board(alice, name="Bread", members=[mia.member])


@pytest.fixture
def bare(alice: Caller, board: Board) -> Destination:
    return bare_destination(alice, board)


def filled_form(client: Client, server: S3Server, **typed: str) -> dict[str, str]:
    given = {
        "name": "Site",
        "endpoint": server.endpoint,
        "region": "us-east-1",
        "bucket": server.new_bucket().name,
        "prefix": "/posts/",
        "access_key_id": server.access_key_id,
        "secret_access_key": plant(server.secret),
        "confirm": "on",
    }
    return {**form_of(client.get(NEW), NEW), **given, **typed}


def send(client: Client, destination: Destination, name: str, **typed: str) -> HttpResponse:
    """Send the form of the destination's page that goes to this address, without its tick unless it is given."""
    action = url(name, destination.pk)
    form = form_of(client.get(url("destination", destination.pk)), action)
    form.pop("confirm", None)
    answer = client.post(action, {**form, **typed})
    assert isinstance(answer, HttpResponse)
    return answer


@pytest.mark.requirement("D048")
def test_a_secret_typed_on_the_page_is_tried_sealed_and_kept_nowhere_else(
    alice: Caller, board: Board, server: S3Server
) -> None:
    client = browser(alice)
    form = filled_form(client, server, board_id=str(board.pk))

    first, again = client.post(NEW, form), client.post(NEW, form)

    made = Destination.objects.get()
    assert first["Location"] == again["Location"] == url("destination", made.pk)
    assert (made.name, made.config["prefix"], made.path_template) == ("Site", "posts/", DEFAULT_TEMPLATE)
    assert made.secret is not None
    assert open_secret(made.secret).reveal() == server.secret
    assert BoardDestination.objects.get().board == board
    seen = [
        *(text_of(client.get(page)) for page in (LIST, NEW, url("destination", made.pk))),
        *(str(entry.data) for entry in AuditEntry.objects.all()),
        *(record.answer for record in RequestRecord.objects.all()),
    ]
    assert [text for text in seen if server.secret in text] == []


def test_a_key_that_is_not_taken_is_destroyed_and_what_was_typed_stays_but_for_the_secret(
    alice: Caller, server: S3Server
) -> None:
    client = browser(alice)

    answer = client.post(NEW, filled_form(client, server, secret_access_key=plant("canary-of-a-wrong-secret")))

    assert (answer.status_code, code_of(answer)) == (409, "DESTINATION_AUTH_FAILED")
    assert form_of(answer, NEW)["name"] == "Site"
    assert form_of(answer, NEW)["secret_access_key"] == ""
    assert not Destination.objects.exists()
    assert [secret.sealed for secret in SealedSecret.objects.all()] == [None]


def test_nothing_is_kept_for_a_board_that_is_archived(alice: Caller, board: Board, server: S3Server) -> None:
    client = browser(alice)
    form = filled_form(client, server, board_id=str(board.pk))
    archive_board(alice, board=board)

    answer = client.post(NEW, form)

    assert (answer.status_code, code_of(answer)) == (409, "BOARD_ARCHIVED")
    assert not Destination.objects.exists()


def test_everything_wrong_is_told_at_once_beside_its_field_and_asks_nobody(alice: Caller, server: S3Server) -> None:
    client = browser(alice)
    wrong = {
        "name": " ",
        "endpoint": "http://10.0.0.1/path",
        "region": "no region",
        "bucket": "No",
        "prefix": "a//b",
        "access_key_id": "a b",
        "secret_access_key": " ",
        "path_template": "{nothing}",
    }
    form = filled_form(client, server, **wrong)
    del form["confirm"]

    answer = client.post(NEW, form)

    assert (answer.status_code, code_of(answer)) == (422, "INVALID_INPUT")
    assert [name for name in wrong if f'id="{name}-new-error"' not in text_of(answer)] == []
    assert 'id="agree-new-error"' in text_of(answer)
    assert form_of(answer, NEW)["bucket"] == "No"
    assert not SealedSecret.objects.exists()


def test_the_example_follows_the_template_and_tells_what_is_wrong_with_it(mia: Caller) -> None:
    client = browser(mia)

    good = client.get(EXAMPLE, {"path_template": "x/{card-slug}.md", "prefix": "posts/"}, headers=HTMX)
    wrong = client.get(EXAMPLE, {"path_template": "{nothing}"}, headers=HTMX)

    assert good.context["example"].path == "posts/x/compare-prices.md"
    assert wrong.context["example"].problems == ("does not know the placeholder {nothing}",)


def test_changing_the_place_asks_first_tries_the_key_and_keeps_the_secret(
    alice: Caller, board: Board, server: S3Server
) -> None:
    made, other, client = make_destination(alice, server, board=board), server.new_bucket().name, browser(alice)

    asked = send(client, made, "edit-destination", bucket=other)
    done = send(client, made, "edit-destination", bucket=other, confirm="on")
    absent = send(client, made, "edit-destination", bucket="absent-bucket", confirm="on")

    made.refresh_from_db()
    assert (asked.status_code, code_of(asked)) == (409, "CONFIRMATION_NEEDED")
    assert form_of(asked, url("edit-destination", made.pk))["bucket"] == other
    assert done.status_code == 302
    assert (absent.status_code, code_of(absent)) == (409, "BUCKET_NOT_FOUND")
    assert (made.config["bucket"], made.config["prefix"], made.revision) == (other, "out/", 2)
    assert made.secret is not None
    assert open_secret(made.secret).reveal() == server.secret


def test_a_new_secret_takes_the_place_of_the_old_one_once_the_service_takes_it(alice: Caller, server: S3Server) -> None:
    made, client = make_destination(alice, server), browser(alice)

    refused = send(client, made, "edit-destination", secret_access_key=plant("canary-of-a-wrong-secret"))
    done = send(client, made, "edit-destination", secret_access_key=server.secret)

    assert (refused.status_code, code_of(refused)) == (409, "DESTINATION_AUTH_FAILED")
    assert form_of(refused, url("edit-destination", made.pk))["secret_access_key"] == ""
    assert done.status_code == 302
    old, new = made.secret, Destination.objects.get().secret
    assert old is not None
    assert new is not None
    old.refresh_from_db()
    assert (old.sealed, open_secret(new).reveal()) == (None, server.secret)


def test_what_somebody_else_changed_meanwhile_is_a_conflict_with_both_shown(alice: Caller, bare: Destination) -> None:
    client, action = browser(alice), url("edit-destination", bare.pk)
    form = {**form_of(client.get(url("destination", bare.pk)), action), "name": "Mine", "prefix": "mine"}
    change_destination(alice, destination=bare, changes=Changes(name="Theirs"))

    answer = client.post(action, form)

    assert (answer.status_code, code_of(answer)) == (409, "REVISION_CONFLICT")
    assert form_of(answer, action)["name"] == "Mine"
    assert form_of(answer, action)["expected_revision"] == "2"
    assert "<dd>Theirs</dd>" in text_of(answer)
    assert Destination.objects.get().name == "Theirs"


def test_checking_marks_the_destination_and_mends_it_again(alice: Caller, server: S3Server) -> None:
    made, client = make_destination(alice, server), browser(alice)
    states = []

    for access_key_id in ("AKIAABSENT", server.access_key_id):
        made.config = {**made.config, "access_key_id": access_key_id}
        made.save(update_fields=["config"])
        send(client, made, "check-destination")
        made.refresh_from_db()
        states.append((made.state, made.last_error))

    assert states == [("failing", "DESTINATION_AUTH_FAILED"), ("on", "")]


def test_a_destination_becomes_the_default_of_a_board_once_its_person_agreed(alice: Caller, bare: Destination) -> None:
    client, other = browser(alice), make_board(alice, name="Cheese")
    action = url("default-destination", bare.pk)

    asked = send(client, bare, "default-destination", board_id=str(other.pk))
    before = BoardDestination.objects.filter(board=other).count()
    form = {**form_of(client.get(url("destination", bare.pk)), action), "board_id": str(other.pk), "confirm": "on"}
    sent = [client.post(action, form).status_code for _ in range(2)]

    assert (asked.status_code, code_of(asked), before) == (409, "CONFIRMATION_NEEDED", 0)
    assert sent == [302, 302]
    assert BoardDestination.objects.get(board=other).destination == bare
    entry = AuditEntry.objects.get(verb="destination.default_set", data__board=str(other.pk))
    assert sentence_of(entry, {}) == f"let the finished cards of the board “Cheese” go to “{bare.name}”"


def test_a_board_says_where_its_finished_cards_go_and_is_given_another_place_or_none(
    alice: Caller, board: Board, bare: Destination
) -> None:
    client, other = browser(alice), bare_destination(alice, make_board(alice))
    page, ending = url("board-destination", board.pk), url("clear-board-destination", board.pk)
    settings_page = url("board-settings", board.pk)

    form = {**form_of(client.get(page), page), "destination_id": str(other.pk)}
    form.pop("confirm")
    asked = client.post(page, form)
    changed = client.post(page, {**form_of(asked, page), "destination_id": str(other.pk), "confirm": "on"})
    shown = text_of(client.get(settings_page))
    cleared = client.post(ending, form_of(client.get(ending), ending))

    assert (asked.status_code, code_of(asked)) == (409, "CONFIRMATION_NEEDED")
    assert changed["Location"] == page
    assert url("destination", other.pk) in shown
    assert url("destination", bare.pk) not in shown
    assert cleared["Location"] == settings_page
    assert not BoardDestination.objects.filter(board=board).exists()
    assert ending not in text_of(client.get(settings_page))


def test_turning_off_names_what_it_clears_and_destroys_the_key(alice: Caller, board: Board, bare: Destination) -> None:
    client, action = browser(alice), url("turn-off-destination", bare.pk)
    card = make_card(alice, board, title="Rye")
    set_override(alice, destination=bare, card=card)
    queued_delivery(alice, card, bare)

    question = client.get(action)
    state = Destination.objects.get().state
    answer = client.post(action, form_of(question, action))

    assert question.context["question"].points == (
        "What is finished on the board Bread goes nowhere any more.",
        "The card “Rye” no longer goes there.",
        "1 delivery that waits ends unsent.",
    )
    assert state == DestinationState.ON
    assert answer["Location"] == LIST
    assert (Destination.objects.get().state, Destination.objects.get().secret) == (DestinationState.OFF, None)
    assert not BoardDestination.objects.exists()
    assert not CardDestination.objects.exists()
    assert client.get(LIST).context["rows"] == []
    page = client.get(url("destination", bare.pk))
    assert not has_form(page, url("edit-destination", bare.pk))


def test_who_may_not_change_or_use_a_destination_does_not_see_how_and_is_refused(
    mia: Caller, vic: Caller, board: Board, bare: Destination
) -> None:
    names = ("check-destination", "default-destination", "edit-destination")
    pages = [browser(who).get(url("destination", bare.pk)) for who in (mia, vic)]
    shown = [name for page in pages for name in names if has_form(page, url(name, bare.pk))]
    client = browser(mia)

    refused = [
        client.get(NEW),
        client.post(url("board-destination", board.pk), {"destination_id": str(bare.pk), "confirm": "on"}),
        client.post(url("clear-board-destination", board.pk)),
        client.post(url("turn-off-destination", bare.pk)),
    ]

    assert shown == []
    assert not has_form(client.get(url("board-destination", board.pk)), url("board-destination", board.pk))
    assert NEW not in text_of(client.get(LIST))
    assert [(one.status_code, code_of(one)) for one in refused] == [
        (403, "NOT_BOARD_MANAGER"),
        (403, "NOT_BOARD_MANAGER"),
        (403, "NOT_BOARD_MANAGER"),
        (403, "FORBIDDEN"),
    ]
    assert BoardDestination.objects.get().destination == bare


@pytest.mark.requirement("W021")
def test_a_board_that_one_may_not_open_is_not_named(alice: Caller, mia: Caller, bare: Destination) -> None:
    set_default(alice, destination=bare, board=make_board(alice, name="Closed board"))

    pages = [text_of(browser(mia).get(page)) for page in (LIST, url("destination", bare.pk))]

    assert [page for page in pages if "Closed board" in page] == []


def test_the_pages_are_off_with_the_capability(alice: Caller, board: Board, bare: Destination) -> None:
    switch_capability(alice, name="destinations", is_on=False)
    client = browser(alice)

    pages = (LIST, NEW, EXAMPLE, url("destination", bare.pk), url("board-destination", board.pk))
    answers = [client.get(page) for page in pages]

    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(403, "CAPABILITY_OFF")] * 5
    assert url("board-destination", board.pk) not in text_of(client.get(url("board-settings", board.pk)))


def test_pages_that_ask_a_service_have_threads_of_their_own(bare: Destination) -> None:
    asking = [NEW, url("check-destination", bare.pk), url("edit-destination", bare.pk)]
    others = [LIST, EXAMPLE, url("destination", bare.pk), url("default-destination", bare.pk)]

    assert [page for page in (*asking, *others) if SENDING_PAGES.fullmatch(page)] == asking


def test_htmx_gets_the_piece_with_the_news(alice: Caller, bare: Destination) -> None:
    client, action = browser(alice), url("edit-destination", bare.pk)
    form = form_of(client.get(url("destination", bare.pk)), action)

    answer = client.post(action, {**form, "name": "Shop"}, headers=HTMX)

    assert "<html" not in text_of(answer)
    assert "Saved." in answer["HX-Trigger"]
    assert Destination.objects.get().name == "Shop"


def test_the_pages_take_as_many_queries_for_many_destinations_as_for_one(
    alice: Caller, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    counts: list[list[int]] = []

    for more in (1, 4):
        for n in range(more):
            board = make_board(alice, name=f"Board {more}.{n}")
            bare = bare_destination(alice, board)
            set_override(alice, destination=bare, card=make_card(alice, board))
        for _ in range(more - 1):
            set_default(alice, destination=bare, board=make_board(alice))
        pages = (LIST, url("destination", bare.pk), url("board-destination", board.pk), NEW)
        counts.append([])
        for page in pages:
            with django_assert_max_num_queries(14) as asked:
                client.get(page)
            counts[-1].append(len(asked))

    assert counts[0] == counts[1]
