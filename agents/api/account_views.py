"""AI accounts over REST, to read, each with what it pays for. They are connected and bound through the tools."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from agents.access import get_account
from agents.selectors import accounts_with_spending
from agents.serializers import BoundAiAccountSerializer
from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from workspaces.access import require_capability
from workspaces.api.views import CallerView


class AiAccountsView(CallerView):
    @Operation(
        "List AI accounts with what they pay for",
        query=PageInput,
        answer={"ai_accounts": BoundAiAccountSerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        require_capability(self.caller, "ai_accounts")
        accounts = accounts_with_spending(self.caller)
        found = page(accounts, cursor=given.cursor, limit=given.limit, order=("id",))
        shown = show_rows(BoundAiAccountSerializer(), found.items)
        return self.answer({"ai_accounts": shown, "next_cursor": found.next_cursor})


class AiAccountView(CallerView):
    @Operation("Read an AI account with what it pays for", answer={"ai_account": BoundAiAccountSerializer()})
    def get(self, request: Request, account_id: str) -> Response:
        require_capability(self.caller, "ai_accounts")
        account = get_account(self.caller, account_id)
        whole = accounts_with_spending(self.caller).get(pk=account.pk)
        return self.answer({"ai_account": BoundAiAccountSerializer(whole).data})
