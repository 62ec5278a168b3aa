"""Putting a card into the trash and taking it back, over REST."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.operation import Operation
from boards.access import get_card
from boards.serializers import CardSerializer
from workflows.services.cards import restore_card, trash_card
from workspaces.api.views import CallerView


class TrashCardView(CallerView):
    @Operation("Put a card into the trash", answer={"card": CardSerializer()})
    def post(self, request: Request, card_id: str) -> Response:
        return self.once(lambda: self._trash(card_id))

    def _trash(self, card_id: str) -> Answer:
        return {"card": CardSerializer(trash_card(self.caller, card=get_card(self.caller, card_id))).data}


class RestoreCardView(CallerView):
    """What a published rule starts in the card's column starts, and its AI account pays."""

    @Operation("Take a card out of the trash", answer={"card": CardSerializer()})
    def post(self, request: Request, card_id: str) -> Response:
        return self.once(lambda: self._restore(card_id))

    def _restore(self, card_id: str) -> Answer:
        return {"card": CardSerializer(restore_card(self.caller, card=get_card(self.caller, card_id))).data}
