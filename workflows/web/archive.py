"""Archiving a board after a question that says what ends, and restoring it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, asked, close
from boards.access import get_board, require_manager
from boards.models import Board
from workflows.inputs import BoardIn
from workflows.selectors.rules_page import at_work_on
from workflows.services.archive import archive_board, restore_board
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def archive(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """GET asks, POST archives."""
    board = get_board(caller, board_id)
    require_manager(caller, board)
    question = _archiving(board)

    def run(_: BoardIn) -> Answer:
        return {"board_id": str(archive_board(caller, board=board).pk)}

    def act() -> None:
        submit(request, caller, name="archive_board", model=BoardIn, given={"board_id": str(board.pk)}, run=run)

    return asked(request, question, act, "Board archived.")


@require_POST
@member_page
def restore(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Take the board back; once more changes nothing."""
    board = get_board(caller, board_id)
    require_manager(caller, board)

    def run(_: BoardIn) -> Answer:
        return {"board_id": str(restore_board(caller, board=board).pk)}

    submit(request, caller, name="restore_board", model=BoardIn, given={"board_id": str(board.pk)}, run=run)
    return close(request, "Board restored.", reverse("board-settings", args=[board.pk]))


def _archiving(board: Board) -> Question:
    waiting, working = at_work_on(board)
    points = [
        "Nothing on it can be changed, and its rules start nothing. Everything can still be read.",
        "It leaves the list of boards.",
    ]
    if waiting:
        points.append(f"{_cards(waiting)} in line for an agent: that ends, and nothing works on it.")
    if working:
        points.append(f"{_cards(working)} being worked on: that goes on, its result is kept, and the card stays put.")
    points.append("Restored, it is as it was, but nothing starts by itself: cards are moved again by hand.")
    return Question(
        name="archive-board",
        of=str(board.pk),
        title=f"Archive “{board.name}”?",
        text="It can be restored at any time, on this page.",
        points=tuple(points),
        button="Archive board",
        back=("board-settings", str(board.pk)),
        back_name=f"Settings of {board.name}",
    )


def _cards(count: int) -> str:
    return "1 card is" if count == 1 else f"{count} cards are"
