"""set_work_folder."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from boards.access import get_board
from reviews.inputs import SetWorkFolderIn
from reviews.serializers import WorkFolderSerializer
from reviews.services.folders import plan_from, set_work_folder
from workspaces.caller import Caller


def set_work_folder_tool(caller: Caller, given: SetWorkFolderIn) -> Answer:
    board = get_board(caller, given.board_id)
    plan = plan_from(caller, board=board, given=given)
    folder = set_work_folder(caller, board=board, plan=plan, confirm=given.confirm or False)
    return {"work_folder": WorkFolderSerializer(folder).data}


SET_WORK_FOLDER = Tool[Caller](
    name="set_work_folder",
    title="Set the work folder of a board",
    description=(
        "Sets where a board's files wait while work is in progress: a bucket of the user's own (a destination of kind "
        "s3), or BakedBrie storage while hosted_work_folder is on. It turns reviews on: what an agent makes waits in "
        "Needs review/ until a person decides. Optionally names the one reviewer whose decision counts. Refuses with "
        "CONFIRMATION_NEEDED first: show the user what 'confirm' says will change, and if they agree send confirm: "
        "true. Board managers only."
    ),
    input=SetWorkFolderIn,
    handler=set_work_folder_tool,
    effect=Effect.WRITE,
    capabilities=("reviews",),
)
