"""Turns over REST, to read: what agents did on a card, what they were asked, and what each call cost."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from agents.access import get_turn
from agents.selectors import turns_of
from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_card
from workflows.selectors.cards import read_turn
from workflows.serializers import TranscriptSerializer, TurnSerializer
from workspaces.access import require_capability
from workspaces.api.views import CallerView


class CardTurnsView(CallerView):
    @Operation(
        "List the turns of agents on a card, newest first",
        query=PageInput,
        answer={"turns": TurnSerializer(many=True)},
    )
    def get(self, request: Request, card_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        turns = turns_of(get_card(self.caller, card_id))
        found = page(turns, cursor=given.cursor, limit=given.limit, order=("-id",))
        return self.answer({"turns": show_rows(TurnSerializer(), found.items), "next_cursor": found.next_cursor})


class TurnView(CallerView):
    @Operation("Read a turn: its transcript and its calls", answer={"turn": TranscriptSerializer()})
    def get(self, request: Request, turn_id: str) -> Response:
        require_capability(self.caller, "agents")
        turn = read_turn(get_turn(self.caller, turn_id))
        return self.answer({"turn": TranscriptSerializer(turn).data})
