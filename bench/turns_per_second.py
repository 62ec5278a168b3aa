"""How many whole turns a worker finishes in a second, beside how many no-op tasks, and how many two workers finish.

Each turn is a card in a rule's column, a call to a model on loopback that answers at once, a result, and a move to
Done. Messages are rung while the workers take none, so that only taking and doing them is measured.
Run: python -m bench.turns_per_second
"""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from bench.stack import THREADS, another_worker, broker, let_go_on, let_wait, running_stack, until

if TYPE_CHECKING:
    from tests.factories.workflows import Line

TURNS = 100
NOOPS = 500
ROUNDS = 3
AIM = 100


def main() -> None:
    with running_stack() as provider:
        # Imported here: the models need the settings, and those the addresses of what was just started.
        from tests.factories.workflows import make_line  # noqa: PLC0415
        from tests.factories.workspaces import make_workspace  # noqa: PLC0415

        line = make_line(make_workspace(), provider)
        turns_per_second(line)  # warms connections and plans
        alone = [(noops_per_second(), turns_per_second(line)) for _ in range(ROUNDS)]
        with another_worker("second"):
            turns_per_second(line)
            both = median(turns_per_second(line) for _ in range(ROUNDS))
        noops, turns = median(one for one, _ in alone), median(other for _, other in alone)
        print(f"no-op tasks a second           {noops:8.1f}")
        print(f"turns a second, one worker     {turns:8.1f}   ({100 * turns / noops:.0f} % of the no-ops)")
        print(f"turns a second, two workers    {both:8.1f}   (aim on two cores: {AIM})")
        print(f"medians of {ROUNDS}, {THREADS} threads a worker")


def noops_per_second() -> float:
    from bakedbrie.celery import app  # noqa: PLC0415
    from bench.noop import KEY, TASK  # noqa: PLC0415

    queue = broker()
    queue.delete(KEY)
    let_wait()
    for _ in range(NOOPS):
        app.signature(TASK).apply_async()
    began = perf_counter()
    let_go_on()
    until(lambda: queue.llen(KEY) == NOOPS)
    return NOOPS / (perf_counter() - began)


def turns_per_second(line: Line) -> float:
    from django.db.models import Max, Min  # noqa: PLC0415

    from agents.models import Turn  # noqa: PLC0415
    from tests.factories.workspaces import caller_of  # noqa: PLC0415
    from workflows.services.cards import create_card  # noqa: PLC0415

    let_wait()
    caller = caller_of(line.caller.member)
    for n in range(TURNS):
        create_card(caller, board=line.board, stage=line.doing, title=f"Card {n}")
    turns = Turn.objects.filter(finished_at__isnull=True)
    here = list(turns.values_list("pk", flat=True))
    let_go_on()
    until(lambda: not turns.exists(), every_s=0.05)
    span = Turn.objects.filter(pk__in=here).aggregate(first=Min("sent_at"), last=Max("finished_at"))
    seconds: float = (span["last"] - span["first"]).total_seconds()
    return TURNS / seconds


if __name__ == "__main__":
    main()
