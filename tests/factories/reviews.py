"""Work folders, and files in them, made the way the product makes them."""

from __future__ import annotations

from boards.contents import Content, round_contents
from boards.models import Board, Card, Result
from boards.services.rounds import keep_result, start_round
from reviews.models import FolderFile, WorkFolder
from reviews.services.folder_files import put
from reviews.services.folders import FolderPlan, set_work_folder
from reviews.states import FolderStorage
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability


def switch_reviews_on(caller: Caller) -> None:
    """Turn on work folders, also those in our own storage."""
    for name in ("reviews", "hosted_work_folder"):
        workspace = switch_capability(caller, name=name, is_on=True)
    caller.workspace.capabilities = workspace.capabilities
    caller.__dict__.pop("capabilities", None)


def make_hosted_folder(caller: Caller, board: Board) -> WorkFolder:
    switch_reviews_on(caller)
    return set_work_folder(caller, board=board, plan=FolderPlan(storage=FolderStorage.HOSTED), confirm=True)


def make_contents(caller: Caller, card: Card, text: str = "# Findings\n") -> tuple[Result, list[Content]]:
    """One more round on the card, with a result."""
    iteration = start_round(caller, card=card)
    result = keep_result(card=card, iteration=iteration, made_by=caller.actor, markdown=text)
    return result, round_contents(card, iteration)


def put_result(caller: Caller, folder: WorkFolder, card: Card, text: str = "# Findings\n") -> FolderFile:
    """The result of one more round, on its way into Needs review/."""
    result, contents = make_contents(caller, card, text)
    return put(folder, card=card, n=result.iteration.n, contents=contents)[0]
