"""/metrics: what Prometheus reads. For who shows METRICS_TOKEN; without one set, for programs on this machine.

A part that does not answer is told as ``bakedbrie_up`` 0, and what it would have told is left out.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import redis
from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

from agents.figures import open_asks, open_turns, turns_made_since
from agents.states import TurnState
from bakedbrie import broker
from bakedbrie.lib import clock, presence
from bakedbrie.lib.states import CallState
from bakedbrie.version import VERSION
from destinations.figures import deliveries_made_since, failing_destinations, open_deliveries
from destinations.states import DeliveryState
from reviews.figures import decisions_made_since, failing_folders, folder_work, open_reviews
from reviews.states import Verdict

FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_FORWARDED", "HTTP_VIA")


def metrics(request: HttpRequest) -> HttpResponse:
    if not _may_read(request):
        return HttpResponse(status=404)
    registry = CollectorRegistry(auto_describe=False)
    if Path(settings.METRICS_DIR).is_dir():
        MultiProcessCollector(registry, str(settings.METRICS_DIR))  # type: ignore[no-untyped-call]  # it has no types
    registry.register(StateCollector())
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(registry), content_type=content_type, headers={"Cache-Control": "no-store"})


def _may_read(request: HttpRequest) -> bool:
    """What came through a proxy comes from its address, so that without a token its headers shut it out."""
    if settings.METRICS_TOKEN:
        shown = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(shown.encode(), settings.METRICS_TOKEN.encode())
    if settings.BEHIND_PROXY or any(name in request.META for name in FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


class StateCollector:
    """Asks database, Valkey and broker at the moment of the question."""

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("bakedbrie_up", "Whether a part answers (1) or not (0).", labels=["part"])
        for part, ask in (("database", _work), ("redis", _signs), ("broker", _queues)):
            try:
                found = ask()
            except (Error, redis.RedisError, broker.NoAnswer) as error:
                if isinstance(error, Error):
                    connection.close()
                found = []
                up.add_metric([part], 0)
            else:
                up.add_metric([part], 1)
            yield from found
        yield up
        version = GaugeMetricFamily("bakedbrie_build", "The version that answers.", labels=["version"])
        version.add_metric([VERSION], 1)
        yield version


def _work() -> list[Metric]:
    return [*_turns(), *_deliveries(), *_decisions(), *_folders()]


def _turns() -> list[Metric]:
    turns = open_turns()
    open_ = GaugeMetricFamily("bakedbrie_turns_open", "Turns whose card has not gone on, by state.", labels=["state"])
    made = GaugeMetricFamily(
        "bakedbrie_turns_last_day", "Turns made within a day, by the state they are in now.", labels=["state"]
    )
    of_the_day = turns_made_since(clock.now() - timedelta(days=1))
    for state in TurnState:
        open_.add_metric([state.value], turns.by_state.get(state, 0))
        made.add_metric([state.value], of_the_day.get(state, 0))
    oldest = GaugeMetricFamily(
        "bakedbrie_turn_oldest_queued_seconds", "Age of the oldest queued turn.", value=turns.oldest_queued_s
    )
    return [open_, made, oldest]


def _deliveries() -> list[Metric]:
    deliveries = open_deliveries()
    open_ = GaugeMetricFamily(
        "bakedbrie_deliveries_open", "Deliveries whose card does not show their end, by state.", labels=["state"]
    )
    made = GaugeMetricFamily(
        "bakedbrie_deliveries_last_day", "Deliveries made within a day, by the state they are in now.", labels=["state"]
    )
    of_the_day = deliveries_made_since(clock.now() - timedelta(days=1))
    for state in DeliveryState:
        open_.add_metric([state.value], deliveries.by_state.get(state, 0))
        made.add_metric([state.value], of_the_day.get(state, 0))
    return [
        open_,
        made,
        _one("delivery_oldest_waiting_seconds", "Age of the oldest open delivery.", deliveries.oldest_waiting_s),
        _one("destinations_failing", "Destinations that failed last.", sum(failing_destinations().values())),
    ]


def _decisions() -> list[Metric]:
    reviews, asks = open_reviews(), open_asks()
    made = GaugeMetricFamily("bakedbrie_decisions_last_day", "Decisions within a day, by kind.", labels=["decision"])
    of_the_day = decisions_made_since(clock.now() - timedelta(days=1))
    for verdict in Verdict:
        made.add_metric([verdict.value], of_the_day.get(verdict, 0))
    return [
        _one("reviews_open", "Reviews that nobody has decided yet.", reviews.count),
        _one("review_oldest_open_seconds", "Age of the oldest review that is open.", reviews.oldest_s),
        made,
        _one("asks_open", "Questions of agents that nobody has answered yet.", asks.count),
        _one("ask_oldest_open_seconds", "Age of the oldest question that is open.", asks.oldest_s),
    ]


def _folders() -> list[Metric]:
    work = folder_work()
    steps = GaugeMetricFamily("bakedbrie_folder_steps_open", "Steps of work folders, by state.", labels=["state"])
    for state in (CallState.QUEUED, CallState.SENDING):
        steps.add_metric([state.value], work.by_state.get(state, 0))
    failing, shut = sum(work.failing.values()), sum(failing_folders().values())
    return [
        steps,
        _one("folder_step_oldest_queued_seconds", "Age of the oldest queued step.", work.oldest_queued_s),
        _one("folder_files_failing", "Files of work folders whose last step failed.", failing),
        _one("work_folders_failing", "Work folders whose bucket could not be looked into.", shut),
    ]


def _one(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(f"bakedbrie_{name}", meaning, value=value)


def _signs() -> list[Metric]:
    signs = GaugeMetricFamily(
        "bakedbrie_sign_seconds",
        "Since when beat has sent no tick, a worker has not shown itself, and no sweep was done.",
        labels=["sign"],
    )
    for sign, age_s in presence.ages_s().items():
        signs.add_metric([sign.value], float("inf") if age_s is None else age_s)
    return [signs]


def _queues() -> list[Metric]:
    waiting = GaugeMetricFamily("bakedbrie_queue_jobs", "Jobs that wait in the broker.", labels=["queue"])
    for queue, depth in broker.depths().items():
        waiting.add_metric([queue], depth)
    return [waiting]
