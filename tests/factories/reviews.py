"""Work folders with files in them, and cards that wait for a review, made the way the product makes them."""

from __future__ import annotations

from copy import copy

from agents.models import Turn
from bakedbrie.lib.ids import new_id
from boards.contents import Content, round_contents
from boards.models import Board, Card, Iteration, Result
from boards.services.rounds import keep_result, start_round
from reviews.models import FolderFile, Review, ReviewFile, WorkFolder
from reviews.selectors.intents import intent_of
from reviews.services.folder_files import put
from reviews.services.folders import FolderPlan, set_work_folder
from reviews.states import Door, FolderStorage, Verdict
from tests.factories.destinations import bare_destination
from tests.factories.workflows import Line
from workers.turns import run_turn
from workflows.models import RuleRun
from workflows.selectors.plans import plan_of
from workflows.services.reviewing import decide_review
from workspaces.caller import Caller
from workspaces.models import Member
from workspaces.services.capabilities import switch_capability


def switch_on(caller: Caller, *names: str) -> None:
    """Turn capabilities on, also for this caller."""
    for name in names:
        caller.workspace.capabilities = switch_capability(caller, name=name, is_on=True).capabilities
    caller.__dict__.pop("capabilities", None)


def switch_reviews_on(caller: Caller) -> None:
    """Turn on work folders, also those in our own storage."""
    switch_on(caller, "reviews", "hosted_work_folder")


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


def give_bucket_folder(caller: Caller, board: Board, *, endpoint: str) -> WorkFolder:
    """Set a work folder in a bucket at an endpoint; its four folders are made by the jobs that this rings for."""
    switch_reviews_on(caller)
    switch_on(caller, "destinations")
    destination = bare_destination(caller, board)
    destination.config = {**destination.config, "endpoint": endpoint, "region": "us-east-1"}
    destination.save(update_fields=["config"])
    plan = FolderPlan(storage=FolderStorage.S3, destination=destination)
    set_work_folder(caller, board=board, plan=plan, confirm=True)
    return WorkFolder.objects.get(board=board)


def give_folder(line: Line, *, reviewer: Member | None = None) -> WorkFolder:
    """Give the line's board a work folder of ours, which turns its reviews on."""
    folder = make_hosted_folder(line.caller, line.board)
    WorkFolder.objects.filter(pk=folder.pk).update(reviewer=reviewer)
    return folder


def work(line: Line, by: Caller | None = None, text: str = "Finished work.") -> Review:
    """Put the line's card to work, let the agent answer, and return the review that it waits in."""
    line.provider.reply(text)
    run_turn(str(line.start(by).pk))
    return Review.objects.get(card=line.card, state="open")


def shown_hash(caller: Caller, review: Review) -> str:
    """The hash of a review as it is now."""
    contents = round_contents(review.card, review.iteration)
    return intent_of(review, contents, plan_of(caller, review, contents).following)


def decide(caller: Caller, review: Review, verdict: Verdict = Verdict.APPROVE, note: str = "") -> Review:
    """Decide on what is there now, as on the page, and return the review as it is then."""
    if verdict is Verdict.REQUEST_CHANGES and not note:
        note = "Add a price to each."
    decide_review(
        caller,
        review=review,
        intent_hash=shown_hash(caller, review),
        decision=verdict,
        note=note,
        door=Door.WEB,
    )
    return Review.objects.select_related("decision").get(pk=review.pk)


def let_wait(review: Review, total: int) -> None:
    """Let so many cards wait in all, each with a file, as the one that does."""
    card, file = review.card, review.files.get()
    cards = Card.objects.bulk_create(
        Card(board=card.board, stage=card.stage, title=f"Card {n}", owner=card.owner, created_by=card.created_by)
        for n in range(1, total)
    )
    rounds = Iteration.objects.bulk_create(Iteration(card=card, n=1, started_by=review.maker) for card in cards)
    turns = Turn.objects.bulk_create(_turn_like(review.turn, one) for one in rounds)
    run = review.turn.rule_run
    RuleRun.objects.bulk_create(
        RuleRun(turn=turn, rule=run.rule, version=run.version, to_stage=run.to_stage) for turn in turns
    )
    reviews = Review.objects.bulk_create(
        Review(
            board=review.board,
            card=one.card,
            iteration=one,
            turn=turn,
            maker=review.maker,
            n=1,
            next=review.next,
            intent_hash=review.intent_hash,
        )
        for one, turn in zip(rounds, turns, strict=True)
    )
    ReviewFile.objects.bulk_create(
        ReviewFile(
            review=one,
            n=1,
            name=file.name,
            media_type=file.media_type,
            bytes=file.bytes,
            sha256=file.sha256,
            result=file.result,
        )
        for one in reviews
    )


def _turn_like(turn: Turn, iteration: Iteration) -> Turn:
    """A turn as another one, on the card of another round."""
    made = copy(turn)
    made.pk, made.card, made.iteration = new_id(), iteration.card, iteration
    made._state.adding = True
    return made
