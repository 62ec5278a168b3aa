"""Destinations and deliveries over REST, to read. They are changed through the tools."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_card
from destinations.access import get_delivery, get_destination
from destinations.selectors.deliveries import deliveries_of, read_delivery
from destinations.selectors.destinations import destinations_of
from destinations.serializers import DeliverySerializer, DestinationSerializer
from workspaces.access import require_capability
from workspaces.api.views import CallerView


class DestinationsView(CallerView):
    @Operation("List destinations", query=PageInput, answer={"destinations": DestinationSerializer(many=True)})
    def get(self, request: Request) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        require_capability(self.caller, "destinations")
        found = page(destinations_of(self.caller), cursor=given.cursor, limit=given.limit, order=("id",))
        shown = show_rows(DestinationSerializer(), found.items)
        return self.answer({"destinations": shown, "next_cursor": found.next_cursor})


class DestinationView(CallerView):
    @Operation("Read a destination", answer={"destination": DestinationSerializer()})
    def get(self, request: Request, destination_id: str) -> Response:
        require_capability(self.caller, "destinations")
        destination = get_destination(self.caller, destination_id)
        whole = destinations_of(self.caller).get(pk=destination.pk)
        return self.answer({"destination": DestinationSerializer(whole).data})


class CardDeliveriesView(CallerView):
    @Operation(
        "List the deliveries of a card, newest first",
        query=PageInput,
        answer={"deliveries": DeliverySerializer(many=True)},
    )
    def get(self, request: Request, card_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        require_capability(self.caller, "destinations")
        deliveries = deliveries_of(get_card(self.caller, card_id))
        found = page(deliveries, cursor=given.cursor, limit=given.limit, order=("-id",))
        shown = show_rows(DeliverySerializer(), found.items)
        return self.answer({"deliveries": shown, "next_cursor": found.next_cursor})


class DeliveryView(CallerView):
    @Operation("Read a delivery: its receipt", answer={"delivery": DeliverySerializer()})
    def get(self, request: Request, delivery_id: str) -> Response:
        require_capability(self.caller, "destinations")
        delivery = read_delivery(get_delivery(self.caller, delivery_id))
        return self.answer({"delivery": DeliverySerializer(delivery).data})
