"""What a turn left waits for a person, and what follows each decision."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import Turn
from agents.states import TurnState
from bakedbrie.lib.refusals import Refused
from boards.models import BoardEvent, Iteration, Result, Stage
from boards.services.cards import edit_card
from boards.services.stages import delete_stage
from boards.states import Badge, EventKind
from reviews.models import Decision, Review, ReviewFile
from reviews.selectors.reviews import contents_of
from reviews.states import Door, ReviewState, Verdict
from tests.factories.reviews import decide, shown_hash, switch_on, work
from tests.factories.workflows import Line
from workers.turns import run_turn
from workflows.selectors.sections import APPROVED, CHANGES
from workflows.services.archive import archive_board
from workflows.services.cards import trash_card
from workflows.services.moves import move_card, preview_move
from workflows.services.reviewing import decide_review
from workflows.services.rules import Then, pause_rule, publish_rule, write_rule_draft
from workflows.states import OnApproval, RuleReview

pytestmark = pytest.mark.django_db(transaction=True)


def then(
    line: Line,
    *,
    to_stage: Stage | None = None,
    review: RuleReview | None = None,
    on_approval: OnApproval | None = None,
) -> None:
    """Publish the line's rule with another end."""
    rule = write_rule_draft(
        line.caller,
        board=line.board,
        rule=line.rule,
        from_stage=line.doing,
        agent=line.agent,
        to_stage=to_stage or line.done,
        then=Then(review=review, on_approval=on_approval),
    )
    line.rule = publish_rule(line.caller, rule=rule).rule


def run_next(line: Line, text: str = "Better work.") -> Turn:
    """Run the turn that holds the card to its end."""
    turn = Turn.objects.get(card=line.card, finished_at__isnull=True)
    line.provider.reply(text)
    run_turn(str(turn.pk))
    turn.refresh_from_db()
    return turn


def last_asked(line: Line) -> dict[str, Any]:
    """What the provider was asked last."""
    asked: dict[str, Any] = line.provider.calls[-1].json()  # type: ignore[assignment]
    return asked


@pytest.mark.requirement("V001", "V021")
def test_what_a_turn_left_waits_in_its_column_until_a_person_decides(line: Line) -> None:
    review = work(line)

    card, (file,) = line.fresh_card(), review.files.all()
    assert (card.stage, card.badge, card.badge_reason) == (line.doing, Badge.IN_REVIEW, "")
    assert (review.state, review.n, review.maker) == (ReviewState.OPEN, 1, line.caller.actor)
    assert (file.name, file.result) == ("compare-three-tools.md", Result.objects.get())
    assert file.sha256 == Result.objects.get().sha256
    opened = BoardEvent.objects.get(kind=EventKind.REVIEW_OPENED)
    assert (opened.data["review"], opened.actor) == (str(review.pk), line.agent.actor)


@pytest.mark.requirement("V002", "V006", "V034")
def test_an_approved_card_goes_on_and_the_decision_is_kept_on_it(line: Line) -> None:
    review = decide(line.caller, work(line), note="Good.")

    card, decision = line.fresh_card(), Decision.objects.get()
    assert (review.state, card.stage, card.badge) == (ReviewState.APPROVED, line.done, Badge.DONE)
    assert (decision.decided_by, decision.decision, decision.note, decision.door) == (
        line.caller.member,
        "approve",
        "Good.",
        "web",
    )
    decided = BoardEvent.objects.get(kind=EventKind.REVIEW_DECIDED)
    assert (decided.card, decided.actor, decided.data["decision"]) == (card, line.caller.actor, "approve")


@pytest.mark.requirement("V002", "V032")
def test_a_rejected_card_stays_and_says_so(line: Line) -> None:
    review = decide(line.caller, work(line), Verdict.REJECT)

    card = line.fresh_card()
    assert (review.state, card.stage, card.badge, card.badge_reason) == (
        ReviewState.REJECTED,
        line.doing,
        Badge.IDLE,
        "REJECTED",
    )
    assert Turn.objects.count() == 1


@pytest.mark.requirement("V002", "V003")
def test_requested_changes_go_to_the_agent_in_a_new_round_of_the_same_maker(line: Line) -> None:
    first = decide(line.caller, work(line, text="First try."), Verdict.REQUEST_CHANGES, note="Shorter, please.")
    turn = run_next(line, "Second try.")

    second = Review.objects.get(state=ReviewState.OPEN)
    asked = last_asked(line)
    assert (first.state, turn.state) == (ReviewState.CHANGES_REQUESTED, TurnState.DONE)
    assert "Alice Archer:\n  Shorter, please." in str(asked["messages"][0]["content"]).replace("\\n", "\n")
    assert "First try." in str(asked["messages"])
    assert CHANGES in str(asked["system"])
    assert (second.n, second.maker, contents_of(second)[0].sha256) == (
        2,
        first.maker,
        Result.objects.latest("pk").sha256,
    )
    assert {part["kind"] for part in turn.prompt["parts"]} >= {"review", "result", "card"}


def test_the_note_of_an_older_round_is_not_told_again(line: Line) -> None:
    decide(line.caller, work(line), Verdict.REQUEST_CHANGES)
    run_next(line)
    decide(line.caller, Review.objects.get(state=ReviewState.OPEN), Verdict.REJECT)
    move(line, line.todo)

    work(line, text="Third try.")

    assert CHANGES not in str(last_asked(line)["system"])


def test_an_approval_may_send_the_card_to_done_past_its_next_column(line: Line) -> None:
    extra = line.add_stage("Extra")
    then(line, to_stage=extra, on_approval=OnApproval.FINISH)

    decide(line.caller, work(line))

    assert (line.fresh_card().stage, line.fresh_card().badge) == (line.done, Badge.DONE)


def test_an_approval_may_return_the_card_to_its_agent_once_in_a_round(line: Line) -> None:
    then(line, on_approval=OnApproval.RETURN)

    decide(line.caller, work(line), note="Publish it.")
    turn = run_next(line)
    told = str(last_asked(line)["system"])
    again = Review.objects.get(state=ReviewState.OPEN)
    decide(line.caller, again)

    assert (turn.iteration.n, APPROVED in told) == (1, True)
    assert (again.n, line.fresh_card().stage) == (1, line.done)
    assert len(line.provider.calls) == 2


def test_an_approved_card_starts_what_starts_in_its_next_column_in_the_same_round(line: Line) -> None:
    second = line.add_stage("Second")
    line.make_rule(from_stage=second, to_stage=line.done)
    then(line, to_stage=second)

    decide(line.caller, work(line))

    turn = Turn.objects.get(finished_at__isnull=True)
    assert (line.fresh_card().stage, turn.iteration.n, Iteration.objects.count()) == (second, 1, 1)


@pytest.mark.requirement("V015", "R013")
def test_a_rule_that_does_without_review_makes_none(line: Line) -> None:
    switch_on(line.caller, "api_workflow")
    then(line, review=RuleReview.NONE)

    run_turn(str(line.start().pk))

    assert line.fresh_card().stage == line.done
    assert not Review.objects.exists()


@pytest.mark.requirement("R013")
def test_a_rule_without_review_needs_api_workflow(line: Line) -> None:
    with pytest.raises(Refused) as refused:
        then(line, review=RuleReview.NONE)

    assert refused.value.code == "CAPABILITY_OFF"
    assert refused.value.details["capability"] == "api_workflow"


@pytest.mark.requirement("V021")
def test_without_a_folder_that_counts_nothing_is_reviewed(line: Line) -> None:
    workspace = line.caller.workspace
    workspace.capabilities = [name for name in workspace.capabilities if name != "reviews"]
    workspace.save(update_fields=["capabilities"])

    run_turn(str(line.start().pk))

    assert line.fresh_card().stage == line.done
    assert not Review.objects.exists()


@pytest.mark.requirement("V012", "V013")
@pytest.mark.parametrize("wrong", ["", "0" * 64, "x"])
def test_another_hash_is_refused_and_changes_nothing(line: Line, wrong: str) -> None:
    review = work(line)

    with pytest.raises(Refused) as refused:
        decide_review(line.caller, review=review, intent_hash=wrong, decision=Verdict.APPROVE, door=Door.MCP)

    assert refused.value.code == "PREVIEW_CHANGED"
    assert (Review.objects.get().state, Decision.objects.count()) == (ReviewState.OPEN, 0)


@pytest.mark.requirement("V013", "C090")
def test_the_hash_of_an_earlier_round_does_not_count(line: Line) -> None:
    first = work(line, text="The same work.")
    old = shown_hash(line.caller, first)
    decide(line.caller, first, Verdict.REQUEST_CHANGES)
    run_next(line, "The same work.")
    second = Review.objects.get(state=ReviewState.OPEN)

    with pytest.raises(Refused) as refused:
        decide_review(line.caller, review=second, intent_hash=old, decision=Verdict.APPROVE, door=Door.WEB)

    assert refused.value.code == "PREVIEW_CHANGED"


@pytest.mark.requirement("V013")
def test_what_follows_is_part_of_what_was_shown(line: Line) -> None:
    extra = line.add_stage("Extra")
    then(line, to_stage=extra)
    review = work(line)
    seen = shown_hash(line.caller, review)
    line.make_rule(from_stage=extra, to_stage=line.done)

    with pytest.raises(Refused) as refused:
        decide_review(line.caller, review=review, intent_hash=seen, decision=Verdict.APPROVE, door=Door.WEB)

    assert refused.value.code == "PREVIEW_CHANGED"
    assert Turn.objects.count() == 1


def test_a_card_that_was_renamed_is_shown_again(line: Line) -> None:
    review = work(line)
    seen = shown_hash(line.caller, review)
    edit_card(line.caller, card=line.card, expected_revision=None, title="Compare four tools")

    with pytest.raises(Refused) as refused:
        decide_review(line.caller, review=review, intent_hash=seen, decision=Verdict.APPROVE, door=Door.WEB)
    decide(line.caller, Review.objects.get())

    assert refused.value.code == "PREVIEW_CHANGED"
    assert ReviewFile.objects.get().name == "compare-four-tools.md"


@pytest.mark.requirement("V003")
def test_changes_are_requested_with_a_note(line: Line) -> None:
    review = work(line)

    with pytest.raises(Refused) as refused:
        decide_review(
            line.caller,
            review=review,
            intent_hash=shown_hash(line.caller, review),
            decision=Verdict.REQUEST_CHANGES,
            note="  ",
            door=Door.WEB,
        )

    assert refused.value.code == "INVALID_INPUT"
    assert list(refused.value.details["fields"]) == ["note"]  # type: ignore[call-overload]
    assert Review.objects.get().is_open


def test_what_was_decided_is_over(line: Line) -> None:
    review = work(line)
    seen = shown_hash(line.caller, review)
    decide(line.caller, review, Verdict.REJECT)

    with pytest.raises(Refused) as refused:
        decide_review(line.caller, review=review, intent_hash=seen, decision=Verdict.APPROVE, door=Door.REST)

    assert (refused.value.code, refused.value.details["state"]) == ("REVIEW_CLOSED", "rejected")
    assert line.fresh_card().stage == line.doing


def move(line: Line, stage: Stage) -> None:
    card = line.fresh_card()
    preview = preview_move(line.caller, card=card, stage=stage)
    move_card(line.caller, card=card, stage=stage, preview_hash=preview.preview_hash)


def test_a_move_closes_the_review_and_says_so_before(line: Line) -> None:
    review = work(line)
    card = line.fresh_card()
    preview = preview_move(line.caller, card=card, stage=line.todo)

    move_card(line.caller, card=card, stage=line.todo, preview_hash=preview.preview_hash)

    review.refresh_from_db()
    assert preview.consequences["closes_review"] == str(review.pk)
    assert (review.state, review.code) == (ReviewState.CANCELED, "CARD_MOVED")
    assert (line.fresh_card().badge, Decision.objects.count()) == (Badge.IDLE, 0)
    assert BoardEvent.objects.get(kind=EventKind.REVIEW_CANCELED).data["code"] == "CARD_MOVED"


def test_a_move_that_was_previewed_in_review_is_refused_after_the_decision(line: Line) -> None:
    review = work(line)
    card = line.fresh_card()
    preview = preview_move(line.caller, card=card, stage=line.todo)
    decide(line.caller, review, Verdict.REJECT)

    with pytest.raises(Refused) as refused:
        move_card(line.caller, card=card, stage=line.todo, preview_hash=preview.preview_hash)

    assert (refused.value.code, line.fresh_card().stage) == ("PREVIEW_CHANGED", line.doing)


def test_the_trash_closes_a_review(line: Line) -> None:
    first = work(line)

    trash_card(line.caller, card=line.fresh_card())

    first.refresh_from_db()
    assert (first.state, first.code) == (ReviewState.CANCELED, "CARD_TRASHED")


def test_an_archived_board_has_no_open_review(line: Line) -> None:
    review = work(line)

    archive_board(line.caller, board=line.board)

    review.refresh_from_db()
    assert (review.state, review.code) == (ReviewState.CANCELED, "BOARD_ARCHIVED")
    line.card.refresh_from_db()
    assert line.card.badge == Badge.IDLE
    with pytest.raises(Refused) as refused:
        decide(line.caller, review)
    assert refused.value.code == "REVIEW_CLOSED"


def test_an_approval_without_a_next_column_leaves_the_card_blocked(line: Line) -> None:
    extra = line.add_stage("Extra")
    then(line, to_stage=extra)
    review = work(line)
    delete_stage(line.caller, stage=extra)

    decide(line.caller, review)

    card = line.fresh_card()
    assert (card.stage, card.badge, card.badge_reason) == (line.doing, Badge.BLOCKED, "STAGE_GONE")
    assert Review.objects.get().state == ReviewState.APPROVED


def test_changes_for_a_rule_that_was_paused_leave_the_card_blocked(line: Line) -> None:
    review = work(line)
    pause_rule(line.caller, rule=line.rule)

    decide(line.caller, review, Verdict.REQUEST_CHANGES)

    card = line.fresh_card()
    assert (card.badge, card.badge_reason, Turn.objects.count()) == (Badge.BLOCKED, "RULE_PAUSED", 1)
    assert Iteration.objects.count() == 2


def test_the_preview_of_a_move_ends_where_a_review_waits(line: Line) -> None:
    second = line.add_stage("Second")
    line.make_rule(from_stage=second, to_stage=line.done)

    preview = preview_move(line.caller, card=line.fresh_card(), stage=line.doing)

    consequences = preview.consequences
    assert [(step["stage"]["name"], step["is_reviewed"]) for step in consequences["steps"]] == [("Doing", True)]
    assert consequences["ends_in"]["id"] == str(line.doing.pk)
    assert consequences["sentences"][-1] == "What it made waits for a review. Approved, the card moves on to “Done”."
