"""The page of a board with 1,000 cards and 50,000 rows of history, beside the SQL it needs, run bare.

Run: python -m bench.board_page
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING

from bench.stack import running_stack

if TYPE_CHECKING:
    from boards.models import Board
    from workspaces.caller import Caller

CARDS = 1_000
EVENTS_PER_CARD = 50
ROUNDS = 60
WARM_UP = 5


def main() -> None:
    with running_stack():
        # Imported here: the models need the settings, and those the addresses of what was just started.
        from tests.factories.boards import make_board  # noqa: PLC0415
        from tests.factories.workspaces import make_workspace  # noqa: PLC0415

        caller = make_workspace()
        board = make_board(caller)
        _fill(caller, board)
        page = _page(caller, board)
        statements = _statements(page)

        samples = [(_bare(statements), _timed(page)) for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
        sql, whole = [one for one, _ in samples], [other for _, other in samples]
        slow = quantiles(whole, n=20)[-1]
        print(f"its SQL, bare          {median(sql) * 1000:8.1f} ms   ({len(statements)} statements)")
        print(f"the page               {median(whole) * 1000:8.1f} ms   (95 of 100: {slow * 1000:.1f})")
        print(f"ratio                  {median(whole) / median(sql):8.1f}   (medians of {ROUNDS})")


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
    CardPlace.objects.bulk_create(
        CardPlace(card=card, stage=card.stage, position=(n + 1) * GAP) for n, card in enumerate(cards)
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


def _bare(statements: list[str]) -> float:
    from django.db import connection  # noqa: PLC0415

    began = perf_counter()
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            cursor.fetchall()
    return perf_counter() - began


def _timed(page: Callable[[], None]) -> float:
    began = perf_counter()
    page()
    return perf_counter() - began


if __name__ == "__main__":
    main()
