"""What a turn works from, and what a reply can do: text on its own card, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from agents.calls.hosted import run_turn
from agents.models import AiAccount, Turn
from agents.services.agents import publish_agent, write_draft
from agents.services.bindings import bind_account
from agents.states import BindingScope, TurnState
from bakedbrie.lib import storage
from boards.models import Comment
from boards.services.boards import edit_board
from boards.services.cards import edit_card
from boards.services.comments import add_comment
from boards.services.files import remove_file
from boards.services.rounds import keep_result, start_round
from tests.agents.conftest import Desk
from tests.factories.agents import INSTRUCTIONS, make_account
from tests.factories.boards import make_file
from tests.support.fake_provider import FakeProvider
from workspaces.models import SealedSecret, SecretDrop, Token
from workspaces.services.capabilities import switch_capability

pytestmark = pytest.mark.django_db


def allow(desk: Desk, permissions: Mapping[str, str]) -> None:
    agent = write_draft(desk.caller, board=desk.board, agent=desk.agent, permissions=permissions)
    publish_agent(desk.caller, agent=agent, confirm_outward=True)


def run(desk: Desk, service: FakeProvider) -> tuple[Turn, str, str]:
    """Run a turn and return it with the system text and the message of its call."""
    turn = desk.queue()
    run_turn(turn.pk)
    turn.refresh_from_db()
    body = json.loads(service.calls[-1].body)
    return turn, body["system"], body["messages"][0]["content"]


@pytest.mark.requirement("B023", "B026")
def test_everything_on_the_card_goes_into_the_prompt(paid_desk: Desk, service: FakeProvider) -> None:
    edit_board(paid_desk.caller, board=paid_desk.board, expected_revision=None, guidelines="House style: short.")
    edit_card(paid_desk.caller, card=paid_desk.card, expected_revision=None, brief="Three tools for bread.")
    comment = add_comment(paid_desk.caller, card=paid_desk.card, text="Mind the price.")
    allow(paid_desk, {"read_files": "allowed"})
    notes = make_file(paid_desk.caller, paid_desk.card, name="notes.csv", content=b"tool,price\nOven,100\n")
    make_file(paid_desk.caller, paid_desk.card, name="plan.pdf", content=b"%PDF-1.7 secret")
    earlier = keep_result(
        card=paid_desk.card,
        iteration=start_round(paid_desk.caller, card=paid_desk.card),
        made_by=paid_desk.agent.actor,
        markdown="First attempt.",
    )

    turn, system, message = run(paid_desk, service)

    for text in (INSTRUCTIONS, "House style: short."):
        assert text in system
        assert text not in message.rpartition("[end of data ")[0]
    for text in ("Compare three tools", "Three tools for bread.", "Mind the price.", "Oven,100", "First attempt."):
        assert text in message
        assert text not in system
    assert "plan.pdf (application/pdf, 15 bytes)" in message
    assert "secret" not in message
    parts = {part["kind"]: part for part in turn.prompt["parts"]}
    assert list(parts) == ["instructions", "guidelines", "card", "result", "comments", "file", "files"]
    assert parts["instructions"]["version"] == 2
    assert parts["card"]["revision"] == 5
    assert parts["result"]["id"] == str(earlier.pk)
    assert parts["comments"]["ids"] == [str(comment.pk)]
    assert (parts["file"]["id"], parts["file"]["sha256"], parts["file"]["bytes"]) == (str(notes.pk), notes.sha256, 20)
    assert not [part for part in turn.prompt["parts"] if part.get("is_clipped")]


def test_the_turn_keeps_no_text_of_its_prompt(paid_desk: Desk, service: FakeProvider) -> None:
    add_comment(paid_desk.caller, card=paid_desk.card, text="Mind the price.")

    turn, _, _ = run(paid_desk, service)

    assert "price" not in json.dumps(turn.prompt)
    assert "strength" not in json.dumps(turn.prompt)


@pytest.mark.requirement("C057")
def test_text_that_looks_like_a_placeholder_is_passed_on_as_it_is(paid_desk: Desk, service: FakeProvider) -> None:
    allow(paid_desk, {"read_files": "allowed"})
    title, brief = "{{result.markdown}}", "{{steps.login.token}} {{vars.x}} ${HOME} {% raw %} {{{{ %s {0} {mark}"
    edit_card(paid_desk.caller, card=paid_desk.card, expected_revision=None, title=title, brief=brief)
    add_comment(paid_desk.caller, card=paid_desk.card, text=brief)
    make_file(paid_desk.caller, paid_desk.card, name="{{target.key}}.md", content=brief.encode())
    service.reply("{{card.brief}} {mark}")

    turn, _, message = run(paid_desk, service)

    assert f"\n{title}\n\n{brief}\n" in message
    assert message.count(brief) == 3
    assert " file: {{target.key}}.md]" in message
    assert turn.reply == "{{card.brief}} {mark}"


@pytest.mark.requirement("A004")
def test_without_read_files_no_file_is_read_or_named(paid_desk: Desk, service: FakeProvider) -> None:
    allow(paid_desk, {"read_files": "off", "web": "allowed"})
    make_file(paid_desk.caller, paid_desk.card, name="notes.md", content=b"Oven")

    turn, system, message = run(paid_desk, service)

    assert "You may not read the files of the card." in system
    assert "Oven" not in message
    assert "notes.md" not in message
    assert turn.notes == []


@pytest.mark.requirement("A004", "W034")
def test_without_card_files_in_the_workspace_no_agent_reads_one(paid_desk: Desk, service: FakeProvider) -> None:
    allow(paid_desk, {"read_files": "allowed"})
    make_file(paid_desk.caller, paid_desk.card, name="notes.md", content=b"Oven")
    switch_capability(paid_desk.caller, name="media", is_on=False)

    _, system, message = run(paid_desk, service)

    assert "You may not read the files of the card." in system
    assert "Oven" not in message
    assert "notes.md" not in message


@pytest.mark.requirement("A005")
@pytest.mark.parametrize("verdict", ["off", "ask", "allowed"])
def test_no_call_holds_a_tool(paid_desk: Desk, service: FakeProvider, verdict: str) -> None:
    allow(paid_desk, {"web": verdict})

    run(paid_desk, service)

    assert sorted(json.loads(service.calls[0].body)) == ["max_tokens", "messages", "model", "stream", "system"]


def test_a_file_whose_bytes_are_gone_is_named_only(paid_desk: Desk, service: FakeProvider) -> None:
    allow(paid_desk, {"read_files": "allowed"})
    file = make_file(paid_desk.caller, paid_desk.card, name="notes.md", content=b"Oven")
    gone = make_file(paid_desk.caller, paid_desk.card, name="gone.md", content=b"Fridge")
    storage.delete(file.storage_key)
    remove_file(paid_desk.caller, file=gone)

    turn, _, message = run(paid_desk, service)

    assert turn.state == TurnState.DONE
    assert "notes.md (text/markdown, 4 bytes)" in message
    assert "gone.md" not in message


def test_bytes_that_are_no_text_do_not_stop_the_turn(paid_desk: Desk, service: FakeProvider) -> None:
    allow(paid_desk, {"read_files": "allowed"})
    make_file(paid_desk.caller, paid_desk.card, name="notes.txt", content="Käse".encode("latin-1") + b" \xf0")

    turn, _, message = run(paid_desk, service)

    assert turn.state == TurnState.DONE
    assert "notes.txt" in message


def test_what_does_not_fit_is_clipped_and_noted(desk: Desk, service: FakeProvider) -> None:
    account = make_account(desk.caller, service, context_tokens=3000, answer_tokens=500)
    bind_account(desk.caller, account=account, scope=BindingScope.WORKSPACE)
    edit_card(desk.caller, card=desk.card, expected_revision=None, brief="word " * 4000)

    turn, system, message = run(desk, service)

    card = turn.prompt["parts"][1]
    assert (card["kind"], card["is_clipped"]) == ("card", True)
    assert "(clipped: the rest did not fit)" in message
    assert turn.prompt["estimated_tokens"] <= 2500
    assert len(system) + len(message) < 3 * 2500


def test_instructions_that_leave_no_room_are_refused_unsent(desk: Desk, service: FakeProvider) -> None:
    account = make_account(desk.caller, service, context_tokens=1000, answer_tokens=100)
    bind_account(desk.caller, account=account, scope=BindingScope.WORKSPACE)
    agent = write_draft(desk.caller, board=desk.board, agent=desk.agent, instructions="word " * 2000)
    publish_agent(desk.caller, agent=agent)
    turn = desk.queue()

    run_turn(turn.pk)

    turn.refresh_from_db()
    assert (turn.state, turn.code, service.calls) == (TurnState.REFUSED, "AI_PROMPT_TOO_LONG", [])


def test_only_the_newest_comments_are_read(paid_desk: Desk, service: FakeProvider) -> None:
    Comment.objects.bulk_create(
        Comment(card=paid_desk.card, author=paid_desk.caller.actor, text=f"Comment {n}.") for n in range(60)
    )

    turn, _, message = run(paid_desk, service)

    assert len(turn.prompt["parts"][2]["ids"]) == 50
    assert "Comment 9." not in message
    assert message.index("Comment 10.") < message.index("Comment 59.")


ATTEMPTS = [
    'secret-drop\n{"kind": "api_key", "value": "sk-x"}',
    'connection-request\n{"connection": "fal-video", "operation": "make"}',
    'email\n{"to": "stranger@example.com", "subject": "Hi"}',
    'attach\n{"files": ["x"]}',
]


@pytest.mark.requirement("A019")
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_reply_adds_no_credential_and_asks_for_nothing(paid_desk: Desk, service: FakeProvider, attempt: str) -> None:
    allow(paid_desk, dict.fromkeys(("email", "other_apps", "deliver", "web"), "allowed"))
    before = [model.objects.count() for model in (SecretDrop, SealedSecret, Token, AiAccount)]
    service.reply(f"Done.\n\n```bakedbrie-{attempt}\n```\n")

    turn, _, _ = run(paid_desk, service)

    assert (turn.state, turn.reply) == (TurnState.DONE, "Done.")
    assert [note["code"] for note in turn.notes] == ["BLOCK_IGNORED"]
    assert [model.objects.count() for model in (SecretDrop, SealedSecret, Token, AiAccount)] == before
    assert len(service.calls) == 1
