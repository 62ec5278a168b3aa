"""How long a card takes from the move to the claim of its turn, beside a no-op task from sending to its end.

Run: python -m bench.move_to_claimed
"""

from __future__ import annotations

from statistics import median
from time import perf_counter, time

from bench.stack import broker, running_stack, until

ROUNDS = 40
WARM_UP = 5


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
            until(lambda: turns.filter(finished_at__isnull=False).exists())
            sent_at = turns.get().sent_at
            assert sent_at is not None
            return sent_at.timestamp() - began

        samples = [(run_noop(), run_move()) for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
        noop, move = median(one for one, _ in samples), median(other for _, other in samples)
        print(f"no-op, sent to done    {noop * 1000:8.1f} ms")
        print(f"move to turn claimed   {move * 1000:8.1f} ms")
        print(f"ratio                  {move / noop:8.1f}   (medians of {ROUNDS})")


if __name__ == "__main__":
    main()
