"""The page of a board with 1,000 cards and 50,000 rows of history: beside the SQL it needs, run bare, and beside ten
turns on the same board whose model writes four times a second each.

Run: python -m bench.board_page
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING

from bench.stack import bare_s, running_stack, until
from tests.support.fake_service import Received, Script, streaming
from tests.support.fake_streams import stream_of

if TYPE_CHECKING:
    from boards.models import Board
    from tests.factories.workflows import Line
    from workspaces.caller import Caller

CARDS = 1_000
EVENTS_PER_CARD = 50
TURNS = 10
BLOCKS = 2
ROUNDS = 30
WARM_UP = 5
P95_MS, MOST_RATIO = 150, 2


def main() -> None:
    with running_stack() as provider:
        # Imported here: the models need the settings, and those the addresses of what was just started.
        from tests.factories.workflows import make_line  # noqa: PLC0415
        from tests.factories.workspaces import make_workspace  # noqa: PLC0415

        caller = make_workspace()
        line = make_line(caller, provider)
        _fill(caller, line.board)
        page = _page(caller, line.board)
        statements = _statements(page)

        sql: list[float] = []
        alone: list[float] = []
        beside: list[float] = []
        for _ in range(BLOCKS):
            for bare, whole in [(bare_s(statements), _timed(page)) for _ in range(WARM_UP + ROUNDS)][WARM_UP:]:
                sql.append(bare)
                alone.append(whole)
            with _ten_turns(line):
                beside += [_timed(page) for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
                assert len(_statements(page)) == len(statements)
        print(f"its SQL, bare              {_ms(median(sql))}   ({len(statements)} statements)")
        print(f"the page, p50              {_ms(median(alone))}   ({median(alone) / median(sql):.1f} of its SQL)")
        print(f"the page, p95              {_ms(_p95(alone))}   (at most {P95_MS} ms)")
        print(f"beside {TURNS} turns, p50       {_ms(median(beside))}")
        print(f"beside {TURNS} turns, p95       {_ms(_p95(beside))}   (at most {P95_MS} ms)")
        print(f"p95 beside turns to alone  {_p95(beside) / _p95(alone):8.2f}      (at most {MOST_RATIO})")
        print(f"{BLOCKS} times {ROUNDS} pages each, alternating")


@contextmanager
def _ten_turns(line: Line) -> Iterator[None]:
    """Let a model write on ten cards until the end of the block."""
    from agents.models import Turn  # noqa: PLC0415
    from workflows.services.cards import create_card  # noqa: PLC0415

    may_end = threading.Event()
    line.provider.handle_with(lambda asked: _slow(asked, may_end))
    for n in range(TURNS):
        create_card(line.caller, board=line.board, stage=line.doing, title=f"Running {n}")
    until(lambda: Turn.objects.filter(state="sending").count() == TURNS, every_s=0.05)
    try:
        yield
    finally:
        may_end.set()
        until(lambda: not Turn.objects.filter(finished_at__isnull=True).exists(), every_s=0.05)


def _slow(_asked: Received, may_end: threading.Event) -> Script:
    def events() -> Iterator[bytes]:
        start, block, *written = stream_of("anthropic", "Word after word. ")
        yield start
        yield block
        opened, *words = written[:-3]
        yield opened
        while not may_end.wait(0.25):
            yield words[0]
        yield from written[-3:]

    return streaming(events(), headers={"Content-Type": "text/event-stream; charset=utf-8"})


def _fill(caller: Caller, board: Board) -> None:
    from django.db import connection  # noqa: PLC0415

    from boards.models import BoardEvent, Card, CardPlace  # noqa: PLC0415
    from boards.services.placing import GAP  # noqa: PLC0415
    from boards.states import EventKind  # noqa: PLC0415

    stages, actor = list(board.stages.all()), caller.actor
    cards = Card.objects.bulk_create(
        Card(board=board, stage=stages[n % 3], title=f"Card {n}", brief="Words. " * 60, owner=actor, created_by=actor)
        for n in range(CARDS)
    )
    # From 2 on: the line has a card of its own in the first column.
    CardPlace.objects.bulk_create(
        CardPlace(card=card, stage=card.stage, position=n * GAP) for n, card in enumerate(cards, 2)
    )
    events = (
        BoardEvent(board=board, card=card, kind=EventKind.CARD_EDITED, actor=actor)
        for card in cards
        for _ in range(EVENTS_PER_CARD)
    )
    BoardEvent.objects.bulk_create(events, batch_size=5_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _page(caller: Caller, board: Board) -> Callable[[], None]:
    from django.conf import settings  # noqa: PLC0415

    from tests.support.cast import browser  # noqa: PLC0415

    settings.ALLOWED_HOSTS.append("testserver")
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    client = browser(caller)

    def get() -> None:
        assert client.get(f"/boards/{board.pk}/").status_code == 200

    return get


def _statements(page: Callable[[], None]) -> list[str]:
    from django.db import connection  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    with CaptureQueriesContext(connection) as captured:
        page()
    return [query["sql"] for query in captured.captured_queries if query["sql"].startswith("SELECT")]


def _timed(page: Callable[[], None]) -> float:
    began = perf_counter()
    page()
    return perf_counter() - began


def _p95(samples: list[float]) -> float:
    return quantiles(samples, n=20)[-1]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:8.1f} ms"


if __name__ == "__main__":
    main()
