"""list_results and get_output."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from workflows.inputs import ListResultsIn, OutputIn
from workflows.result_serializers import ResultsSerializer, show_output
from workflows.selectors.outputs import get_output
from workflows.selectors.results import list_results
from workspaces.caller import Caller


def list_results_tool(caller: Caller, given: ListResultsIn) -> Answer:
    return ResultsSerializer(list_results(caller, given)).data


def get_output_tool(caller: Caller, given: OutputIn) -> Answer:
    return {"output": show_output(caller, get_output(caller, given.output_id), given.form)}


LIST_RESULTS = Tool[Caller](
    name="list_results",
    title="List results",
    description=(
        "Lists finished cards with what they produced, newest card first, receipts of their deliveries and approved "
        "files. The first page also has followups: deliveries that went wrong, reviews and questions that wait."
    ),
    input=ListResultsIn,
    handler=list_results_tool,
    effect=Effect.READ,
    capabilities=("destinations",),
)
GET_OUTPUT = Tool[Caller](
    name="get_output",
    title="Read an output",
    description=(
        "Gives a result, a card's file or a reviewed file by its id: as source its text, up to 64 KiB; as link an "
        "address that downloads it for five minutes without a token."
    ),
    input=OutputIn,
    handler=get_output_tool,
    effect=Effect.READ,
    capabilities=("media",),
)
