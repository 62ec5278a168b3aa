"""redeliver."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from destinations.access import get_delivery
from destinations.inputs import RedeliverIn
from destinations.selectors.deliveries import read_delivery
from destinations.serializers import DeliverySerializer
from destinations.services.deliveries import redeliver
from workspaces.caller import Caller


def _redeliver(caller: Caller, given: RedeliverIn) -> Answer:
    begun = redeliver(caller, delivery=get_delivery(caller, given.delivery_id))
    return {"delivery": DeliverySerializer(read_delivery(begun)).data}


REDELIVER = Tool[Caller](
    name="redeliver",
    title="Deliver again",
    description=(
        "Begins a delivery again that failed or whose outcome is unknown, under its own idempotency key and paths. "
        "Each file looks first whether the same bytes are there already; then nothing is sent. Something else at a "
        "path is never written over: PATH_TAKEN. Use it after mending what the delivery's code names, or to clear up "
        "an unknown outcome. It goes on by itself; read the card for how it ended."
    ),
    input=RedeliverIn,
    handler=_redeliver,
    effect=Effect.WRITE,
    capabilities=("destinations",),
)
