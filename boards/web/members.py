"""Who opens a board, changed on the page of its settings: let in, made a manager, taken off after a question."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from bakedbrie.lib.refusals import INVALID_INPUT, Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, answered, ask, done
from bakedbrie.lib.web.forms import Form, show_in_place
from bakedbrie.lib.web.htmx import go_to
from boards.access import get_board, get_board_member, opens_every_board, require_manager
from boards.inputs import AddBoardMemberIn, ChangeBoardMemberIn
from boards.models import Board, BoardMember
from boards.services.members import add_board_member, change_board_member, remove_board_member
from boards.web.settings import settings_after, show_settings
from workspaces.access import get_member
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_POST
@member_page
def add(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Let a member of the workspace in."""
    board = get_board(caller, board_id)
    require_manager(caller, board)
    member_id = request.POST.get("member_id", "")
    is_manager = request.POST.get("is_manager") == "on"

    def run(given: AddBoardMemberIn) -> Answer:
        member = get_member(caller, given.member_id)
        add_board_member(caller, board=board, member=member, is_manager=given.is_manager)
        return {"member_id": str(member.pk)}

    try:
        if not member_id:
            raise INVALID_INPUT(fields={"member_id": ["choose somebody"]})
        given = {"member_id": member_id, "is_manager": is_manager}
        submit(request, caller, name=f"add_board_member {board.pk}", model=AddBoardMemberIn, given=given, run=run)
    except Refused as refused:
        values = {"member_id": member_id, "is_manager": "on" if is_manager else ""}
        form = Form(values=values, refused=show_in_place(refused))
        return show_settings(request, caller, board, used=("member_form", form))
    return settings_after(request, caller, board, "Let in.")


@require_POST
@member_page
def change(request: HttpRequest, caller: Caller, board_id: str, member_id: str) -> HttpResponse:
    """Make somebody a manager of the board, or no longer."""
    board, row = _row(caller, board_id, member_id)
    is_manager = request.POST.get("is_manager") == "on"

    def run(given: ChangeBoardMemberIn) -> Answer:
        change_board_member(caller, board=board, member=row.member, is_manager=given.is_manager)
        return {"member_id": str(row.member_id)}

    try:
        form = f"change_board_member {row.pk}"
        submit(request, caller, name=form, model=ChangeBoardMemberIn, given={"is_manager": is_manager}, run=run)
    except Refused as refused:
        return show_settings(request, caller, board, refused=show_in_place(refused))
    told = f"{row.member.actor.name} manages the board{'' if is_manager else ' no longer'}."
    return settings_after(request, caller, board, told)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def remove(request: HttpRequest, caller: Caller, board_id: str, member_id: str) -> HttpResponse:
    """GET asks, POST takes somebody off the board."""
    board, row = _row(caller, board_id, member_id)
    question = _question(caller, board, row)

    def run(_: ChangeBoardMemberIn) -> Answer:
        remove_board_member(caller, board=board, member=row.member)
        return {"member_id": str(row.member_id)}

    def act() -> None:
        form = f"remove_board_member {row.pk}"
        submit(request, caller, name=form, model=ChangeBoardMemberIn, given={"is_manager": False}, run=run)

    def after() -> HttpResponse:
        if row.member_id == caller.member.pk and not opens_every_board(caller):
            return go_to(request, reverse("home"))
        return done(request, question, f"{row.member.actor.name} is off the board.")

    return answered(request, lambda refused: ask(request, question, refused=refused), act, after)


@dataclass(frozen=True, kw_only=True)
class _Removal(Question):
    """Its address names the board and the member."""

    member_id: str

    @property
    def action(self) -> str:
        return reverse(self.name, args=[self.of, self.member_id])


def _row(caller: Caller, board_id: str, member_id: str) -> tuple[Board, BoardMember]:
    board = get_board(caller, board_id)
    require_manager(caller, board)
    return board, get_board_member(caller, board, member_id)


def _question(caller: Caller, board: Board, row: BoardMember) -> Question:
    name = row.member.actor.name
    is_self = row.member_id == caller.member.pk
    return _Removal(
        name="remove-board-member",
        of=str(board.pk),
        member_id=str(row.member_id),
        title=f"Take {'yourself' if is_self else name} off “{board.name}”?",
        text="A manager of the board can let you in again." if is_self else "They can be let in again at any time.",
        points=(
            f"{'You' if is_self else name} can no longer open the board, here or with a token.",
            f"Comments, files and cards that {'you' if is_self else 'they'} made or own stay on the board.",
            f"An agent at work on a card that {'you' if is_self else 'they'} started finishes; then the card stays.",
        ),
        button="Take off the board",
        back=("board-settings", str(board.pk)),
        back_name=f"Settings of {board.name}",
    )
