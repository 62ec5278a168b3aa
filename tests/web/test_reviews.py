"""The pages of reviews: what waits, one review as it will be seen, and a decision on exactly that."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from agents.models import ModelCall
from bakedbrie.lib import clock
from boards.models import Card
from boards.services.members import add_board_member
from boards.states import Badge
from reviews.calls.notices import send_notice
from reviews.models import Decision, Review, WorkFolder
from reviews.states import ReviewState, Verdict
from tests.factories.boards import make_card
from tests.factories.reviews import decide, give_folder, work
from tests.factories.workflows import Line, make_line
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import Answer, text_of
from workflows.web.review_pieces import opened_now
from workspaces.caller import Caller
from workspaces.models import User
from workspaces.roles import Role
from workspaces.services.capabilities import switch_capability
from workspaces.services.members import change_role
from workspaces.services.users import set_review_mail

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def provider(settings: Settings) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair]
        yield fake


@pytest.fixture
def line(alice: Caller, provider: FakeProvider) -> Line:
    line = make_line(alice, provider)
    give_folder(line)
    return line


def fields_of(client: Client, review: Review) -> dict[str, str]:
    """What the form of the page would send."""
    text = client.get(f"/reviews/{review.pk}/").content.decode()
    form = text[text.index('id="decide"') :]
    return dict(re.findall(r'<input type="hidden" name="(request_id|intent_hash|opened)" value="([^"]*)"', form))


def post(client: Client, review: Review, fields: dict[str, str], **more: str) -> tuple[int, str]:
    answer = client.post(f"/reviews/{review.pk}/", {**fields, **more})
    return answer.status_code, answer.content.decode()


@pytest.mark.requirement("V011", "V031")
def test_the_page_shows_what_will_be_seen_and_what_follows(line: Line) -> None:
    review = work(line, text="# Oven\n\n<script>alert(1)</script> Bake **well**.")

    text = browser(line.caller).get(f"/reviews/{review.pk}/").content.decode()

    assert "<strong>well</strong>" in text
    assert "<script>alert" not in text
    assert "the card moves to “Done” and is done." in text
    assert "Made by" in text


@pytest.mark.requirement("V002", "V034")
def test_an_approval_on_the_page_takes_the_card_on(line: Line) -> None:
    review, client = work(line), browser(line.caller)

    status, _ = post(client, review, fields_of(client, review), decision="approve", note="Good.")

    card = Card.objects.select_related("stage").get(pk=review.card_id)
    decision = Decision.objects.get(review=review)
    assert (status, card.badge, decision.note, decision.door) == (302, Badge.DONE, "Good.", "web")
    assert decision.took_ms is not None


def test_looking_at_it_decides_nothing(line: Line) -> None:
    review, client = work(line), browser(line.caller)

    client.get(f"/reviews/{review.pk}/?decision=approve")
    client.head(f"/reviews/{review.pk}/")

    assert Review.objects.get(pk=review.pk).state == ReviewState.OPEN


def test_a_second_submit_of_the_form_decides_once(line: Line) -> None:
    review, client = work(line), browser(line.caller)
    fields = fields_of(client, review)

    answers = [post(client, review, fields, decision="approve")[0] for _ in range(2)]

    assert (answers, Decision.objects.count()) == ([302, 302], 1)


def test_what_changed_since_it_was_shown_is_shown_again_and_the_note_is_kept(line: Line) -> None:
    review, client = work(line), browser(line.caller)
    fields = fields_of(client, review)

    status, text = post(client, review, {**fields, "intent_hash": "0" * 64}, decision="approve", note="My words.")

    assert (status, "My words." in text) == (409, True)
    assert Review.objects.get(pk=review.pk).state == ReviewState.OPEN


@pytest.mark.requirement("V003")
def test_changes_without_a_note_are_asked_for_beside_the_field(line: Line) -> None:
    review, client = work(line), browser(line.caller)

    status, text = post(client, review, fields_of(client, review), decision="request_changes")

    assert status == 422
    assert "Is needed by request_changes" in text
    assert Review.objects.get(pk=review.pk).state == ReviewState.OPEN


@pytest.mark.requirement("V005")
def test_the_maker_on_a_shared_board_sees_why_and_has_no_button(line: Line, mia: Caller) -> None:
    add_board_member(line.caller, board=line.board, member=mia.member)
    review, client = work(line), browser(line.caller)

    page = client.get(f"/reviews/{review.pk}/").content.decode()
    status, text = post(client, review, fields_of(client, review), decision="approve", note="Mine.")

    assert 'id="approve"' not in page
    assert 'id="reject"' in page
    assert (status, "Mine." in text, Decision.objects.count()) == (403, True, 0)


def test_a_card_in_review_says_whose_decision_it_waits_for(line: Line, mia: Caller, vic: Caller) -> None:
    for person in (mia, vic):
        add_board_member(line.caller, board=line.board, member=person.member)
    work(line)

    titles = [_title_of(browser(who).get(f"/cards/{line.card.pk}/")) for who in (line.caller, mia, vic)]

    assert titles == [
        "This waits for somebody else’s decision",
        "This waits for your decision",
        "This waits for a decision",
    ]


def test_the_top_bar_counts_what_waits_where_one_may_look(line: Line, mia: Caller, charlie: Caller) -> None:
    before = _waiting(browser(line.caller).get("/"))
    work(line)

    seen = [_waiting(browser(who).get("/settings/")) for who in (line.caller, mia, charlie)]
    link = browser(line.caller).get("/reviews/link/")
    switch_capability(line.caller, name="reviews", is_on=False)

    assert (before, seen) == ("", ["1", "", ""])
    assert (_waiting(link), "<html" in text_of(link)) == ("1", False)
    assert 'id="to-reviews"' not in text_of(browser(line.caller).get("/"))
    assert text_of(browser(line.caller).get("/reviews/link/")).strip() == ""


def _title_of(page: Answer) -> str:
    found = re.search(r'id="in-review-title">([^<]+)<', text_of(page))
    return found.group(1) if found else ""


def _waiting(page: Answer) -> str:
    found = re.search(r'id="reviews-waiting"[^>]*>(\d+)<', text_of(page))
    return found.group(1) if found else ""


def test_a_viewer_looks_and_has_no_form(line: Line, vic: Caller) -> None:
    add_board_member(line.caller, board=line.board, member=vic.member)
    review = work(line)

    text = browser(vic).get(f"/reviews/{review.pk}/").content.decode()

    assert 'id="decide"' not in text
    assert "Your role can look, and not decide." in text


def test_a_role_lowered_meanwhile_decides_nothing(line: Line, mia: Caller) -> None:
    add_board_member(line.caller, board=line.board, member=mia.member)
    review, client = work(line), browser(mia)
    fields = fields_of(client, review)
    change_role(line.caller, member=mia.member, role=Role.VIEWER)

    status, _ = post(client, review, fields, decision="approve")

    assert (status, Decision.objects.count()) == (403, 0)


def test_a_changed_round_shows_what_differs_from_the_one_before(line: Line, drain_jobs: Callable[..., object]) -> None:
    first = work(line, text="Bread for four.")
    line.provider.reply("Bread for five.")
    decide(line.caller, first, Verdict.REQUEST_CHANGES, note="For five.")
    drain_jobs()

    second = Review.objects.get(state="open")
    text = browser(line.caller).get(f"/reviews/{second.pk}/").content.decode()

    assert re.search(r"<del>.*Bread for four\.</del>", text)
    assert re.search(r"<ins>.*Bread for five\.</ins>", text)


@pytest.mark.requirement("V016")
def test_the_list_asks_no_more_for_many(line: Line) -> None:
    client = browser(line.caller)
    work(line)
    with CaptureQueriesContext(connection) as one:
        client.get("/reviews/")
    line.card = make_card(line.caller, line.board, title="Second")
    work(line, text="Other work.")

    with CaptureQueriesContext(connection) as two:
        text = client.get("/reviews/").content.decode()

    assert "Second" in text
    assert len(one) == len(two)


@pytest.mark.requirement("V016")
def test_what_cost_nobody_knows_comes_before_what_cost_is_known(line: Line) -> None:
    first = work(line)
    line.card = make_card(line.caller, line.board, title="Second")
    second = work(line, text="Other work.")
    ModelCall.objects.filter(turn=first.turn_id).update(cost_micros=5_000)
    ModelCall.objects.filter(turn=second.turn_id).update(cost_micros=None)

    text = browser(line.caller).get("/reviews/").content.decode()

    assert re.findall(r"· cost ([^<]+)<", text) == ["unknown", "$0.005"]
    assert text.index(f"/reviews/{second.pk}/") < text.index(f"/reviews/{first.pk}/")


def test_the_history_of_the_card_shows_what_was_asked_for(line: Line) -> None:
    review = work(line)
    decide(line.caller, review, Verdict.REQUEST_CHANGES, note="Add a <whisk>.")

    text = browser(line.caller).get(f"/cards/{review.card_id}/").content.decode()

    assert re.search(r"requested changes<q[^>]*>Add a &lt;whisk&gt;\.</q>", text)


def test_home_leads_to_what_waits(line: Line) -> None:
    review = work(line)

    text = browser(line.caller).get("/").content.decode()

    assert f'href="/reviews/{review.pk}/"' in text
    assert "What the agent made waits for a decision." in text


def test_those_who_may_decide_are_told_by_mail_once(line: Line, mia: Caller, vic: Caller, settings: Settings) -> None:
    settings.EMAIL_HOST = "mail.example"
    for person in (mia, vic):
        add_board_member(line.caller, board=line.board, member=person.member)
    review = work(line, text="Secret words.")

    told = [send_notice(review.pk), send_notice(review.pk)]

    reached = sorted(address for message in mail.outbox for address in message.to)
    assert told == [len(reached), 0]
    assert mia.member.user.email in reached
    assert not {line.caller.member.user.email, vic.member.user.email} & set(reached)
    assert f"/reviews/{review.pk}/" in mail.outbox[0].body
    assert "Secret words." not in mail.outbox[0].body


def test_who_wants_no_mail_turns_it_off_on_their_own_page_and_no_link_does(
    line: Line, mia: Caller, amir: Caller, settings: Settings
) -> None:
    settings.EMAIL_HOST = "mail.example"
    add_board_member(line.caller, board=line.board, member=mia.member)
    client = browser(mia)
    client.get("/account/mail/")
    still = User.objects.get(pk=mia.member.user_id).gets_review_mail

    off = client.post("/account/mail/", {})
    send_notice(work(line).pk)

    told = {address for message in mail.outbox for address in message.to}
    assert (still, off.headers["Location"]) == (True, "/account/#mail")
    assert told == {amir.member.user.email}
    assert "/account/#mail" in mail.outbox[0].body
    assert "checked" not in client.get("/account/").content.decode().split('id="review-mail"')[1].split(">")[0]
    client.post("/account/mail/", {"review_mail": "on"})
    assert User.objects.get(pk=mia.member.user_id).gets_review_mail


def test_a_named_reviewer_who_wants_no_mail_gets_none(line: Line, mia: Caller, settings: Settings) -> None:
    settings.EMAIL_HOST = "mail.example"
    add_board_member(line.caller, board=line.board, member=mia.member)
    WorkFolder.objects.update(reviewer=mia.member)
    set_review_mail(mia.member.user, is_wanted=False)

    assert (send_notice(work(line).pk), mail.outbox) == (0, [])


def test_without_a_mail_server_nobody_is_told_and_nothing_is_claimed(line: Line) -> None:
    review = work(line)

    assert send_notice(review.pk) == 0
    assert Review.objects.get(pk=review.pk).noticed_at is None


def test_the_hour_a_page_was_opened_cannot_be_made_up(line: Line) -> None:
    review, client = work(line), browser(line.caller)
    fields = {**fields_of(client, review), "opened": clock.now().isoformat()}

    post(client, review, fields, decision="approve")

    assert Decision.objects.get().took_ms is None


@pytest.mark.parametrize("of", ["itself", "another review", "somebody else", "another day"])
def test_the_hour_a_page_was_opened_counts_for_its_review_its_reader_and_its_day_alone(
    line: Line, amir: Caller, of: str
) -> None:
    review = work(line)
    line.card = make_card(line.caller, line.board, title="Second")
    other = work(line, text="Other work.")
    ago = timedelta(days=2) if of == "another day" else timedelta(seconds=9)
    with time_machine.travel(clock.now() - ago):
        opened = opened_now(line.caller if of == "somebody else" else amir, other if of == "another review" else review)

    status, _ = post(browser(amir), review, {**fields_of(browser(amir), review), "opened": opened}, decision="approve")

    assert (status, Decision.objects.get().took_ms is not None) == (302, of == "itself")


@pytest.mark.requirement("V031")
def test_what_leaves_and_cannot_be_seen_in_rendered_text_is_shown_as_it_is_written(line: Line) -> None:
    review = work(line, text='Visible.\n\n[hidden]: https://evil.example "a plan"\n\n<!-- another secret -->\n')

    text = browser(line.caller).get(f"/reviews/{review.pk}/").content.decode()

    assert "[hidden]: https://evil.example &quot;a plan&quot;" in text
    assert "&lt;!-- another secret --&gt;" in text
