"""Results and outputs over REST."""

from __future__ import annotations

from rest_framework.fields import BooleanField
from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.operation import Operation
from destinations.serializers import DeliverySerializer
from workflows.inputs import ListResultsIn, OutputFormIn
from workflows.result_serializers import (
    ApprovedFileSerializer,
    FinishedSerializer,
    FollowUpSerializer,
    ResultsSerializer,
    ShownOutputSerializer,
    show_output,
)
from workflows.selectors.outputs import get_output
from workflows.selectors.results import list_results
from workspaces.access import require_capability
from workspaces.api.views import CallerView


class ResultsView(CallerView):
    @Operation(
        "List finished cards with what came of them, the newest card first",
        query=ListResultsIn,
        answer={
            "cards": FinishedSerializer(many=True),
            "receipts": DeliverySerializer(many=True),
            "approved_files": ApprovedFileSerializer(many=True),
            "followups": FollowUpSerializer(many=True),
            "are_more_followups": BooleanField(),
        },
    )
    def get(self, request: Request) -> Response:
        given = parse_query(ListResultsIn, request.query_params.dict())
        require_capability(self.caller, "destinations")
        return self.answer(ResultsSerializer(list_results(self.caller, given)).data)


class OutputView(CallerView):
    """A link needs no token for a few minutes; a text is answered as it is."""

    @Operation("Get an output as a link or as its text", query=OutputFormIn, answer={"output": ShownOutputSerializer()})
    def get(self, request: Request, output_id: str) -> Response:
        given = parse_query(OutputFormIn, request.query_params.dict())
        found = get_output(self.caller, output_id)
        return self.answer({"output": show_output(self.caller, found, given.form)})
