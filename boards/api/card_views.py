"""Cards over REST. They are created and moved through the tools, which start what a move starts."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import PageInput
from bakedbrie.lib.toolkit.inputs import parse, parse_query
from bakedbrie.lib.toolkit.tool import Answer
from boards.access import get_card, get_owner
from boards.inputs import EditCardIn, ListCardsIn
from boards.models import Card
from boards.selectors.cards import card_parts, list_cards, list_comments
from boards.selectors.events import card_history
from boards.serializers import (
    CardFileSerializer,
    CardRowSerializer,
    CardSerializer,
    CommentSerializer,
    EventSerializer,
    IterationSerializer,
    ResultSerializer,
    show_rows,
)
from boards.services.cards import edit_card
from workspaces.api.views import CallerView
from workspaces.caller import Caller


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
    def get(self, request: Request) -> Response:
        given = parse_query(ListCardsIn, request.query_params.dict())
        found = list_cards(self.caller, given)
        return self.answer({"cards": show_rows(CardRowSerializer(), found.items), "next_cursor": found.next_cursor})


class CardView(CallerView):
    def get(self, request: Request, card_id: str) -> Response:
        return self.answer(_show(self.caller, get_card(self.caller, card_id)))

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
    """Every comment, newest first."""

    def get(self, request: Request, card_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        found = list_comments(get_card(self.caller, card_id), cursor=given.cursor, limit=given.limit)
        return self.answer({"comments": show_rows(CommentSerializer(), found.items), "next_cursor": found.next_cursor})


class CardEventsView(CallerView):
    """What happened to the card, newest first."""

    def get(self, request: Request, card_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        found = card_history(get_card(self.caller, card_id), cursor=given.cursor, limit=given.limit)
        return self.answer({"events": show_rows(EventSerializer(), found.items), "next_cursor": found.next_cursor})
