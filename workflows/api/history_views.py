"""History over REST: what happened, newest first, each event with its sentence as read_card tells it."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import Page, PageInput
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board, get_card
from boards.models import BoardEvent
from boards.selectors.events import board_history, card_history
from workflows.serializers import StorySerializer
from workspaces.api.views import CallerView


class BoardEventsView(CallerView):
    @Operation(
        "List what happened on a board and its cards, newest first",
        query=PageInput,
        answer={"events": StorySerializer(many=True)},
    )
    def get(self, request: Request, board_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        board = get_board(self.caller, board_id)
        return self.answer(_show(board_history(board, cursor=given.cursor, limit=given.limit)))


class CardEventsView(CallerView):
    @Operation(
        "List what happened to a card, newest first", query=PageInput, answer={"events": StorySerializer(many=True)}
    )
    def get(self, request: Request, card_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        card = get_card(self.caller, card_id)
        return self.answer(_show(card_history(card, cursor=given.cursor, limit=given.limit)))


def _show(found: Page[BoardEvent]) -> Answer:
    return {"events": show_rows(StorySerializer(), found.items), "next_cursor": found.next_cursor}
