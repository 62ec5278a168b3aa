"""An approval names where its files go. Once the destination leads elsewhere, they go there only after somebody who may
approve them has seen that place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from agents.access import get_agent
from agents.services.agents import publish_agent, write_draft
from bakedbrie.lib.refusals import Refused
from boards.models import Card
from boards.services.placing import place_card
from boards.states import Badge
from destinations.access import get_delivery
from destinations.models import Delivery, DeliveryStep, Destination
from destinations.rules import DEFAULT_TEMPLATE
from destinations.services.deliveries import redeliver
from destinations.services.destinations import Changes, change_destination
from destinations.states import DeliveryState
from reviews.models import WorkFolder
from reviews.refusals import MAKER_CANNOT_APPROVE, NOT_NAMED_REVIEWER
from tests.factories.boards import make_card
from tests.factories.destinations import bare_destination, queued_delivery
from tests.factories.reviews import decide, switch_on, work
from tests.factories.workflows import Line
from tests.support.jobs import Ran
from tests.support.races import in_thread
from workflows.services.moves import move_card, preview_move
from workflows.services.redelivering import deliver_again
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)

Drain = Callable[..., Ran]
ELSEWHERE = Changes(path_template="else/{card-hash}.md")


@pytest.fixture
def shared(line: Line, mia: Caller, amir: Caller) -> Line:
    """The board of three: what Alice starts, Mia and Amir approve. What is approved leaves it."""
    line.let_in(mia)
    switch_on(line.caller, "destinations")
    bare_destination(line.caller, line.board)
    write_draft(line.caller, board=line.board, agent=line.agent, permissions={"deliver": "ask"})
    line.agent = publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk), confirm_outward=True)
    return line


@pytest.fixture
def stopped(shared: Line, mia: Caller, drain_jobs: Drain) -> Delivery:
    """What Mia approved, and what stopped because the destination was led elsewhere before it was sent."""
    decide(mia, work(shared))
    change_destination(shared.caller, destination=Destination.objects.get(), changes=ELSEWHERE)
    drain_jobs()
    return Delivery.objects.get()


def told(caller: Caller, delivery: Delivery, preview_hash: str = "") -> dict[str, object]:
    with pytest.raises(Refused) as refused:
        deliver_again(caller, delivery=get_delivery(caller, delivery.pk), preview_hash=preview_hash)
    return refused.value.body()


@pytest.mark.requirement("V013", "D016")
def test_what_was_approved_does_not_go_where_the_destination_leads_since(shared: Line, stopped: Delivery) -> None:
    card = shared.fresh_card()

    assert (stopped.state, stopped.code) == (DeliveryState.FAILED, "DESTINATION_CHANGED")
    assert (card.stage, card.badge, card.badge_reason) == (shared.done, Badge.BLOCKED, "DESTINATION_CHANGED")
    assert DeliveryStep.objects.get().sent_at is None


@pytest.mark.requirement("V013", "D016")
def test_a_path_that_is_taken_while_somebody_approves_it_is_approved_anew(
    shared: Line, mia: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_destination(shared.caller, destination=Destination.objects.get(), changes=Changes(path_template="weekly.md"))
    other = make_card(shared.caller, shared.board, title="Other")
    review = work(shared)

    def meanwhile(*args: Any, **more: Any) -> Card:
        in_thread(lambda: queued_delivery(shared.caller, other, Destination.objects.get())).outcome()
        return place_card(*args, **more)

    with monkeypatch.context() as patched:
        patched.setattr("workflows.services.reviewing.place_card", meanwhile)
        with pytest.raises(Refused) as refused:
            decide(mia, review)
    decided = decide(mia, review)

    assert refused.value.code == "PREVIEW_CHANGED"
    paths = [step.path for step in DeliveryStep.objects.filter(delivery__card=shared.card)]
    assert decided.next["destination"]["paths"] == paths == ["out/weekly-2.md"]


@pytest.mark.requirement("V005", "V007", "V033")
def test_the_new_place_is_agreed_to_by_nobody_who_may_not_approve(
    shared: Line, stopped: Delivery, mia: Caller, amir: Caller
) -> None:
    seen = str(told(mia, stopped)["preview_hash"])

    maker = told(shared.caller, stopped, seen)
    WorkFolder.objects.update(reviewer=amir.member)
    other = told(mia, stopped, seen)
    begun = deliver_again(amir, delivery=get_delivery(amir, stopped.pk), preview_hash=seen)

    assert [one["code"] for one in (maker, other)] == ["MAKER_CANNOT_APPROVE", "NOT_NAMED_REVIEWER"]
    assert (begun.state, begun.tries) == (DeliveryState.PENDING, 2)
    assert DeliveryStep.objects.get(tries=2).path.startswith("out/else/")
    assert shared.fresh_card().badge == Badge.WAITING


@pytest.mark.requirement("V005")
def test_the_maker_begins_what_failed_for_another_reason_again_as_it_was_approved(shared: Line, mia: Caller) -> None:
    decide(mia, work(shared))
    Delivery.objects.update(state=DeliveryState.FAILED, code="API_UNAVAILABLE")

    begun = deliver_again(shared.caller, delivery=Delivery.objects.get())

    assert (begun.state, begun.tries) == (DeliveryState.PENDING, 2)


@pytest.mark.requirement("V033")
def test_a_new_review_leads_to_the_new_place(shared: Line, stopped: Delivery, mia: Caller) -> None:
    card = shared.fresh_card()
    seen = preview_move(shared.caller, card=card, stage=shared.todo).preview_hash
    move_card(shared.caller, card=card, stage=shared.todo, preview_hash=seen)
    shared.card = Card.objects.get(pk=card.pk)

    review = decide(mia, work(shared, text="Second try."))

    newest = Delivery.objects.exclude(pk=stopped.pk).get()
    assert (review.state, newest.state) == ("approved", DeliveryState.PENDING)
    assert newest.steps.get().place == Destination.objects.get().place


@pytest.mark.requirement("V005", "V031")
def test_the_page_of_the_card_shows_the_new_place_and_delivers_there_on_a_press(
    shared: Line, stopped: Delivery, mia: Caller, client: Client
) -> None:
    client.force_login(mia.member.user)
    page = client.get(f"/cards/{shared.card.pk}/").content.decode()
    seen = str(told(mia, stopped)["preview_hash"])

    stale = client.post(f"/deliveries/{stopped.pk}/redeliver/", {"preview_hash": "0" * 64})
    done = client.post(f"/deliveries/{stopped.pk}/redeliver/", {"preview_hash": seen})

    assert f'name="preview_hash" value="{seen}"' in page
    assert "https://absent.invalid/cheese/out/" in page
    assert (stale.status_code, done.status_code) == (409, 302)
    assert Delivery.objects.get().tries == 2


@pytest.mark.requirement("V005", "V007")
@pytest.mark.parametrize("who", ["maker", "other"])
def test_the_page_explains_the_new_place_to_whoever_may_not_deliver_there(
    shared: Line, stopped: Delivery, mia: Caller, amir: Caller, client: Client, who: str
) -> None:
    if who == "other":
        WorkFolder.objects.update(reviewer=amir.member)
    caller, code = (shared.caller, MAKER_CANNOT_APPROVE) if who == "maker" else (mia, NOT_NAMED_REVIEWER)
    seen = str(told(amir, stopped)["preview_hash"])
    client.force_login(caller.member.user)

    page = client.get(f"/cards/{shared.card.pk}/").content.decode()
    pressed = client.post(f"/deliveries/{stopped.pk}/redeliver/", {"preview_hash": seen})

    assert ("https://absent.invalid/cheese/out/" in page, "Deliver there" in page) == (True, False)
    assert escape(code.message) in page
    assert (pressed.status_code, f'data-code="{code.code}"' in pressed.content.decode()) == (403, True)
    assert Delivery.objects.get().tries == 1


@pytest.mark.requirement("V005")
def test_a_place_that_changes_while_it_is_begun_again_is_agreed_to_by_no_maker(
    shared: Line, stopped: Delivery, mia: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = str(told(mia, stopped)["preview_hash"])
    old = Changes(path_template=DEFAULT_TEMPLATE)
    change_destination(shared.caller, destination=Destination.objects.get(), changes=old)

    def meanwhile(*args: Any, **more: Any) -> Delivery:
        in_thread(lambda: Destination.objects.update(path_template="else/{card-hash}.md")).outcome()
        return redeliver(*args, **more)

    monkeypatch.setattr("workflows.services.redelivering.redeliver", meanwhile)
    refused = told(shared.caller, stopped, seen)

    assert (refused["code"], Delivery.objects.get().tries) == ("DESTINATION_CHANGED", 1)


def test_deliveries_that_ended_badly_where_they_lead_cost_the_page_no_further_queries(
    shared: Line, client: Client
) -> None:
    client.force_login(shared.caller.member.user)
    counted: list[tuple[int, int]] = []
    for _ in range(2):
        for _ in range(1 + 3 * len(counted)):
            queued_delivery(shared.caller, shared.fresh_card(), Destination.objects.get())
        Delivery.objects.update(state=DeliveryState.FAILED, code="API_UNAVAILABLE")
        with CaptureQueriesContext(connection) as caught:
            page = client.get(f"/cards/{shared.card.pk}/").content.decode()
        on_deliveries = [one for one in caught.captured_queries if 'FROM "destinations_deliverystep"' in one["sql"]]
        counted.append((page.count(">Deliver again</button>"), len(on_deliveries)))

    assert counted == [(1, 1), (5, 1)]
