"""/metrics, read over a real socket with the official parser: who may, and what it tells."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families
from pytest_django.fixtures import Settings

from agents.models import Approval, Turn
from agents.states import TurnState
from bakedbrie import metrics
from bakedbrie.api.metrics import StateCollector
from bakedbrie.asgi import Site
from bakedbrie.lib import clock, presence
from bakedbrie.lib.jobs import Job, poke
from bakedbrie.lib.presence import Sign
from boards.access import get_card
from destinations.models import Delivery, Destination
from destinations.states import DeliveryState, DestinationState
from reviews.models import FolderFile, Review
from reviews.states import Verdict
from tests.factories.boards import make_board, make_card
from tests.factories.destinations import bare_destination, queued_delivery
from tests.factories.reviews import decide, give_folder, make_hosted_folder, put_result, work
from tests.factories.workflows import make_line
from tests.support.cast import token_of
from tests.support.fake_provider import FakeProvider
from tests.support.jobs import purge_jobs
from tests.support.mcp import served
from workspaces.caller import Caller

Labels = tuple[tuple[str, str], ...]
TOKEN = "for-the-scraper"


@pytest.fixture(scope="module")
def one_address(django_db_setup: None) -> Iterator[str]:
    with served(Site()) as address:
        yield address


@pytest.fixture
def address(one_address: str, transactional_db: None) -> str:
    return one_address


def get(address: str, path: str, **headers: str) -> tuple[int, str]:
    peer = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        peer.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = peer.getresponse()
        return answer.status, answer.read().decode()
    finally:
        peer.close()


def scrape(address: str) -> dict[tuple[str, Labels], float]:
    status, text = get(address, "/metrics")
    assert status == 200
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def figure(found: dict[tuple[str, Labels], float], name: str, **labels: str) -> float | None:
    return found.get((f"bakedbrie_{name}", tuple(sorted(labels.items()))))


def test_requests_are_counted_by_their_route_and_never_by_their_address(address: str, alice: Caller) -> None:
    route = {"door": "web", "method": "GET", "route": "boards/<str:board_id>/", "status": "302"}
    before = scrape(address)

    for _ in range(3):
        get(address, "/boards/0190e2a4-0000-7000-8000-000000000000/")

    after = scrape(address)
    assert (figure(after, "http_requests_total", **route) or 0) - (
        figure(before, "http_requests_total", **route) or 0
    ) == 3
    timed = {"door": "web", "route": "boards/<str:board_id>/"}
    assert (figure(after, "http_request_seconds_count", **timed) or 0) >= 3
    assert "0190e2a4" not in str(after)


def test_a_call_of_the_mcp_server_is_told_by_its_own_door(address: str, alice: Caller) -> None:
    labels = {"door": "inside", "method": "GET", "route": "api/v1/token", "status": "401"}
    before = figure(scrape(address), "http_requests_total", **labels) or 0

    peer = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    peer.request("POST", "/mcp", body=b"{}")
    peer.getresponse().read()
    peer.close()

    assert (figure(scrape(address), "http_requests_total", **labels) or 0) == before + 1


def test_a_made_up_method_makes_no_figure_of_its_own() -> None:
    metrics.count_request(door="web", method="BREW", route="", status=405, seconds=0.1)

    assert metrics._requests.labels("web", "other", "", "405")._value.get() >= 1


def test_turns_signs_queues_and_parts_are_read_when_somebody_asks(
    address: str, alice: Caller, settings: Settings
) -> None:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        turn = make_line(alice, provider).start()
    presence.note(Sign.BEAT)
    purge_jobs()
    for _ in range(2):
        poke(Job.TURN_RUN, turn.pk)

    found = scrape(address)

    assert {part: figure(found, "up", part=part) for part in ("database", "redis", "broker")} == {
        "database": 1,
        "redis": 1,
        "broker": 1,
    }
    assert figure(found, "turns_open", state="queued") == 1
    assert figure(found, "turns_open", state="sending") == 0
    assert figure(found, "turns_last_day", state="queued") == 1
    assert (figure(found, "turn_oldest_queued_seconds") or 0) < 60
    assert figure(found, "queue_jobs", queue="turns") == 2
    assert (figure(found, "sign_seconds", sign="beat") or 99) < 60
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.UNKNOWN)
    assert figure(scrape(address), "turns_last_day", state="unknown") == 1


def test_deliveries_are_told_by_their_state(address: str, alice: Caller) -> None:
    board = make_board(alice)
    card = get_card(alice, make_card(alice, board).pk)
    delivery = queued_delivery(alice, card, bare_destination(alice, board))

    found = scrape(address)
    Delivery.objects.filter(pk=delivery.pk).update(state=DeliveryState.UNKNOWN, finished_at=Now(), told_at=Now())
    Destination.objects.update(state=DestinationState.FAILING, last_error="OUTCOME_UNKNOWN")
    unclear = scrape(address)

    assert figure(found, "deliveries_open", state="pending") == 1
    assert figure(found, "destinations_failing") == 0
    assert (figure(found, "delivery_oldest_waiting_seconds") or 0) < 60
    assert figure(unclear, "deliveries_open", state="unknown") == 0
    assert figure(unclear, "deliveries_last_day", state="unknown") == 1
    assert figure(unclear, "destinations_failing") == 1
    labels = {labels for name, labels in unclear if name == "bakedbrie_deliveries_open"}
    assert labels == {(("state", state.value),) for state in DeliveryState}


def test_reviews_their_decisions_and_steps_of_folders_are_told(address: str, alice: Caller, settings: Settings) -> None:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        line = make_line(alice, provider)
        give_folder(line)
        review = work(line)
    Review.objects.filter(pk=review.pk).update(opened_at=clock.now() - timedelta(hours=2))

    waiting = scrape(address)
    FolderFile.objects.update(code="STORAGE_UNAVAILABLE")
    decide(alice, review, Verdict.REJECT)
    decided = scrape(address)

    assert (figure(waiting, "reviews_open"), figure(decided, "reviews_open")) == (1, 0)
    assert 7200 <= (figure(waiting, "review_oldest_open_seconds") or 0) < 7300
    assert figure(waiting, "folder_steps_open", state="queued") == 1
    assert figure(waiting, "folder_files_failing") == 0
    assert figure(decided, "decisions_last_day", decision="reject") == 1
    assert figure(decided, "decisions_last_day", decision="approve") == 0


def test_questions_of_agents_are_told(address: str, alice: Caller, settings: Settings) -> None:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        line = make_line(alice, provider)
        turn = line.start()
    Approval.objects.create(
        turn=turn,
        card=line.card,
        agent=line.agent,
        area="read_files",
        target=turn.pk,
        input_hash="0" * 64,
        expires_at=clock.now() + timedelta(days=1),
    )

    found = scrape(address)

    assert figure(found, "asks_open") == 1
    assert (figure(found, "ask_oldest_open_seconds") or 0) < 60


def test_the_figures_take_as_many_statements_whatever_there_is(alice: Caller) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            list(StateCollector().collect())
        return len(asked)

    before = statements()
    for _ in range(3):
        board = make_board(alice)
        card = get_card(alice, make_card(alice, board).pk)
        queued_delivery(alice, card, bare_destination(alice, board))
        put_result(alice, make_hosted_folder(alice, board), card)

    assert statements() == before


def test_a_part_that_is_away_is_told_and_the_rest_as_well(address: str, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"

    found = scrape(address)

    assert (figure(found, "up", part="redis"), figure(found, "up", part="database")) == (0, 1)
    assert figure(found, "sign_seconds", sign="beat") is None
    assert figure(found, "turns_open", state="queued") == 0


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via"])
def test_without_a_token_nobody_reads_through_a_proxy(address: str, header: str) -> None:
    assert get(address, "/metrics", **{header: "192.0.2.1"}) == (404, "")


def test_without_a_token_nobody_else_reads(settings: Settings, db: None) -> None:
    assert Client(REMOTE_ADDR="192.0.2.1").get("/metrics").status_code == 404
    assert Client(REMOTE_ADDR="127.0.0.1").get("/metrics").status_code == 200
    settings.BEHIND_PROXY = True
    assert Client(REMOTE_ADDR="127.0.0.1").get("/metrics").status_code == 404


def test_with_a_token_only_who_shows_it_reads(address: str, alice: Caller, settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN

    assert get(address, "/metrics") == (404, "")
    assert get(address, "/metrics", Authorization=f"Bearer {TOKEN}x") == (404, "")
    assert get(address, "/metrics", Authorization=f"Bearer {token_of(alice)}") == (404, "")
    assert get(address, "/metrics", Authorization=f"Bearer {TOKEN}", Via="1.1 proxy")[0] == 200


def test_no_figure_holds_a_secret(address: str, alice: Caller) -> None:
    token = token_of(alice)
    get(address, f"/api/v1/{token}", Authorization=f"Bearer {token}")

    assert token not in get(address, "/metrics")[1]


def test_where_nothing_can_be_written_requests_are_answered_and_not_counted(
    settings: Settings, db: None, tmp_path: object
) -> None:
    settings.METRICS_DIR = "/proc/nowhere"
    metrics.is_counting.cache_clear()
    try:
        assert Client().get("/health/live").status_code == 200
        assert Client().get("/metrics").status_code == 200
        assert metrics.is_counting() is False
    finally:
        metrics.is_counting.cache_clear()
