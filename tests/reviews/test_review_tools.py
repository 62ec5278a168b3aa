"""The three tools of reviews through their door."""

from __future__ import annotations

from typing import Any

import pytest

from reviews.models import Decision, Review
from tests.factories.reviews import work
from tests.factories.workflows import Line
from tests.support.cast import api

pytestmark = pytest.mark.django_db(transaction=True)


def ask(line: Line, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = api(line.caller).post(f"/api/v1/tools/{tool}", arguments, format="json")
    shown: dict[str, Any] = answer.json().get("untrusted_data") or answer.json()["error"]
    return shown


@pytest.mark.requirement("V011", "V012", "V016", "V031")
def test_a_review_is_listed_read_and_decided_with_the_hash_that_was_read(line: Line) -> None:
    review = work(line, text="What was made.")

    (listed,) = ask(line, "list_reviews")["reviews"]
    shown = ask(line, "get_review", review_id=listed["id"])["review"]
    decided = ask(
        line, "decide_review", review_id=listed["id"], intent_hash=shown["intent_hash"], decision="approve", note="Yes."
    )["review"]

    assert (listed["id"], listed["state"], listed["round"]) == (str(review.pk), "open", 1)
    assert [(one["name"], one["markdown"]) for one in shown["contents"]] == [
        ("compare-three-tools.md", "What was made.")
    ]
    assert shown["sentences"] == ["Approved, the card moves to “Done” and is done.", "Nothing is delivered."]
    assert (decided["state"], decided["decision"]["note"]) == ("approved", "Yes.")
    assert (Decision.objects.get().door, ask(line, "list_reviews")["reviews"]) == ("mcp", [])


@pytest.mark.requirement("V013", "V014")
def test_another_hash_is_refused_at_the_door(line: Line) -> None:
    review = work(line)

    refused = ask(line, "decide_review", review_id=str(review.pk), intent_hash="0" * 64, decision="approve")

    assert (refused["code"], Review.objects.get().state) == ("PREVIEW_CHANGED", "open")


@pytest.mark.requirement("V017")
@pytest.mark.parametrize("tool", ["list_reviews", "get_review", "decide_review"])
def test_the_tools_need_the_capability(line: Line, tool: str) -> None:
    workspace = line.caller.workspace
    workspace.capabilities = [name for name in workspace.capabilities if name != "reviews"]
    workspace.save(update_fields=["capabilities"])

    assert ask(line, tool)["code"] == "CAPABILITY_OFF"
