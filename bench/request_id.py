"""What a request_id costs: the same comment over REST, with one and without, in turns.

Run: python -m bench.request_id
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter

from bench.stack import running_stack

ROUNDS = 300
WARM_UP = 30


def main() -> None:
    with running_stack():
        # Imported here: the models need the settings, and those the addresses of what was just started.
        from django.conf import settings  # noqa: PLC0415
        from django.db import connection  # noqa: PLC0415
        from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

        from bakedbrie.lib import ids  # noqa: PLC0415
        from tests.factories.boards import make_board, make_card  # noqa: PLC0415
        from tests.factories.workspaces import make_workspace  # noqa: PLC0415
        from tests.support.cast import api  # noqa: PLC0415

        settings.ALLOWED_HOSTS.append("testserver")
        caller = make_workspace()
        client, board = api(caller), make_board(caller)
        cards = {way: make_card(caller, board) for way in ("with", "without")}

        def post(way: str) -> None:
            given = {"request_id": str(ids.new_id())} if way == "with" else {}
            body = {"card_id": str(cards[way].pk), "text": "As told.", **given}
            answer = client.post("/api/v1/tools/add_comment", body, format="json")
            assert answer.status_code == 200, answer.content

        def statements(way: str) -> int:
            with CaptureQueriesContext(connection) as seen:
                post(way)
            return len(seen)

        samples = [(_timed(post, "without"), _timed(post, "with")) for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
        without, having = [one for one, _ in samples], [other for _, other in samples]
        more = median(having) - median(without)
        print(f"without a request_id   {median(without) * 1000:8.2f} ms   ({statements('without')} statements)")
        print(f"with a request_id      {median(having) * 1000:8.2f} ms   ({statements('with')} statements)")
        print(
            f"it costs               {more * 1000:8.2f} ms   (p95 of the calls: {_p95(without)} and {_p95(having)} ms)"
        )
        print(f"ratio                  {median(having) / median(without):8.2f}      (medians of {ROUNDS}, alternating)")


def _timed(post: Callable[[str], None], way: str) -> float:
    began = perf_counter()
    post(way)
    return perf_counter() - began


def _p95(samples: list[float]) -> str:
    return f"{quantiles(samples, n=20)[-1] * 1000:.1f}"


if __name__ == "__main__":
    main()
