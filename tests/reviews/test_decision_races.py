"""Decisions on a review while something else happens to it: one comes first, and the other is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from agents.access import get_agent
from agents.models import Turn
from agents.services.agents import publish_agent, write_draft
from boards.access import lock_board_or_archived, lock_card
from boards.models import Board, BoardEvent, Card
from boards.services.cards import edit_card
from boards.services.members import add_board_member, remove_board_member
from boards.services.rounds import keep_result
from boards.states import Badge, EventKind
from destinations.models import Delivery
from destinations.services.deliveries import redeliver
from destinations.states import DeliveryState
from reviews.models import Decision, Review, WorkFolder
from reviews.states import Door, ReviewState, Verdict
from tests.factories.destinations import bare_destination
from tests.factories.reviews import decide, shown_hash, switch_on, work
from tests.factories.workflows import Line
from tests.support.races import at_once, codes, in_thread, wait_until_waiting
from workflows.services.archive import archive_board
from workflows.services.cards import trash_card
from workflows.services.moves import move_card, preview_move
from workflows.services.reviewing import decide_review
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.members import change_role, remove_member

pytestmark = pytest.mark.django_db(transaction=True)

Job = Callable[[], object]


@pytest.fixture
def shared(line: Line, mia: Caller, amir: Caller) -> Line:
    """The board of three: what Alice starts, Mia and Amir approve. What is approved leaves it."""
    line.let_in(mia)
    switch_on(line.caller, "destinations")
    bare_destination(line.caller, line.board)
    write_draft(line.caller, board=line.board, agent=line.agent, permissions={"deliver": "ask"})
    line.agent = publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk), confirm_outward=True)
    return line


def deciding(caller: Caller, review: Review, verdict: Verdict = Verdict.APPROVE) -> Job:
    """A decision on what is there now, to be made in a moment."""
    seen, note = shown_hash(caller, review), "Shorter." if verdict is Verdict.REQUEST_CHANGES else ""
    return lambda: decide_review(caller, review=review, intent_hash=seen, decision=verdict, note=note, door=Door.WEB)


def decided(review: Review) -> tuple[str, int, int]:
    """The state of a review, how often it was decided, and how often that was told."""
    review.refresh_from_db()
    told = BoardEvent.objects.filter(kind=EventKind.REVIEW_DECIDED, card=review.card_id)
    return review.state, Decision.objects.filter(review=review).count(), told.count()


def behind(change: Job, job: Job) -> object:
    """Begin the job while a change is made that is not kept yet; return how the job ended once it is."""
    with transaction.atomic():
        change()
        running = in_thread(job)
        wait_until_waiting()
    return running.outcome()


@pytest.mark.requirement("V002", "C090")
@pytest.mark.parametrize("other", list(Verdict))
def test_of_two_decisions_at_once_one_counts_and_the_other_is_told(
    shared: Line, mia: Caller, amir: Caller, other: Verdict
) -> None:
    review = work(shared)

    outcomes = at_once(deciding(mia, review), deciding(amir, review, other))

    state, decisions, told = decided(review)
    approved = state == ReviewState.APPROVED
    assert codes(outcomes) == ["REVIEW_CLOSED", "done"]
    assert (decisions, told) == (1, 1)
    assert Delivery.objects.count() == (1 if approved else 0)
    assert Turn.objects.count() == (2 if state == ReviewState.CHANGES_REQUESTED else 1)
    assert (shared.fresh_card().stage == shared.done) == approved


@pytest.mark.requirement("V002", "C090")
@pytest.mark.parametrize("first", list(Verdict))
def test_a_decision_that_waited_for_the_opposite_one_is_told_and_changes_nothing(
    shared: Line, mia: Caller, amir: Caller, first: Verdict
) -> None:
    review = work(shared)
    second = deciding(amir, review, Verdict.REJECT if first is Verdict.APPROVE else Verdict.APPROVE)

    with transaction.atomic():
        lock_board_or_archived(shared.board)
        ahead = in_thread(deciding(mia, review, first))
        wait_until_waiting(1)
        behind_it = in_thread(second)
        wait_until_waiting(2)

    outcomes = [ahead.outcome(), behind_it.outcome()]
    assert codes(outcomes) == ["REVIEW_CLOSED", "done"]
    assert decided(review)[1:] == (1, 1)
    assert Delivery.objects.count() == (1 if review.state == ReviewState.APPROVED else 0)


@pytest.mark.requirement("V005", "V006", "C090")
def test_a_second_person_who_comes_before_a_self_approval_is_kept_stands_against_it(line: Line, mia: Caller) -> None:
    review = work(line)
    approval = deciding(line.caller, review)

    outcome = behind(lambda: add_board_member(line.caller, board=line.board, member=mia.member), approval)

    assert codes([outcome]) == ["MAKER_CANNOT_APPROVE"]
    assert decided(review) == (ReviewState.OPEN, 0, 0)


@pytest.mark.requirement("V006", "C090")
def test_a_second_person_who_comes_behind_a_self_approval_waits_for_it(line: Line, mia: Caller) -> None:
    review = work(line)

    with transaction.atomic():
        lock_card(line.fresh_card())
        approval = in_thread(deciding(line.caller, review))
        wait_until_waiting(1)
        coming = in_thread(lambda: add_board_member(line.caller, board=line.board, member=mia.member))
        wait_until_waiting(2)

    assert codes([approval.outcome(), coming.outcome()]) == ["done", "done"]
    assert decided(review) == (ReviewState.APPROVED, 1, 1)


@pytest.mark.requirement("C090", "C095")
def test_a_reviewer_who_loses_the_board_in_between_decides_nothing(shared: Line, mia: Caller) -> None:
    review = work(shared)
    approval = deciding(mia, review)

    outcome = behind(lambda: remove_board_member(shared.caller, board=shared.board, member=mia.member), approval)

    assert codes([outcome]) == ["NOT_FOUND"]
    assert decided(review) == (ReviewState.OPEN, 0, 0)


@pytest.mark.requirement("C090", "C095")
@pytest.mark.parametrize(("role", "code"), [(Role.VIEWER, "NOT_FOUND"), (None, "UNAUTHENTICATED")])
def test_an_admin_who_loses_their_role_in_between_decides_nothing(
    shared: Line, amir: Caller, role: Role | None, code: str
) -> None:
    review = work(shared)
    approval = deciding(amir, review)

    with transaction.atomic():
        lock_board_or_archived(shared.board)
        late = in_thread(approval)
        wait_until_waiting(1)
        if role is None:
            remove_member(shared.caller, member=amir.member)
        else:
            change_role(shared.caller, member=amir.member, role=role)

    assert codes([late.outcome()]) == [code]
    assert decided(review) == (ReviewState.OPEN, 0, 0)


@pytest.mark.requirement("V013", "C090", "C085")
@pytest.mark.parametrize("change", ["result", "title", "folder"])
def test_what_changes_while_a_decision_is_on_its_way_is_refused(
    shared: Line, mia: Caller, amir: Caller, change: str
) -> None:
    review = work(shared)
    approval = deciding(mia, review)

    def edit() -> None:
        card = lock_card(shared.fresh_card())
        if change == "result":
            keep_result(card=card, iteration=review.iteration, made_by=amir.actor, markdown="Other.")
        elif change == "title":
            edit_card(shared.caller, card=card, expected_revision=None, title="Other")
        else:
            lock_board_or_archived(shared.board)
            WorkFolder.objects.filter(board=shared.board).update(reviewer=amir.member)

    outcome = behind(edit, approval)

    assert codes([outcome]) == ["NOT_NAMED_REVIEWER" if change == "folder" else "PREVIEW_CHANGED"]
    assert decided(review) == (ReviewState.OPEN, 0, 0)
    assert not Delivery.objects.exists()


def moving(line: Line) -> Job:
    card = line.fresh_card()
    seen = preview_move(line.caller, card=card, stage=line.todo).preview_hash
    return lambda: move_card(line.caller, card=card, stage=line.todo, preview_hash=seen)


ENDS: dict[str, Callable[[Line], Job]] = {
    "archive": lambda line: lambda: archive_board(line.caller, board=line.board),
    "trash": lambda line: lambda: trash_card(line.caller, card=line.fresh_card()),
    "move": moving,
}
# What a decision is told when the card was taken from its review first, and what a late end is told.
TOLD = {"archive": "BOARD_ARCHIVED", "trash": "CARD_TRASHED", "move": "REVIEW_CLOSED"}
LATE = {"archive": "done", "trash": "done", "move": "PREVIEW_CHANGED"}


@pytest.mark.requirement("V013", "C085", "C090")
@pytest.mark.parametrize("end", list(ENDS))
def test_a_card_that_is_taken_from_its_review_and_a_decision_wait_for_each_other(
    shared: Line, mia: Caller, end: str
) -> None:
    review = work(shared)
    approval, taking = deciding(mia, review), ENDS[end](shared)

    with transaction.atomic():
        Card.objects.select_for_update(no_key=True).get(pk=review.card_id)
        taken = in_thread(taking)
        wait_until_waiting(1)
        late = in_thread(approval)
        wait_until_waiting(2)

    assert codes([taken.outcome()]) == ["done"]
    assert codes([late.outcome()]) == [TOLD[end]]
    assert decided(review) == (ReviewState.CANCELED, 0, 0)
    assert not Delivery.objects.exists()


@pytest.mark.requirement("V013", "C085", "C090")
@pytest.mark.parametrize("end", list(ENDS))
def test_a_card_that_is_being_decided_on_is_taken_away_afterwards_or_not_at_all(
    shared: Line, mia: Caller, end: str
) -> None:
    review = work(shared)
    approval, taking = deciding(mia, review), ENDS[end](shared)

    with transaction.atomic():
        Card.objects.select_for_update(no_key=True).get(pk=review.card_id)
        first = in_thread(approval)
        wait_until_waiting(1)
        late = in_thread(taking)
        wait_until_waiting(2)

    assert codes([first.outcome()]) == ["done"]
    assert codes([late.outcome()]) == [LATE[end]]
    assert decided(review) == (ReviewState.APPROVED, 1, 1)
    assert Delivery.objects.count() == 1
    assert (Board.objects.get(pk=shared.board.pk).archived_at is not None) == (end == "archive")


@pytest.mark.requirement("D043", "C090")
def test_a_delivery_that_two_people_begin_again_at_once_is_begun_once(shared: Line, mia: Caller, amir: Caller) -> None:
    decide(mia, work(shared))
    Delivery.objects.update(state=DeliveryState.FAILED, code="AUTH_FAILED")
    delivery = Delivery.objects.get()

    outcomes = at_once(*[lambda by=by: redeliver(by, delivery=delivery) for by in (mia, amir)])

    delivery.refresh_from_db()
    assert codes(outcomes) == ["DELIVERY_RUNNING", "done"]
    assert (delivery.state, delivery.tries) == (DeliveryState.PENDING, 2)
    assert shared.fresh_card().badge == Badge.WAITING
