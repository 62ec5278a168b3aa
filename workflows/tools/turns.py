"""manage_turn."""

from __future__ import annotations

from agents.access import get_turn
from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from workflows.inputs import ManageTurnIn
from workflows.selectors.cards import read_turn
from workflows.serializers import TranscriptSerializer, TurnSerializer
from workflows.services.turns import run_again, stop_turn
from workspaces.caller import Caller


def manage_turn(caller: Caller, given: ManageTurnIn) -> Answer:
    turn = get_turn(caller, given.turn_id)
    if given.action == "read":
        return {"turn": TranscriptSerializer(read_turn(turn)).data}
    if given.action == "stop":
        return {"turn": TurnSerializer(read_turn(stop_turn(caller, turn=turn))).data}
    again = run_again(caller, turn=turn, confirm=given.confirm is True)
    return {"turn": TurnSerializer(read_turn(again)).data}


MANAGE_TURN = Tool[Caller](
    name="manage_turn",
    title="Read, stop or repeat a turn",
    description=(
        "A turn is one piece of work of an agent on a card. read shows its state, what it was given, its reply, "
        "tokens and cost, in asks what waits for a person to answer at its url, and while it runs, in written, what "
        "came so far. stop ends it: before it was sent at once and without cost; while it runs by closing its "
        "connection, and its cost may then stay unknown. run_again repeats the newest turn of a card after it failed, "
        "was refused, canceled or became unknown, in the same round, with today's agent and AI account. After unknown "
        "the earlier one may have been paid for: ask the user, then send confirm: true."
    ),
    input=ManageTurnIn,
    handler=manage_turn,
    effect=Effect.WRITE,
    reads=frozenset({"read"}),
    capabilities=("agents",),
)
