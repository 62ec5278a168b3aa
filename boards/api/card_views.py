"""Cards over REST. They are created and moved through the tools, which start what a move starts."""

from __future__ import annotations

from rest_framework.fields import IntegerField
from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.toolkit.inputs import parse, parse_query
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.operation import Operation, Shape
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_card, get_owner
from boards.inputs import EditCardIn, ListCardsIn
from boards.models import Card
from boards.selectors.cards import card_parts, list_cards, list_comments, results_of, rounds_of
from boards.serializers import (
    CardFileSerializer,
    CardRowSerializer,
    CardSerializer,
    CommentSerializer,
    IterationSerializer,
    ResultSerializer,
)
from boards.services.cards import edit_card
from workspaces.api.views import CallerView
from workspaces.caller import Caller

_CARD: Shape = {
    "card": CardSerializer(),
    "comments": CommentSerializer(many=True),
    "comments_total": IntegerField(),
    "files": CardFileSerializer(many=True),
    "rounds": IterationSerializer(many=True),
    "results": ResultSerializer(many=True),
}


def _show(caller: Caller, card: Card) -> Answer:
    parts = card_parts(caller, card)
    return {
        "card": CardSerializer(card).data,
        "comments": show_rows(CommentSerializer(), parts.comments),
        "comments_total": parts.comments_total,
        "files": show_rows(CardFileSerializer(), parts.files),
        "rounds": show_rows(IterationSerializer(), parts.rounds),
        "results": show_rows(ResultSerializer(), parts.results),
    }


class CardsView(CallerView):
    @Operation("List cards", query=ListCardsIn, answer={"cards": CardRowSerializer(many=True)})
    def get(self, request: Request) -> Response:
        given = parse_query(ListCardsIn, request.query_params.dict())
        found = list_cards(self.caller, given)
        return self.answer({"cards": show_rows(CardRowSerializer(), found.items), "next_cursor": found.next_cursor})


class CardView(CallerView):
    @Operation("Read a card with what is on it", answer=_CARD)
    def get(self, request: Request, card_id: str) -> Response:
        return self.answer(_show(self.caller, get_card(self.caller, card_id)))

    @Operation("Edit a card", body=EditCardIn, answer=_CARD)
    def patch(self, request: Request, card_id: str) -> Response:
        given = parse(EditCardIn, request.data)
        return self.once(lambda: self._edit(card_id, given), body=request.data)

    def _edit(self, card_id: str, given: EditCardIn) -> Answer:
        card = get_card(self.caller, card_id)
        owner = get_owner(self.caller, card.board, given.owner) if given.owner else None
        return _show(
            self.caller,
            edit_card(
                self.caller,
                card=card,
                expected_revision=given.expected_revision,
                title=given.title,
                brief=given.brief,
                owner=owner,
            ),
        )


class CardCommentsView(CallerView):
    @Operation(
        "List a card's comments, newest first", query=PageInput, answer={"comments": CommentSerializer(many=True)}
    )
    def get(self, request: Request, card_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        found = list_comments(get_card(self.caller, card_id), cursor=given.cursor, limit=given.limit)
        return self.answer({"comments": show_rows(CommentSerializer(), found.items), "next_cursor": found.next_cursor})


class CardRoundsView(CallerView):
    @Operation(
        "List a card's rounds of work, newest first", query=PageInput, answer={"rounds": IterationSerializer(many=True)}
    )
    def get(self, request: Request, card_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        rounds = rounds_of(get_card(self.caller, card_id))
        found = page(rounds, cursor=given.cursor, limit=given.limit, order=("-n",))
        return self.answer({"rounds": show_rows(IterationSerializer(), found.items), "next_cursor": found.next_cursor})


class CardResultsView(CallerView):
    @Operation("List a card's results, newest first", query=PageInput, answer={"results": ResultSerializer(many=True)})
    def get(self, request: Request, card_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        results = results_of(get_card(self.caller, card_id))
        found = page(results, cursor=given.cursor, limit=given.limit, order=("-id",))
        return self.answer({"results": show_rows(ResultSerializer(), found.items), "next_cursor": found.next_cursor})
