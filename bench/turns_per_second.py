"""How many whole turns a worker finishes in a second, beside how many no-op tasks.

Each turn is a card in a rule's column, a call to a model that answers at once, a result, and a move to Done.
Run: python -m bench.turns_per_second
"""

from __future__ import annotations

from statistics import median
from time import perf_counter

from bench.stack import THREADS, broker, running_stack, until

TURNS = 200
NOOPS = 1000
ROUNDS = 3


def main() -> None:
    with running_stack() as provider:
        # Imported here: the models need the settings, and those the addresses of what was just started.
        from agents.models import Turn  # noqa: PLC0415
        from bakedbrie.celery import app  # noqa: PLC0415
        from bench.noop import KEY, TASK  # noqa: PLC0415
        from tests.factories.workflows import make_line  # noqa: PLC0415
        from tests.factories.workspaces import caller_of, make_workspace  # noqa: PLC0415
        from workflows.services.cards import create_card  # noqa: PLC0415
        from workspaces.services.dispatch import pause_dispatch, resume_dispatch  # noqa: PLC0415

        owner, queue = make_workspace(), broker()
        line = make_line(owner, provider)

        def noops_per_second() -> float:
            queue.delete(KEY)
            began = perf_counter()
            for _ in range(NOOPS):
                app.signature(TASK).apply_async()
            until(lambda: queue.llen(KEY) == NOOPS)
            return NOOPS / (perf_counter() - began)

        def turns_per_second() -> float:
            pause_dispatch(caller_of(owner.member), reason="Filling the column")
            caller = caller_of(owner.member)
            for n in range(TURNS):
                create_card(caller, board=line.board, stage=line.doing, title=f"Card {n}")
            began = perf_counter()
            resume_dispatch(caller)
            until(lambda: not Turn.objects.filter(finished_at__isnull=True).exists())
            return TURNS / (perf_counter() - began)

        samples = [(noops_per_second(), turns_per_second()) for _ in range(ROUNDS)]
        noops, turns = median(one for one, _ in samples), median(other for _, other in samples)
        print(f"no-op tasks a second   {noops:8.1f}")
        print(f"turns a second         {turns:8.1f}")
        print(f"no-ops for one turn    {noops / turns:8.1f}   (medians of {ROUNDS}, {THREADS} threads)")


if __name__ == "__main__":
    main()
