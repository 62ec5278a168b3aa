"""A move does exactly what its preview showed, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine

from agents.models import Turn
from agents.services.bindings import bind_account
from agents.services.turns import request_stop
from agents.states import BindingScope, TurnState
from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from boards.models import BoardEvent, Card
from boards.services.cards import edit_card
from boards.services.comments import add_comment
from boards.states import Badge, EventKind
from tests.factories.agents import make_account
from tests.factories.boards import make_card
from tests.factories.workflows import Line, make_line, make_rule, publish_again
from tests.support.cast import token_of
from tests.support.fake_provider import FakeProvider
from tests.support.races import at_once, codes
from workflows.services.archive import archive_board
from workflows.services.moves import move_card, preview_move
from workflows.services.rules import pause_rule
from workspaces.access import caller_from_token
from workspaces.caller import Caller
from workspaces.services.dispatch import pause_dispatch
from workspaces.states import Preset

pytestmark = pytest.mark.django_db


def hash_of(line: Line, caller: Caller | None = None) -> str:
    return preview_move(caller or line.caller, card=line.fresh_card(), stage=line.doing).preview_hash


def refused(line: Line, preview_hash: str | None, caller: Caller | None = None) -> str:
    """Return the code of the refusal, having seen that nothing moved and nothing started."""
    before = line.fresh_card()
    with pytest.raises(Refused) as refusal:
        move_card(caller or line.caller, card=line.card, stage=line.doing, preview_hash=preview_hash)
    after = line.fresh_card()
    assert (after.stage_id, after.revision, after.badge) == (before.stage_id, before.revision, before.badge)
    assert not Turn.objects.filter(card=line.card).exists()
    return refusal.value.code


@pytest.mark.requirement("B030", "B031", "R001")
def test_a_move_starts_what_its_preview_showed(line: Line) -> None:
    preview = preview_move(line.caller, card=line.card, stage=line.doing)

    moved = move_card(line.caller, card=line.card, stage=line.doing, preview_hash=preview.preview_hash)

    (step,) = preview.consequences["steps"]
    turn = Turn.objects.get(card=line.card)
    assert (moved.stage_id, moved.revision) == (line.doing.pk, 2)
    assert step["rule"] == {"id": str(turn.rule_run.rule_id), "version": turn.rule_run.version}
    assert (step["agent"]["id"], step["agent"]["version"]) == (str(turn.agent_id), turn.version.n)
    assert step["pays"]["id"] == str(turn.account_id)
    assert step["waits_for"] is None
    assert step["then_stage"]["id"] == str(line.done.pk)
    assert preview.consequences["ends_in"]["id"] == str(line.done.pk)
    assert preview.consequences["is_loop"] is False
    assert turn.state == TurnState.QUEUED


def test_a_preview_changes_nothing_and_tells_it_in_sentences(line: Line) -> None:
    events = BoardEvent.objects.count()

    sentences = preview_move(line.caller, card=line.card, stage=line.doing).consequences["sentences"]

    assert sentences[0] == "The card moves to “Doing”."
    assert any(line.agent.name in sentence for sentence in sentences)
    assert any("Bakery key" in sentence for sentence in sentences)
    assert (BoardEvent.objects.count(), Turn.objects.count()) == (events, 0)


def test_a_move_to_a_column_without_a_rule_starts_nothing(line: Line) -> None:
    preview = preview_move(line.caller, card=line.card, stage=line.done)

    moved = move_card(line.caller, card=line.card, stage=line.done, preview_hash=preview.preview_hash)

    assert preview.consequences["steps"] == []
    assert (moved.stage_id, moved.badge) == (line.done.pk, Badge.DONE)
    assert not Turn.objects.exists()


def test_a_chain_is_followed_through_every_column_and_a_loop_is_cut(line: Line) -> None:
    make_rule(line.caller, line.board, from_stage=line.todo, agent=line.agent, to_stage=line.doing)
    pause_rule(line.caller, rule=line.rule)
    make_rule(line.caller, line.board, from_stage=line.doing, agent=line.agent, to_stage=line.todo)

    preview = preview_move(line.caller, card=line.card, stage=line.doing).consequences

    assert [step["stage"]["id"] for step in preview["steps"]] == [str(line.doing.pk), str(line.todo.pk)]
    assert preview["is_loop"] is True


@pytest.mark.requirement("R005", "R006")
def test_a_preview_says_when_nobody_pays(alice: Caller, provider: FakeProvider) -> None:
    line = make_line(alice, provider, pays=False)

    (step,) = preview_move(alice, card=line.card, stage=line.doing).consequences["steps"]

    assert (step["pays"], step["waits_for"]) == (None, "AI_ACCOUNT_REQUIRED")


@pytest.mark.requirement("W012", "W013")
def test_a_preview_shows_a_pause_of_the_workspace_and_its_hash_does_not_hang_on_it(line: Line) -> None:
    before = hash_of(line)

    pause_dispatch(line.caller, reason="Audit")

    line.caller.workspace.refresh_from_db()
    preview = preview_move(line.caller, card=line.card, stage=line.doing)
    assert preview.preview_hash == before
    assert preview.consequences["dispatch_paused"] is True
    assert preview.consequences["steps"][0]["waits_for"] == "DISPATCH_PAUSED"


@pytest.mark.requirement("B032", "B033", "C085")
def test_a_brief_that_changed_refuses_the_move_and_a_new_preview_works(line: Line, mia: Caller) -> None:
    old = hash_of(line)
    edit_card(line.caller, card=line.card, expected_revision=None, brief="Other words.")

    assert refused(line, old) == "PREVIEW_CHANGED"

    moved = move_card(line.caller, card=line.card, stage=line.doing, preview_hash=hash_of(line))
    assert moved.stage_id == line.doing.pk


def other_rule(line: Line) -> None:
    pause_rule(line.caller, rule=line.rule)
    make_rule(line.caller, line.board, from_stage=line.doing, agent=line.agent, to_stage=line.done)


def pause_the_rule(line: Line) -> None:
    pause_rule(line.caller, rule=line.rule)


def other_payer(line: Line) -> None:
    bind_account(
        line.caller,
        account=make_account(line.caller, line.provider, label="Another"),
        scope=BindingScope.BOARD,
        board=line.board,
    )


def comment(line: Line) -> None:
    add_comment(line.caller, card=line.card, text="Also look at the price.")


def there_and_back(line: Line) -> None:
    for stage in (line.done, line.todo):
        card = line.fresh_card()
        there = preview_move(line.caller, card=card, stage=stage)
        move_card(line.caller, card=card, stage=stage, preview_hash=there.preview_hash)


@pytest.mark.requirement("B032", "C085")
@pytest.mark.parametrize("change", [other_rule, pause_the_rule, other_payer, comment, there_and_back, publish_again])
def test_a_move_is_refused_once_something_it_showed_has_changed(line: Line, change: Callable[[Line], None]) -> None:
    old = hash_of(line)
    change(line)

    assert refused(line, old) == "PREVIEW_CHANGED"


@pytest.mark.requirement("C085")
def test_a_change_further_down_the_chain_counts_too(line: Line) -> None:
    old = preview_move(line.caller, card=line.card, stage=line.doing).preview_hash
    extra = line.add_stage("Check")
    pause_rule(line.caller, rule=line.rule)
    make_rule(line.caller, line.board, from_stage=line.doing, agent=line.agent, to_stage=extra)

    assert refused(line, old) == "PREVIEW_CHANGED"


@pytest.mark.requirement("C085")
def test_the_hash_of_another_card_is_refused(line: Line) -> None:
    other = make_card(line.caller, line.board, title="Another card")
    hash_of_other = preview_move(line.caller, card=other, stage=line.doing).preview_hash

    assert refused(line, hash_of_other) == "PREVIEW_CHANGED"


@pytest.mark.requirement("C085")
def test_the_hash_of_another_person_or_token_is_refused(line: Line, amir: Caller) -> None:
    one = caller_from_token(token_of(line.caller))
    other = caller_from_token(token_of(line.caller))

    assert refused(line, hash_of(line, amir)) == "PREVIEW_CHANGED"
    assert refused(line, hash_of(line, one), other) == "PREVIEW_CHANGED"


@pytest.mark.requirement("C085")
def test_a_hash_that_is_days_old_still_moves_while_nothing_changed(line: Line) -> None:
    old = hash_of(line)

    with time_machine.travel(clock.now() + timedelta(days=3)):
        moved = move_card(line.caller, card=line.card, stage=line.doing, preview_hash=old)

    assert moved.stage_id == line.doing.pk


@pytest.mark.requirement("B031", "C085")
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda good: None, "PREVIEW_REQUIRED"),
        (lambda good: "", "PREVIEW_REQUIRED"),
        (lambda good: good[:-1], "PREVIEW_REQUIRED"),
        (lambda good: good.upper() if good.upper() != good else "A" * 64, "PREVIEW_REQUIRED"),
        (lambda good: good + "\n", "PREVIEW_REQUIRED"),
        (lambda good: "0" * 64, "PREVIEW_CHANGED"),
    ],
    ids=["absent", "empty", "truncated", "upper case", "line break", "wrong"],
)
def test_a_missing_or_spoiled_hash_is_refused(line: Line, spoil: Callable[[str], str | None], code: str) -> None:
    assert refused(line, spoil(hash_of(line))) == code


def test_a_card_does_not_move_into_the_column_it_stands_in(line: Line) -> None:
    with pytest.raises(Refused) as refusal:
        preview_move(line.caller, card=line.card, stage=line.todo)

    assert refusal.value.code == "MOVE_INVALID"


def test_a_card_does_not_move_to_another_board(line: Line) -> None:
    other = make_line(line.caller, line.provider)

    with pytest.raises(Refused) as refusal:
        preview_move(line.caller, card=line.card, stage=other.doing)

    assert refusal.value.code == "MOVE_INVALID"


def test_a_card_in_the_trash_does_not_move(line: Line) -> None:
    good = hash_of(line)
    Card.objects.filter(pk=line.card.pk).update(stage=None, trashed_at=clock.now())

    with pytest.raises(Refused) as refusal:
        preview_move(line.caller, card=line.fresh_card(), stage=line.doing)
    assert refusal.value.code == "CARD_TRASHED"
    assert refused(line, good) == "CARD_TRASHED"


def test_a_card_that_a_turn_holds_is_busy_until_the_turn_is_stopped(
    line: Line, drain_jobs: Callable[..., object]
) -> None:
    line.start()
    card = line.fresh_card()
    turn = Turn.objects.get(card=card)

    with pytest.raises(Refused) as refusal:
        preview_move(line.caller, card=card, stage=line.done)
    assert refusal.value.code == "CARD_BUSY"

    request_stop(line.caller, turn=turn)
    drain_jobs()
    assert preview_move(line.caller, card=card, stage=line.done).preview_hash


def test_a_turn_that_began_after_the_preview_makes_the_move_busy(line: Line) -> None:
    """The hash does not cover who holds the card, so the answer says what to do: stop the turn."""
    line.start()
    card = line.fresh_card()
    turn = Turn.objects.get(card=card)
    Turn.objects.filter(pk=turn.pk).update(finished_at=clock.now())
    good = preview_move(line.caller, card=card, stage=line.done).preview_hash
    Turn.objects.filter(pk=turn.pk).update(finished_at=None)

    with pytest.raises(Refused) as refusal:
        move_card(line.caller, card=card, stage=line.done, preview_hash=good)

    assert refusal.value.code == "CARD_BUSY"
    assert line.fresh_card().stage_id == line.doing.pk


def test_cards_of_an_archived_board_do_not_move(line: Line) -> None:
    good = hash_of(line)
    archive_board(line.caller, board=line.board)

    assert refused(line, good) == "BOARD_ARCHIVED"


@pytest.mark.parametrize("preset", [Preset.READ_ONLY, Preset.RUNNER])
def test_a_token_that_may_not_write_does_not_move(line: Line, preset: Preset) -> None:
    caller = caller_from_token(token_of(line.caller, preset))
    code = {Preset.READ_ONLY: "TOKEN_READ_ONLY", Preset.RUNNER: "TOKEN_RUNNER_ONLY"}[preset]

    assert refused(line, "0" * 64, caller) == code


def test_a_viewer_previews_but_does_not_move(line: Line, vic: Caller) -> None:
    line.let_in(vic)

    assert refused(line, hash_of(line, vic), vic) == "FORBIDDEN"


def test_a_move_is_told_in_the_history(line: Line) -> None:
    move_card(line.caller, card=line.card, stage=line.doing, preview_hash=hash_of(line))

    kinds = list(BoardEvent.objects.filter(card=line.card).order_by("pk").values_list("kind", flat=True))
    assert kinds == [EventKind.CARD_CREATED, EventKind.CARD_MOVED, EventKind.ROUND_STARTED, EventKind.TURN_QUEUED]


@pytest.mark.requirement("C085")
@pytest.mark.django_db(transaction=True)
def test_one_hash_used_twice_at_once_moves_once_and_starts_one_turn(line: Line) -> None:
    good = hash_of(line)

    def move() -> object:
        return move_card(replace(line.caller), card=line.card, stage=line.doing, preview_hash=good)

    outcomes = at_once(move, move)

    assert codes(outcomes) == ["PREVIEW_CHANGED", "done"]
    assert Turn.objects.filter(card=line.card).count() == 1
    assert BoardEvent.objects.filter(card=line.card, kind=EventKind.CARD_MOVED).count() == 1
    assert line.fresh_card().revision == 2
