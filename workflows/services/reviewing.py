"""Reviews in the flow of a card: what a turn left waits for a person, and what follows when somebody decides."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from agents.models import Turn
from bakedbrie.lib.refusals import PREVIEW_CHANGED
from boards.access import lock_card, look_again, may_work_on
from boards.contents import round_contents
from boards.models import Card, Iteration
from boards.services.cards import set_badge
from boards.services.placing import lock_stages, place_card
from boards.services.rounds import start_round
from boards.states import Badge
from destinations.states import Cause
from reviews.access import lock_review
from reviews.calls.checking import check_bucket
from reviews.models import Decision, Review
from reviews.selectors.folders import folder_of
from reviews.selectors.reviews import contents_of
from reviews.services.decisions import Given, decide, require_decidable
from reviews.services.folder_files import advance, approve, place
from reviews.services.reviews import open_review
from reviews.states import Door, FolderArea, Verdict
from workflows.models import Rule
from workflows.selectors.plans import Plan, plan_of
from workflows.selectors.rules import rule_starting_in
from workflows.services.delivering import deliver
from workflows.services.entering import block_card, enter_stage, holds_target, is_as_shown, spend_turn, start_turn
from workflows.states import OnApproval, RuleReview, StandingStill
from workspaces.access import require_capability, require_writer
from workspaces.caller import Caller
from workspaces.models import Actor

REJECTED = "REJECTED"  # the reason a card shows after it


def waits_for_review(turn: Turn) -> bool:
    """Whether what a turn left waits for a person: its rule says so, and the board has a work folder."""
    return turn.rule_run.review == RuleReview.FOLDER and folder_of(turn.card.board) is not None


@transaction.atomic(savepoint=False)
def put_up_for_review(caller: Caller, *, turn: Turn) -> Review:
    """Open the review of what a turn left on its card, which is locked; the card stays in its column."""
    contents = round_contents(turn.card, turn.iteration)
    unwritten = Review(board=turn.card.board, card=turn.card, iteration=turn.iteration, turn=turn)
    plan = plan_of(caller, unwritten, contents)
    review = open_review(turn, card=turn.card, contents=contents, following=plan.following)
    folder = folder_of(turn.card.board)
    if folder is not None:
        place(folder, card=turn.card, review=review, contents=contents)
    return review


def decide_review(
    caller: Caller,
    *,
    review: Review,
    intent_hash: str,
    decision: Verdict,
    note: str = "",
    door: Door,
    opened_at: datetime | None = None,
) -> Decision:
    """Decide on a review that came from `reviews.access`; every door comes through here.

    ``intent_hash`` is what get_review gave. Not to be called within a transaction: a bucket may have to be asked.
    """
    require_writer(caller)
    require_capability(caller, "reviews")
    given = Given(verdict=decision, intent_hash=intent_hash, note=note.strip(), door=door, opened_at=opened_at)
    _require_worth_a_look(caller, review, given)
    check_bucket(review)
    return _decide(caller, review, given)


def _require_worth_a_look(caller: Caller, review: Review, given: Given) -> None:
    """Refuse before a bucket is asked what would be refused after it: the look holds one of few threads."""
    contents = round_contents(review.card, review.iteration)
    following = plan_of(caller, review, contents).following
    require_decidable(caller, review=review, contents=contents, following=following, given=given)


@transaction.atomic
def _decide(asked_by: Caller, review: Review, given: Given) -> Decision:
    """Look at everything again under the locks, decide, and do what follows, or nothing of it.

    The rights of who decides are read again too: they may have lost them while the bucket was asked.
    """
    caller, _ = look_again(asked_by, review.board)
    card = lock_card(review.card)
    locked = lock_review(review)
    locked.card = card
    contents = round_contents(card, locked.iteration)
    plan = plan_of(caller, locked, contents)
    decision = decide(caller, review=locked, contents=contents, following=plan.following, given=given)
    after_decision(caller, decision=decision, plan=plan)
    return decision


def after_decision(caller: Caller, *, decision: Decision, plan: Plan) -> None:
    """Do what follows a decision, in its transaction, with the card locked."""
    review = decision.review
    if decision.decision == Verdict.APPROVE:
        approve(review, contents_of(review))
    else:
        advance(review, None)
    if decision.decision == Verdict.REJECT:
        set_badge(review.card, Badge.IDLE, REJECTED)
    elif decision.decision == Verdict.REQUEST_CHANGES:
        _work_again(caller, review, plan)
    elif plan.code:
        block_card(caller.actor, card=review.card, code=plan.code, rule=plan.rule)
    elif plan.action is OnApproval.RETURN:
        _require_shown(review.card, _start(caller, review.card, review.iteration, plan.rule), plan)
    else:
        _go_on(caller, review, plan)


def _go_on(caller: Caller, review: Review, plan: Plan) -> None:
    assert plan.to_stage is not None  # a plan without a code names one
    stages = lock_stages(review.card.stage_id, plan.to_stage.pk)
    if plan.to_stage.pk not in stages:  # it was deleted this moment
        raise PREVIEW_CHANGED()
    moved = place_card(caller, card=review.card, stage=plan.to_stage, locked=stages)
    _require_shown(moved, enter_stage(caller, card=moved, iteration=review.iteration), plan)
    if plan.outgoing is not None:
        deliver(caller.actor, card=moved, outgoing=plan.outgoing, cause=Cause.REVIEW)
    elif moved.badge == Badge.DONE:
        advance(review, FolderArea.DONE)


def _require_shown(card: Card, started: Turn | None, plan: Plan) -> None:
    """Refuse when anything started that was not shown; a round that is used up starts less, and the card says so."""
    is_used_up = started is None and card.badge == Badge.BLOCKED
    if not is_used_up and not is_as_shown(started, plan.starts):
        raise PREVIEW_CHANGED()


def _work_again(caller: Caller, review: Review, plan: Plan) -> None:
    """Begin the next round with the rule that starts in the card's column today; its agent is told the note."""
    iteration = start_round(caller, card=review.card, started_by=_maker_of_next(caller, review))
    _start(caller, review.card, iteration, plan.rule)


def _maker_of_next(caller: Caller, review: Review) -> Actor:
    """Whoever asks for changes does not become the maker, unless the one there was may not work here any more."""
    member = review.maker.member
    return review.maker if member is None or may_work_on(member, review.board) else caller.actor


def _start(caller: Caller, card: Card, iteration: Iteration, reviewed: Rule) -> Turn | None:
    """Start the rule of the card's column within a round, or say on the card why nothing starts."""
    rule = rule_starting_in(card.stage_id) if card.stage_id else None
    if rule is None or not holds_target(rule):
        block_card(caller.actor, card=card, code=StandingStill.RULE_PAUSED, rule=reviewed)
        return None
    spent = spend_turn(iteration, rule)
    if spent is not None:
        block_card(caller.actor, card=card, code=spent.code, rule=rule)
        return None
    return start_turn(caller, card=card, iteration=iteration, rule=rule)
