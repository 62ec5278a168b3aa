"""redeliver."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from destinations.access import get_delivery
from destinations.inputs import RedeliverIn
from destinations.selectors.deliveries import read_delivery
from destinations.serializers import DeliverySerializer
from workflows.services.redelivering import deliver_again
from workspaces.caller import Caller


def _redeliver(caller: Caller, given: RedeliverIn) -> Answer:
    delivery = get_delivery(caller, given.delivery_id)
    begun = deliver_again(caller, delivery=delivery, preview_hash=given.preview_hash)
    return {"delivery": DeliverySerializer(read_delivery(begun)).data}


REDELIVER = Tool[Caller](
    name="redeliver",
    title="Deliver again",
    description=(
        "Begins a delivery again that failed or whose outcome is unknown, under its own idempotency key and paths. "
        "Before a file is sent, its path is looked at: the same bytes count as sent already. Something else at a "
        "path is never written over: PATH_TAKEN. Use it after mending what the delivery's code names, or to clear up "
        "an unknown outcome. DESTINATION_CHANGED: the destination leads elsewhere than when this was decided; show the "
        "user target and paths, and send preview_hash only on their word. Read the card for how it ended."
    ),
    input=RedeliverIn,
    handler=_redeliver,
    effect=Effect.WRITE,
    capabilities=("destinations",),
)
