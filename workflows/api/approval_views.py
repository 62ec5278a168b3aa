"""What agents ask, over REST: read it, answer it, and take back an answer that stands."""

from __future__ import annotations

from rest_framework.fields import BooleanField, UUIDField
from rest_framework.request import Request
from rest_framework.response import Response

from agents.access import approvals_of, get_agent, get_approval, get_permit
from agents.inputs import AnswerApprovalIn, ListApprovalsIn
from agents.selectors import permits_of
from agents.serializers import ApprovalSerializer, PermitSerializer
from agents.services.approvals import withdraw_permit
from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.toolkit.inputs import parse, parse_query
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board
from workflows.services.approvals import answer_approval, as_it_is_now
from workspaces.access import require_capability
from workspaces.api.views import CallerView


class ApprovalsView(CallerView):
    @Operation(
        "List what agents ask, newest first",
        query=ListApprovalsIn,
        answer={"approvals": ApprovalSerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        given = parse_query(ListApprovalsIn, request.query_params.dict())
        require_capability(self.caller, "agents")
        approvals = approvals_of(self.caller)
        if given.board_id is not None:
            approvals = approvals.filter(card__board=get_board(self.caller, given.board_id))
        if given.state is not None:
            approvals = approvals.filter(state=given.state)
        found = page(approvals, cursor=given.cursor, limit=given.limit, order=("-id",))
        shown = show_rows(ApprovalSerializer(), found.items)
        return self.answer({"approvals": shown, "next_cursor": found.next_cursor})


class ApprovalView(CallerView):
    """An open question is shown with what it is about now, and the hash to answer it with."""

    @Operation("Read what an agent asks", answer={"approval": ApprovalSerializer()})
    def get(self, request: Request, approval_id: str) -> Response:
        approval = as_it_is_now(get_approval(self.caller, approval_id))
        return self.answer({"approval": ApprovalSerializer(approval).data})


class AnswerApprovalView(CallerView):
    """A person's decision: send it only on their word, for exactly what they were shown."""

    @Operation("Answer what an agent asks, once", body=AnswerApprovalIn, answer={"approval": ApprovalSerializer()})
    def post(self, request: Request, approval_id: str) -> Response:
        given = parse(AnswerApprovalIn, request.data)
        return self.once(lambda: self._answer(approval_id, given), body=request.data)

    def _answer(self, approval_id: str, given: AnswerApprovalIn) -> Answer:
        approval = get_approval(self.caller, approval_id)
        answered = answer_approval(self.caller, approval=approval, answer=given.answer, input_hash=given.input_hash)
        return {"approval": ApprovalSerializer(answered).data}


class AgentPermitsView(CallerView):
    @Operation(
        "List the answers that stand for an agent, newest first",
        query=PageInput,
        answer={"permits": PermitSerializer(many=True)},
    )
    def get(self, request: Request, agent_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        require_capability(self.caller, "agents")
        permits = permits_of(get_agent(self.caller, agent_id))
        found = page(permits, cursor=given.cursor, limit=given.limit, order=("-id",))
        return self.answer({"permits": show_rows(PermitSerializer(), found.items), "next_cursor": found.next_cursor})


class PermitView(CallerView):
    @Operation(
        "Let the agent ask again where an earlier answer stood",
        answer={"permit_id": UUIDField(), "removed": BooleanField()},
    )
    def delete(self, request: Request, permit_id: str) -> Response:
        return self.once(lambda: self._withdraw(permit_id))

    def _withdraw(self, permit_id: str) -> Answer:
        permit = get_permit(self.caller, permit_id)
        withdraw_permit(self.caller, permit=permit)
        return {"permit_id": permit_id, "removed": True}
