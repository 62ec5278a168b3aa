"""A preview says whether what will be made leaves, and what comes before: and that is what then happens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import override_settings

from agents.access import get_agent
from agents.models import Approval, Permit, Turn
from agents.services.agents import publish_agent, write_draft
from destinations.models import Delivery, Destination
from reviews.models import Review, WorkFolder
from tests.factories.destinations import make_destination
from tests.factories.reviews import decide, switch_on, work
from tests.factories.workflows import Line
from tests.support.buckets import S3Server
from workers.turns import run_turn
from workflows.selectors.previews import MovePreview
from workflows.selectors.review_page import see_review
from workflows.services.moves import preview_move
from workflows.services.rules import Then, publish_rule, write_rule_draft
from workflows.states import DeliversAfter, OnApproval, RuleReview

pytestmark = pytest.mark.django_db(transaction=True)

ASKS = "the agent asks a person and waits for the answer."


@pytest.fixture
def goes(line: Line, moto_server: S3Server) -> Iterator[Line]:
    """The line, which has a work folder, with a bucket as its board's destination."""
    with override_settings(OUTBOUND_LOOPBACK=[line.provider.pair, moto_server.pair]):
        make_destination(line.caller, moto_server, board=line.board)
        yield line


def permit(line: Line, verdict: str) -> None:
    write_draft(line.caller, board=line.board, agent=line.agent, permissions={"deliver": verdict})
    line.agent = publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk), confirm_outward=True)


def rule_says(line: Line, then: Then) -> None:
    switch_on(line.caller, "api_workflow")
    rule = write_rule_draft(
        line.caller,
        board=line.board,
        rule=line.rule,
        from_stage=line.doing,
        agent=line.agent,
        to_stage=line.done,
        then=then,
    )
    publish_rule(line.caller, rule=rule)


def preview(line: Line) -> MovePreview:
    return preview_move(line.caller, card=line.fresh_card(), stage=line.doing)


@pytest.mark.requirement("A003", "A008", "A012", "D047", "V015", "V021")
@pytest.mark.parametrize("review", list(RuleReview))
@pytest.mark.parametrize("has_folder", [True, False])
@pytest.mark.parametrize("permission", ["off", "ask", "allowed"])
def test_what_a_preview_says_of_a_delivery_is_what_happens(
    goes: Line, permission: str, has_folder: bool, review: RuleReview
) -> None:
    permit(goes, permission)
    rule_says(goes, Then(review=review))
    if not has_folder:
        WorkFolder.objects.all().delete()
    is_reviewed = has_folder and review is RuleReview.FOLDER
    unreviewed = {"off": None, "ask": DeliversAfter.ANSWER, "allowed": DeliversAfter.FINISH}[permission]
    after = DeliversAfter.REVIEW if is_reviewed and permission != "off" else unreviewed

    told = preview(goes).consequences
    goes.provider.reply("Finished work.")
    run_turn(str(goes.start().pk))

    assert (told["delivers_after"], told["steps"][0]["is_reviewed"]) == (after, is_reviewed)
    assert (told["delivers_to"] is None) == (permission == "off")
    assert any(sentence.endswith(ASKS) for sentence in told["sentences"]) == (after is DeliversAfter.ANSWER)
    assert ("Nothing is delivered: the agent may not deliver." in told["sentences"]) == (permission == "off")
    assert any("asks no second time" in one for one in told["sentences"]) == (is_reviewed and permission == "ask")
    happened = {
        DeliversAfter.REVIEW: Review.objects.filter(state="open").count(),
        DeliversAfter.ANSWER: Approval.objects.filter(state="pending").count(),
        DeliversAfter.FINISH: Delivery.objects.count(),
    }
    waits_anyway = {DeliversAfter.REVIEW} if is_reviewed else set()
    assert {what for what, n in happened.items() if n} == ({after} - {None}) | waits_anyway


@pytest.mark.requirement("A012")
def test_an_answer_that_stands_is_not_asked_for_again_and_the_preview_says_so(goes: Line) -> None:
    permit(goes, "ask")
    rule_says(goes, Then(review=RuleReview.NONE))
    asks = preview(goes)
    target = Destination.objects.get().pk
    Permit.objects.create(agent=goes.agent, area="deliver", target=target, given_by=goes.caller.actor)

    free = preview(goes)

    said = [one.consequences["delivers_after"] for one in (asks, free)]
    assert (said, asks.preview_hash) == ([DeliversAfter.ANSWER, DeliversAfter.FINISH], free.preview_hash)


def test_an_approval_that_delivers_nothing_is_not_said_to(goes: Line) -> None:
    permit(goes, "allowed")
    rule_says(goes, Then(on_approval=OnApproval.FINISH))

    told = preview(goes).consequences

    assert (told["delivers_to"], told["delivers_after"]) == (None, None)


@pytest.mark.requirement("D047", "V021")
def test_what_returns_once_is_said_to_be_delivered_after_the_second_approval_and_is(goes: Line) -> None:
    permit(goes, "allowed")
    rule_says(goes, Then(on_approval=OnApproval.RETURN))
    before = preview(goes)
    Destination.objects.update(revision=7)
    after = preview(goes)
    first = work(goes)
    said = see_review(goes.caller, first).sentences[-1]

    decide(goes.caller, first)
    none_yet = Delivery.objects.count()
    goes.provider.reply("Better work.")
    run_turn(str(Turn.objects.get(finished_at__isnull=True).pk))
    decide(goes.caller, Review.objects.get(state="open"))

    told = before.consequences
    assert (told["delivers_to"]["name"], told["delivers_after"]) == ("Website", DeliversAfter.REVIEW)
    assert told["sentences"][-1] == "Once approved the second time, what was made is delivered to “Website”."
    assert said == "Once approved, what was made is delivered to “Website”."
    assert after.preview_hash != before.preview_hash
    assert (none_yet, Delivery.objects.count()) == (0, 1)


@pytest.mark.requirement("D047")
def test_a_destination_that_changed_makes_another_preview_also_where_a_person_comes_first(goes: Line) -> None:
    permit(goes, "ask")
    before = preview(goes)
    Destination.objects.update(revision=7)

    assert preview(goes).preview_hash != before.preview_hash
