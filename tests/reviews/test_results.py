"""list_results: finished cards with what they produced, receipts, approved files, and what is still open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from agents.access import get_agent
from agents.services.agents import publish_agent, write_draft
from agents.services.approvals import open_approval, question_about_files
from bakedbrie.lib.hashing import text_hash
from boards.models import Card, CardFile
from boards.services.rounds import keep_result, start_round
from boards.states import FileOrigin
from destinations.models import Delivery
from reviews.models import ReviewFile
from tests.factories.boards import make_board, make_card, make_file
from tests.factories.destinations import make_destination, queued_delivery
from tests.factories.reviews import decide, switch_on, work
from tests.factories.workflows import Line
from tests.support.buckets import S3Server
from tests.support.cast import api
from tests.support.jobs import Ran
from workflows.inputs import ListResultsIn
from workflows.selectors.results import list_results
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "Finished work."


@pytest.fixture
def goes(line: Line, moto_server: S3Server) -> Iterator[Line]:
    """The line with a work folder and a bucket as its destination; its agent may deliver."""
    with override_settings(OUTBOUND_LOOPBACK=[line.provider.pair, moto_server.pair]):
        make_destination(line.caller, moto_server, board=line.board)
        switch_on(line.caller, "destinations")
        write_draft(line.caller, board=line.board, agent=line.agent, permissions={"deliver": "allowed"})
        line.agent = publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk), confirm_outward=True)
        yield line


def results(caller: Caller, **given: Any) -> dict[str, Any]:
    answer = api(caller).post("/api/v1/tools/list_results", given, format="json").json()
    shown: dict[str, Any] = answer.get("untrusted_data") or answer["error"]
    return shown


def finished(line: Line, title: str = "Compare loaves", text: str = TEXT) -> Card:
    """One more card in Done, with a result."""
    card = make_card(line.caller, line.board, stage=line.done, title=title)
    keep_result(card=card, iteration=start_round(line.caller, card=card), made_by=line.agent.actor, markdown=text)
    return card


def delivered(line: Line, card: Card, **ended: str) -> Delivery:
    """A delivery of one more round of a card, which ended like this."""
    destination = line.board.destination_row.destination
    delivery = queued_delivery(line.caller, card, destination)
    Delivery.objects.filter(pk=delivery.pk).update(**ended)
    return delivery


@pytest.mark.requirement("B038", "B039", "D041")
def test_an_approved_card_is_listed_with_its_result_its_files_its_receipt_and_what_was_approved(
    goes: Line, drain_jobs: Callable[..., Ran]
) -> None:
    review = decide(goes.caller, work(goes, text=TEXT))
    drain_jobs()
    chart = make_file(goes.caller, goes.card, name="chart.md", content=b"# Chart\n")
    make_file(goes.caller, goes.card, name="given.md")
    CardFile.objects.filter(pk=chart.pk).update(origin=FileOrigin.MADE)

    shown = results(goes.caller, board_id=str(goes.board.pk))

    (card,), (receipt,), (approved,) = shown["cards"], shown["receipts"], shown["approved_files"]
    result = goes.card.results.get()
    assert (card["id"], card["state"], card["files_total"]) == (str(goes.card.pk), "done", 1)
    assert card["result"]["output_id"] == str(result.pk)
    assert (card["result"]["summary"], card["result"]["is_whole"]) == (TEXT, True)
    assert card["result"]["sha256"] == text_hash(TEXT)
    assert [(one["output_id"], one["name"], one["media_type"], one["sha256"]) for one in card["files"]] == [
        (str(chart.pk), "chart.md", "text/markdown", chart.sha256)
    ]
    assert (receipt["card_id"], receipt["state"], receipt["cause"]) == (card["id"], "delivered", "review")
    assert [(one["sha256"], one["state"]) for one in receipt["files"]] == [(result.sha256, "done")]
    assert (approved["output_id"], approved["review_id"]) == (str(ReviewFile.objects.get().pk), str(review.pk))
    assert (approved["sha256"], approved["approved_by"]) == (result.sha256, "Alice Archer")
    assert (shown["followups"], shown["are_more_followups"], shown["next_cursor"]) == ([], False, None)


@pytest.mark.requirement("B038")
def test_a_long_result_is_listed_by_its_beginning(goes: Line) -> None:
    finished(goes, text="x" * 501)

    (card,) = results(goes.caller)["cards"]

    assert (card["result"]["summary"], card["result"]["is_whole"]) == ("x" * 500, False)


def test_a_card_that_a_person_finished_without_an_agent_has_no_result(goes: Line) -> None:
    make_card(goes.caller, goes.board, stage=goes.done)

    (card,) = results(goes.caller)["cards"]

    assert (card["result"], card["files"], card["files_total"]) == (None, [], 0)


@pytest.mark.requirement("B039")
def test_what_is_open_comes_first_with_the_oldest(goes: Line) -> None:
    review = work(goes)
    failed, unclear = finished(goes, "Failed"), finished(goes, "Unclear")
    wrong = [
        delivered(goes, failed, state="failed", code="PATH_TAKEN"),
        delivered(goes, unclear, state="unknown", code="OUTCOME_UNKNOWN"),
    ]
    question = open_approval(review.turn, question_about_files(review.turn))

    followups = results(goes.caller)["followups"]

    assert [(one["kind"], one["id"], one["code"]) for one in followups] == [
        ("review", str(review.pk), ""),
        ("delivery", str(wrong[0].pk), "PATH_TAKEN"),
        ("delivery", str(wrong[1].pk), "OUTCOME_UNKNOWN"),
        ("question", str(question.pk), "APPROVAL"),
    ]
    assert [one["url"].removeprefix("http://127.0.0.1:8000") for one in followups] == [
        f"/reviews/{review.pk}/",
        f"/cards/{failed.pk}/",
        f"/cards/{unclear.pk}/",
        f"/approvals/{question.pk}/",
    ]
    assert all(one["text"] for one in followups)


def test_a_delivery_that_a_newer_one_came_after_is_open_no_more(goes: Line) -> None:
    card = finished(goes)
    delivered(goes, card, state="failed", code="PATH_TAKEN")
    delivered(goes, card, state="delivered")

    shown = results(goes.caller)

    assert [one["state"] for one in shown["receipts"]] == ["delivered", "failed"]
    assert shown["followups"] == []


@pytest.mark.requirement("B039")
def test_cards_come_page_by_page_and_followups_with_the_first(goes: Line) -> None:
    cards = [finished(goes, f"Card {n}") for n in range(3)]
    delivered(goes, cards[0], state="failed", code="PATH_TAKEN")

    first = results(goes.caller, limit=2)
    second = results(goes.caller, limit=2, cursor=first["next_cursor"])

    assert [card["title"] for card in first["cards"] + second["cards"]] == ["Card 2", "Card 1", "Card 0"]
    assert (len(first["followups"]), len(first["receipts"])) == (1, 0)
    assert (second["followups"], len(second["receipts"]), second["next_cursor"]) == ([], 1, None)


def test_only_cards_in_done_on_open_boards_count_and_only_for_who_opens_them(
    goes: Line, mia: Caller, charlie: Caller
) -> None:
    finished(goes)
    make_card(goes.caller, goes.board)
    switch_capability(charlie, name="destinations", is_on=True)
    before = [len(results(one)["cards"]) for one in (goes.caller, mia, charlie)]
    goes.let_in(mia)
    goes.board.archived_at = goes.board.created_at
    goes.board.save(update_fields=["archived_at"])

    assert before == [1, 0, 0]
    assert results(mia)["cards"] == []
    assert len(results(mia, board_id=str(goes.board.pk))["cards"]) == 1
    assert results(charlie, board_id=str(goes.board.pk))["code"] == "NOT_FOUND"


@pytest.mark.requirement("W032")
def test_what_is_behind_a_capability_that_is_off_is_left_out(goes: Line, drain_jobs: Callable[..., Ran]) -> None:
    decide(goes.caller, work(goes))
    drain_jobs()
    file = make_file(goes.caller, goes.card)
    CardFile.objects.filter(pk=file.pk).update(origin=FileOrigin.MADE)
    whole = results(goes.caller)
    for name in ("reviews", "media"):
        switch_capability(goes.caller, name=name, is_on=False)

    short = results(goes.caller)
    switch_capability(goes.caller, name="destinations", is_on=False)

    assert (len(whole["approved_files"]), len(whole["cards"][0]["files"])) == (1, 1)
    assert (short["approved_files"], short["cards"][0]["files"], len(short["receipts"])) == ([], [], 1)
    assert results(goes.caller)["code"] == "CAPABILITY_OFF"


def fill(line: Line) -> None:
    """One more of everything that is listed."""
    for ended in ({"state": "delivered"}, {"state": "failed", "code": "PATH_TAKEN"}):
        card = finished(line)
        delivered(line, card, **ended)
        file = make_file(line.caller, card)
        CardFile.objects.filter(pk=file.pk).update(origin=FileOrigin.MADE)
    make_board(line.caller)


def test_a_longer_list_takes_no_more_queries(goes: Line, drain_jobs: Callable[..., Ran]) -> None:
    decide(goes.caller, work(goes))
    drain_jobs()
    fill(goes)
    little = queries(goes)

    for _ in range(4):
        fill(goes)

    assert queries(goes) == little == 9
    assert len(results(goes.caller)["cards"]) == 11


def queries(line: Line) -> int:
    with CaptureQueriesContext(connection) as seen:
        list_results(line.caller, ListResultsIn())
    return len(seen)


def test_rest_answers_the_same(goes: Line) -> None:
    delivered(goes, finished(goes), state="failed", code="PATH_TAKEN")

    answer = api(goes.caller).get(f"/api/v1/results?board_id={goes.board.pk}&limit=5").json()

    assert answer.pop("request_id")
    assert answer == results(goes.caller)
