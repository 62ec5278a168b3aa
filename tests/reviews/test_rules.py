"""Who may decide, as plain data: every combination of what is weighed."""

from __future__ import annotations

from itertools import product

import pytest

from reviews.refusals import MAKER_CANNOT_APPROVE, NOT_NAMED_REVIEWER, REVIEW_CLOSED
from reviews.rules import Standing, why_not
from reviews.states import Verdict

FACTS = ("is_open", "is_shared", "is_maker", "is_other_named")
EVERY = [Standing(**dict(zip(FACTS, facts, strict=True))) for facts in product([True, False], repeat=4)]


@pytest.mark.requirement("V005", "V006", "V007")
@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("standing", EVERY, ids=str)
def test_a_decision_meets_the_first_thing_that_stands_against_it(verdict: Verdict, standing: Standing) -> None:
    is_own_approval = verdict is Verdict.APPROVE and standing.is_maker and standing.is_shared
    expected = (
        REVIEW_CLOSED
        if not standing.is_open
        else NOT_NAMED_REVIEWER
        if standing.is_other_named
        else MAKER_CANNOT_APPROVE
        if is_own_approval
        else None
    )

    assert why_not(verdict, standing) is expected
