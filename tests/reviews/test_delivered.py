"""What leaves after an approval, at the end of a round, and with a person's own move to Done: what was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.test import override_settings

from agents.access import get_agent
from agents.models import AiAccount, Turn
from agents.services.agents import publish_agent, write_draft
from bakedbrie.lib.refusals import Refused
from boards.models import Stage
from boards.services.rounds import keep_result
from boards.states import Badge
from destinations.models import Delivery, Destination
from reviews.access import get_review
from reviews.models import Review
from reviews.states import Door, ReviewState, Verdict
from tests.factories.destinations import make_destination
from tests.factories.reviews import decide, shown_hash, switch_on, work
from tests.factories.workflows import Line
from tests.support.buckets import S3Server
from tests.support.cast import browser
from tests.support.jobs import Ran
from tests.web.pages import text_of, url
from workers.turns import run_turn
from workflows.access import get_rule
from workflows.models import Rule
from workflows.selectors.previews import MovePreview
from workflows.selectors.shown_reviews import read_review
from workflows.services.moves import move_card, preview_move
from workflows.services.reviewing import decide_review
from workflows.services.rules import Then, pause_rule, preview_publication, publish_rule, write_rule_draft
from workflows.states import OnApproval, RuleReview

pytestmark = pytest.mark.django_db(transaction=True)

Drain = Callable[..., Ran]


@pytest.fixture
def goes(line: Line, moto_server: S3Server) -> Iterator[Line]:
    """The line with a bucket as its board's destination; its agent has to ask before it delivers."""
    with override_settings(OUTBOUND_LOOPBACK=[line.provider.pair, moto_server.pair]):
        make_destination(line.caller, moto_server, board=line.board)
        permit(line, "ask")
        yield line


def permit(line: Line, verdict: str) -> None:
    write_draft(line.caller, board=line.board, agent=line.agent, permissions={"deliver": verdict})
    line.agent = publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk), confirm_outward=True)


def publish(
    line: Line, rule: Rule | None, then: Then, *, from_stage: Stage | None = None, to_stage: Stage | None = None
) -> None:
    switch_on(line.caller, "api_workflow")
    draft = write_rule_draft(
        line.caller,
        board=line.board,
        rule=rule,
        from_stage=from_stage or line.doing,
        agent=line.agent,
        to_stage=to_stage or line.done,
        then=then,
    )
    publish_rule(line.caller, rule=draft)


def unreviewed(line: Line) -> None:
    publish(line, line.rule, Then(review=RuleReview.NONE))


def to_done(line: Line) -> MovePreview:
    card = line.fresh_card()
    preview = preview_move(line.caller, card=card, stage=line.done)
    move_card(line.caller, card=card, stage=line.done, preview_hash=preview.preview_hash)
    return preview


def sent(server: S3Server) -> list[str]:
    config = Destination.objects.get().config
    bucket = server.bucket(config["bucket"], config["prefix"])
    return [server.read(bucket, key).decode() for key in server.keys(bucket)]


@pytest.mark.requirement("D047", "C090")
def test_an_approved_card_shows_that_it_is_on_its_way_and_then_that_it_arrived(
    goes: Line, moto_server: S3Server, drain_jobs: Drain
) -> None:
    review = decide(goes.caller, work(goes, text="Approved work."))
    approved = goes.fresh_card()

    drain_jobs()

    card, delivery = goes.fresh_card(), Delivery.objects.get()
    assert (approved.stage, approved.badge, approved.badge_reason) == (goes.done, Badge.WAITING, "DELIVERING")
    assert (card.badge, delivery.state, delivery.cause) == (Badge.DONE, "delivered", "review")
    assert sent(moto_server) == ["Approved work."]
    assert [step.path for step in delivery.steps.all()] == review.next["destination"]["paths"]


@pytest.mark.requirement("V032")
@pytest.mark.parametrize("verdict", [Verdict.REJECT, Verdict.REQUEST_CHANGES])
def test_what_was_not_approved_does_not_leave(goes: Line, verdict: Verdict) -> None:
    decide(goes.caller, work(goes), verdict)

    assert not Delivery.objects.exists()


def test_a_rejected_card_that_is_moved_to_done_leaves_nothing_and_says_so_before(goes: Line) -> None:
    decide(goes.caller, work(goes), Verdict.REJECT)

    preview = to_done(goes)

    assert preview.consequences["sentences"][-1] == "Nothing is delivered: nobody has approved what was made."
    assert (goes.fresh_card().badge, Delivery.objects.count()) == (Badge.DONE, 0)


@pytest.mark.requirement("V032", "V033")
def test_what_was_rejected_last_does_not_leave_with_a_move_though_it_was_approved_before(goes: Line) -> None:
    publish(goes, goes.rule, Then(on_approval=OnApproval.RETURN))
    decide(goes.caller, work(goes, text="Same words."))
    goes.provider.reply("Same words.")
    run_turn(str(Turn.objects.get(finished_at__isnull=True).pk))
    decide(goes.caller, Review.objects.get(state=ReviewState.OPEN), Verdict.REJECT)

    preview = to_done(goes)

    assert preview.consequences["sentences"][-1] == "Nothing is delivered: nobody has approved what was made."
    assert (goes.fresh_card().badge, Delivery.objects.count()) == (Badge.DONE, 0)


@pytest.mark.requirement("V013", "V031", "A008")
def test_what_leaves_at_the_end_of_what_an_approval_starts_is_told_and_agreed_to(goes: Line) -> None:
    permit(goes, "allowed")
    polish = goes.add_stage("Polish")
    publish(goes, goes.rule, Then(), to_stage=polish)
    publish(goes, None, Then(review=RuleReview.NONE), from_stage=polish)
    review, account = work(goes), AiAccount.objects.get()
    seen = read_review(goes.caller, get_review(goes.caller, review.pk))

    Destination.objects.update(revision=7)
    led_elsewhere = shown_hash(goes.caller, review)
    permit(goes, "off")
    stays = read_review(goes.caller, get_review(goes.caller, review.pk))

    assert list(seen.sentences) == [
        "Approved, the card moves to “Polish”.",
        f"In “Polish” the agent “{goes.agent.name}”, version 3 works on it.",
        f"The AI account “{account.label}” ({account.model}) pays.",
        "When it is finished, the card moves on to “Done”.",
        "There it is done.",
        "What was made is then delivered to “Website”.",
    ]
    assert len({seen.intent_hash, led_elsewhere, stays.intent_hash}) == 3
    assert stays.sentences[-1] == "Nothing is delivered: the agent may not deliver."


def test_an_agent_that_may_not_deliver_delivers_nothing_after_an_approval(goes: Line) -> None:
    permit(goes, "off")
    review = work(goes)
    shown = read_review(goes.caller, review)
    page = text_of(browser(goes.caller).get(url("review", review.pk)))

    decide(goes.caller, review)

    assert shown.sentences[-1] == "Nothing is delivered: the agent “Researcher” may not deliver."
    assert ('id="held"' in page, url("agent", goes.agent.pk) in page) == (True, True)
    assert (goes.fresh_card().badge, Delivery.objects.count()) == (Badge.DONE, 0)


@pytest.mark.parametrize(("said", "is_told"), [("off", True), ("ask", False), ("allowed", False)])
def test_publishing_says_where_nothing_would_be_delivered(goes: Line, said: str, is_told: bool) -> None:
    permit(goes, said)
    client = browser(goes.caller)
    pause_rule(goes.caller, rule=goes.rule)
    rule = get_rule(goes.caller, goes.rule.pk)
    write_draft(goes.caller, board=goes.board, agent=goes.agent, permissions={"deliver": said}, instructions="Anew.")

    sentences = preview_publication(goes.caller, rule=rule).sentences
    page = text_of(client.get(url("publish-agent", goes.agent.pk)))

    assert any("may not deliver" in sentence for sentence in sentences) == is_told
    assert ('id="held"' in page) == is_told


@pytest.mark.requirement("V013")
def test_a_destination_that_changed_is_shown_again(goes: Line) -> None:
    review = work(goes)
    seen = shown_hash(goes.caller, review)
    Destination.objects.update(revision=7)

    with pytest.raises(Refused) as refused:
        decide_review(goes.caller, review=review, intent_hash=seen, decision=Verdict.APPROVE, door=Door.WEB)

    assert (refused.value.code, Delivery.objects.count()) == ("PREVIEW_CHANGED", 0)
    assert Review.objects.get().state == ReviewState.OPEN


@pytest.mark.requirement("A008")
@pytest.mark.parametrize(("verdict", "deliveries"), [("allowed", 1), ("ask", 0), ("off", 0)])
def test_without_a_review_the_agents_permission_decides(goes: Line, verdict: str, deliveries: int) -> None:
    permit(goes, verdict)
    unreviewed(goes)

    run_turn(str(goes.start().pk))

    assert (goes.fresh_card().stage, Delivery.objects.count()) == (goes.done, deliveries)


@pytest.mark.requirement("V033")
def test_a_result_that_changed_after_its_approval_does_not_leave_with_a_move(goes: Line) -> None:
    permit(goes, "off")
    review = decide(goes.caller, work(goes))
    back_to_todo(goes)
    keep_result(card=goes.card, iteration=review.iteration, made_by=goes.caller.actor, markdown="Changed.")

    to_done(goes)

    assert not Delivery.objects.exists()


def test_a_persons_own_move_delivers_what_was_approved_once(goes: Line) -> None:
    permit(goes, "off")
    decide(goes.caller, work(goes))
    back_to_todo(goes)

    first = to_done(goes)
    back_to_todo(goes)
    second = to_done(goes)

    assert first.consequences["delivers_to"]["name"] == "Website"
    assert second.consequences["delivers_to"] is None
    assert (Delivery.objects.get().cause, first.starts_something) == ("move", True)


def back_to_todo(line: Line) -> None:
    card = line.fresh_card()
    preview = preview_move(line.caller, card=card, stage=line.todo)
    move_card(line.caller, card=card, stage=line.todo, preview_hash=preview.preview_hash)
