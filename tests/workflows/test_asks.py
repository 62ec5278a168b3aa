"""What an assistant sees of a question that only a person answers: what is asked, and the page where."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.access import get_agent
from agents.models import Approval, Turn
from agents.services.agents import publish_agent, write_draft
from boards.models import Card
from tests.factories.boards import make_card, make_file
from tests.factories.workflows import Line
from workers.turns import run_turn
from workflows.inputs import BoardIn, ManageTurnIn, ReadCardIn
from workflows.services.approvals import answer_approval, as_it_is_now
from workflows.services.moves import move_card, preview_move
from workflows.tools.boards import read_board
from workflows.tools.cards import read_card
from workflows.tools.turns import manage_turn
from workspaces.services.capabilities import switch_capability

pytestmark = pytest.mark.django_db


def ask_first(line: Line) -> None:
    write_draft(line.caller, board=line.board, agent=line.agent, permissions={"read_files": "ask"})
    line.agent = publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk))


def asked(line: Line, card: Card | None = None) -> Approval:
    """Let the agent ask whether it may read the file of a card."""
    card = card or line.card
    make_file(line.caller, card)
    card.refresh_from_db()
    preview = preview_move(line.caller, card=card, stage=line.doing)
    move_card(line.caller, card=card, stage=line.doing, preview_hash=preview.preview_hash)
    run_turn(str(Turn.objects.get(card=card, finished_at__isnull=True).pk))
    return Approval.objects.select_related("turn").get(card=card, state="pending")


@pytest.mark.requirement("A012")
def test_card_turn_and_board_say_what_is_asked_and_where_it_is_answered(line: Line) -> None:
    ask_first(line)
    approval = asked(line)

    card = read_card(line.caller, ReadCardIn(card_id=str(line.card.pk)))["card"]
    turn = manage_turn(line.caller, ManageTurnIn(action="read", turn_id=str(approval.turn_id)))["turn"]
    board = read_board(line.caller, BoardIn(board_id=str(line.board.pk)))["board"]

    (ask,) = card["asks"]
    assert (card["state"], card["state_reason"], turn["state"], turn["reason"]) == (
        "waiting",
        "APPROVAL",
        "waiting",
        "APPROVAL",
    )
    assert (ask["approval_id"], ask["turn_id"], ask["area"]) == (str(approval.pk), turn["id"], "read_files")
    assert ask["question"] == (
        "May “Researcher” read the files of “Compare three tools”? They would go to the AI account “Bakery key”."
    )
    assert [thing["name"] for thing in ask["shown"]] == ["notes.md"]
    assert ask["url"] == settings.APP_URL + reverse("approval", args=[approval.pk])
    assert turn["asks"] == card["asks"]
    assert board["asks"] == [{name: value for name, value in ask.items() if name != "shown"}]


def test_what_is_shown_is_what_the_answer_would_cover_now(line: Line) -> None:
    ask_first(line)
    asked(line)
    make_file(line.caller, line.card, name="more.md")

    (ask,) = read_card(line.caller, ReadCardIn(card_id=str(line.card.pk)))["card"]["asks"]

    assert [thing["name"] for thing in ask["shown"]] == ["notes.md", "more.md"]
    assert len(Approval.objects.get().shown) == 1


def test_nothing_is_asked_any_more_once_it_was_answered_or_while_agents_are_off(line: Line) -> None:
    ask_first(line)
    approval = asked(line)
    switch_capability(line.caller, name="agents", is_on=False)
    line.caller.workspace.refresh_from_db()
    line.caller.__dict__.pop("capabilities", None)
    off = read_card(line.caller, ReadCardIn(card_id=str(line.card.pk)))["card"]["asks"]
    switch_capability(line.caller, name="agents", is_on=True)
    line.caller.workspace.refresh_from_db()
    line.caller.__dict__.pop("capabilities", None)
    seen = as_it_is_now(approval)
    answer_approval(line.caller, approval=seen, answer="once", input_hash=seen.input_hash)

    after = read_board(line.caller, BoardIn(board_id=str(line.board.pk)))["board"]["asks"]

    assert (off, after) == ([], [])


def test_a_board_with_many_questions_takes_no_more_queries(line: Line) -> None:
    ask_first(line)
    asked(line)
    little = queries(line)

    for n in range(3):
        asked(line, make_card(line.caller, line.board, title=f"Card {n}"))

    assert queries(line) == little
    assert len(read_board(line.caller, BoardIn(board_id=str(line.board.pk)))["board"]["asks"]) == 4


def queries(line: Line) -> int:
    with CaptureQueriesContext(connection) as seen:
        read_board(line.caller, BoardIn(board_id=str(line.board.pk)))
    return len(seen)
