"""How long a card takes from the move to the claim of its turn, beside a no-op task from sending to its end.

Run: python -m bench.move_to_claimed
"""

from __future__ import annotations

from statistics import median, quantiles
from time import perf_counter, time

from bench.stack import broker, running_stack, until

ROUNDS = 150
WARM_UP = 20
P50_MS, P99_MS = 100, 500


def main() -> None:
    with running_stack() as provider:
        # Imported here: the models need the settings, and those the addresses of what was just started.
        from agents.models import Turn  # noqa: PLC0415
        from bakedbrie.celery import app  # noqa: PLC0415
        from bench.noop import KEY, TASK  # noqa: PLC0415
        from tests.factories.boards import make_card  # noqa: PLC0415
        from tests.factories.workflows import make_line  # noqa: PLC0415
        from tests.factories.workspaces import make_workspace  # noqa: PLC0415
        from workflows.services.moves import move_card, preview_move  # noqa: PLC0415

        line, queue = make_line(make_workspace(), provider), broker()

        def run_noop() -> float:
            began = perf_counter()
            app.signature(TASK).apply_async()
            queue.blpop([KEY])
            return perf_counter() - began

        def run_move() -> float:
            card = make_card(line.caller, line.board)
            preview = preview_move(line.caller, card=card, stage=line.doing)
            began = time()
            move_card(line.caller, card=card, stage=line.doing, preview_hash=preview.preview_hash)
            turns = Turn.objects.filter(card=card)
            until(lambda: turns.filter(finished_at__isnull=False).exists(), every_s=0.01)
            sent_at = turns.get().sent_at
            assert sent_at is not None
            return sent_at.timestamp() - began

        samples = [(run_noop(), run_move()) for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
        noop, moves = median(one for one, _ in samples), [other for _, other in samples]
        slowest = quantiles(moves, n=100)[-1]
        print(f"no-op, sent to done       {noop * 1000:8.1f} ms")
        print(f"move to claimed, p50      {median(moves) * 1000:8.1f} ms   (at most {P50_MS})")
        print(f"move to claimed, p99      {slowest * 1000:8.1f} ms   (at most {P99_MS})")
        print(f"ratio of the medians      {median(moves) / noop:8.1f}      ({ROUNDS} moves, alternating)")


if __name__ == "__main__":
    main()
