"""Rules and triggers over REST, to read. They are written and published through the tools."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import page
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from workflows.access import get_rule
from workflows.inputs import TriggersPageIn
from workflows.selectors.triggers import boards_with_triggers, rules_of_boards, with_backlogs
from workflows.serializers import RuleSerializer, TriggerSerializer
from workspaces.access import require_capability
from workspaces.api.views import CallerView


class TriggersView(CallerView):
    """What starts work, on one board or on all that the caller opens and that are not archived."""

    @Operation("List what starts work", query=TriggersPageIn, answer={"triggers": TriggerSerializer(many=True)})
    def get(self, request: Request) -> Response:
        given = parse_query(TriggersPageIn, request.query_params.dict())
        require_capability(self.caller, "triggers")
        rules = rules_of_boards(boards_with_triggers(self.caller, given.board_id))
        found = page(rules, cursor=given.cursor, limit=given.limit, order=("id",))
        shown = show_rows(TriggerSerializer(), with_backlogs(found.items))
        return self.answer({"triggers": shown, "next_cursor": found.next_cursor})


class RuleView(CallerView):
    @Operation("Read a rule", answer={"rule": RuleSerializer()})
    def get(self, request: Request, rule_id: str) -> Response:
        require_capability(self.caller, "triggers")
        return self.answer({"rule": RuleSerializer(get_rule(self.caller, rule_id)).data})
