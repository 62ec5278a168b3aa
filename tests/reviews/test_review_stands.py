"""What does not touch a review: its turn is over, so that there is nothing to stop and nothing to run again."""

from __future__ import annotations

import pytest

from agents.models import Turn
from bakedbrie.lib.refusals import Refused
from reviews.models import Review
from reviews.states import ReviewState
from tests.factories.reviews import decide, shown_hash, work
from tests.factories.workflows import Line
from workflows.services.turns import run_again, stop_turn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.requirement("V013")
def test_a_turn_that_waits_for_its_review_is_neither_stopped_nor_run_again(line: Line) -> None:
    review = work(line)
    turn, seen = Turn.objects.get(), shown_hash(line.caller, review)

    codes = []
    for act in (stop_turn, run_again):
        with pytest.raises(Refused) as refused:
            act(line.caller, turn=turn)
        codes.append(refused.value.code)

    assert codes == ["TURN_NOT_RUNNING", "TURN_NOT_ENDED"]
    assert (Review.objects.get().state, shown_hash(line.caller, review)) == (ReviewState.OPEN, seen)
    assert Turn.objects.count() == 1
    assert decide(line.caller, review).state == ReviewState.APPROVED
