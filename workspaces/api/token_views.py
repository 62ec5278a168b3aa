"""Tokens over REST: list and revoke one's own. Minting is for people, in the web app."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from workspaces.access import get_token
from workspaces.api.views import CallerView
from workspaces.selectors import tokens_of
from workspaces.serializers import TokenSerializer
from workspaces.services.tokens import revoke_token


class TokensView(CallerView):
    @Operation("List your own tokens, newest first", query=PageInput, answer={"tokens": TokenSerializer(many=True)})
    def get(self, request: Request) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        found = page(tokens_of(self.caller), cursor=given.cursor, limit=given.limit, order=("-id",))
        tokens = show_rows(TokenSerializer(), found.items)
        return self.answer({"tokens": tokens, "next_cursor": found.next_cursor})


class RevokeTokenView(CallerView):
    @Operation("Revoke a token", answer={"token": TokenSerializer()})
    def post(self, request: Request, token_id: str) -> Response:
        return self.once(lambda: self._revoke(token_id))

    def _revoke(self, token_id: str) -> dict[str, object]:
        token = revoke_token(self.caller, token=get_token(self.caller, token_id))
        return {"token": TokenSerializer(token).data}
