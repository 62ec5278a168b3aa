"""Reviews that are alike: shown together, approved in one go, each by itself and for what was shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from boards.models import Card
from boards.services.members import add_board_member
from boards.services.rounds import keep_result
from boards.states import Badge
from reviews.models import Decision, Review
from reviews.states import ReviewState
from tests.factories.boards import make_card
from tests.factories.reviews import decide, give_folder, work
from tests.factories.workflows import Line, make_line
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from workflows.services.rules import Then, publish_rule, write_rule_draft
from workflows.states import OnApproval
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def line(alice: Caller, settings: Settings) -> Iterator[Line]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        line = make_line(alice, provider)
        give_folder(line)
        yield line


def more_work(line: Line, title: str, text: str = "Other work.") -> Review:
    line.card = make_card(line.caller, line.board, title=title)
    return work(line, text=text)


def three(line: Line) -> list[Review]:
    return [work(line, text="One."), more_work(line, "Second", "Two."), more_work(line, "Third", "Three.")]


def ticks(client: Client, review: Review) -> list[str]:
    """What the page lets this person tick, in its order."""
    text = client.get(f"/reviews/{review.pk}/alike/").content.decode()
    return re.findall(r'name="shown" id="tick-\d+" value="([^"]+)"', text)


def approve(client: Client, review: Review, shown: list[str], **more: str) -> tuple[int, list[str]]:
    """Send what was ticked; return the status and the codes that the answer shows."""
    fields = {"request_id": "a-form", "decision": "approve", **more}
    answer = client.post(f"/reviews/{review.pk}/alike/", {**fields, "shown": shown})
    return answer.status_code, re.findall(r'data-code="([A-Z_]+)"', answer.content.decode())


def states() -> list[str]:
    return list(Review.objects.order_by("pk").values_list("state", flat=True))


@pytest.mark.requirement("V002", "V031")
def test_those_that_are_alike_stand_together_and_are_shown_whole(line: Line) -> None:
    first, *_ = three(line)
    client = browser(line.caller)

    inbox = client.get("/reviews/").content.decode()
    together = client.get(f"/reviews/{first.pk}/alike/").content.decode()

    assert "3 alike on" in inbox
    assert "Approved, each moves to “Done”, and nothing is delivered." in inbox
    assert all(f"<p>{text}</p>" in together for text in ("One.", "Two.", "Three."))
    assert states() == ["open"] * 3


@pytest.mark.requirement("V002", "V012", "V034")
def test_what_is_ticked_is_approved_each_under_its_own_hash_and_the_rest_waits(line: Line) -> None:
    first, second, third = three(line)
    client = browser(line.caller)
    shown = ticks(client, first)

    answer = approve(client, first, shown[:2])

    decisions = {decision.review_id: decision.intent_hash for decision in Decision.objects.all()}
    assert answer == (200, [])
    assert states() == ["approved", "approved", "open"]
    assert decisions == {first.pk: first.intent_hash, second.pk: second.intent_hash}
    assert Card.objects.get(pk=first.card_id).badge == Badge.DONE
    assert Card.objects.get(pk=third.card_id).badge == Badge.IN_REVIEW


@pytest.mark.requirement("V013")
def test_one_that_changed_meanwhile_stays_and_says_so_and_the_others_go_on(line: Line) -> None:
    first, second, _ = three(line)
    client = browser(line.caller)
    shown = ticks(client, first)
    keep_result(card=second.card, iteration=second.iteration, made_by=line.caller.actor, markdown="Unseen.")

    answer = approve(client, first, shown)

    assert answer == (409, ["PREVIEW_CHANGED"])
    assert states() == ["approved", "open", "approved"]


def test_one_that_somebody_decided_on_says_so(line: Line) -> None:
    first, second, _ = three(line)
    client = browser(line.caller)
    shown = ticks(client, first)
    decide(line.caller, second)

    answer = approve(client, first, shown)

    assert answer == (409, ["REVIEW_CLOSED"])
    assert states() == ["approved"] * 3
    assert Decision.objects.count() == 3


def test_the_same_form_sent_twice_tells_the_same_and_decides_once(line: Line) -> None:
    first, *_ = three(line)
    client = browser(line.caller)
    shown = ticks(client, first)

    answers = [approve(client, first, shown) for _ in range(2)]

    assert (answers, Decision.objects.count()) == ([(200, [])] * 2, 3)


def test_after_two_minutes_no_further_one_is_looked_at_and_it_says_so(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first takes two minutes; nothing is left for the others, which can be sent anew."""
    first, *_ = three(line)
    client = browser(line.caller)
    shown = ticks(client, first)
    clock = iter([0.0, 0.0, 120.0, 121.0, 200.0, 200.0, 201.0])
    monkeypatch.setattr("workflows.web.reviews_alike.time", SimpleNamespace(monotonic=lambda: next(clock)))

    late = approve(client, first, shown)
    left = states()
    again = approve(client, first, shown[1:], request_id="another-form")

    assert (late, left) == ((409, ["REVIEW_NOT_LOOKED_AT"] * 2), ["approved", "open", "open"])
    assert (again, states()) == ((200, []), ["approved"] * 3)


@pytest.mark.requirement("V012")
def test_what_was_never_shown_is_not_approved(line: Line, mia: Caller, amir: Caller) -> None:
    add_board_member(line.caller, board=line.board, member=mia.member)
    first, second, _ = three(line)
    add_board_member(line.caller, board=line.board, member=amir.member)
    forged = [f"{first.pk}", f"{ticks(browser(mia), first)[0][:-1]}x", ""]
    of_mia = ticks(browser(mia), first)

    answers = [approve(browser(amir), second, [text]) for text in (*forged, of_mia[0])]

    assert answers == [(409, ["PREVIEW_CHANGED"])] * 4
    assert states() == ["open"] * 3


def test_nothing_ticked_is_asked_for(line: Line) -> None:
    first, *_ = three(line)

    answer = approve(browser(line.caller), first, [])

    assert (answer, states()) == ((422, ["INVALID_INPUT"]), ["open"] * 3)


def other_rule(line: Line) -> None:
    """The rule leads elsewhere from now on; what waits already goes where it was to go."""
    rule = write_rule_draft(
        line.caller,
        board=line.board,
        rule=line.rule,
        from_stage=line.doing,
        agent=line.agent,
        to_stage=line.done,
        then=Then(on_approval=OnApproval.RETURN),
    )
    publish_rule(line.caller, rule=rule)


def test_what_differs_in_what_follows_is_never_one_batch(line: Line) -> None:
    first = work(line)
    other_rule(line)
    second = more_work(line, "Second")
    client = browser(line.caller)
    shown = [*ticks(client, first), *ticks(client, second)]

    inbox = client.get("/reviews/").content.decode()
    answer = approve(client, first, shown)

    assert "alike" not in inbox.split("</nav>")[-1]
    assert len(shown) == 2
    assert (answer, states()) == ((409, ["REVIEWS_DIFFER"]), ["open"] * 2)


def test_what_is_of_two_boards_is_never_one_batch(line: Line, settings: Settings) -> None:
    first = work(line)
    other = make_line(line.caller, line.provider)
    give_folder(other)
    second = work(other)
    client = browser(line.caller)
    shown = [*ticks(client, first), *ticks(client, second)]

    answer = approve(client, first, shown)

    assert (len(shown), answer, states()) == (2, (409, ["REVIEWS_DIFFER"]), ["open"] * 2)


def test_files_of_another_kind_make_another_shape(line: Line) -> None:
    first, second, third = three(line)
    third.files.update(media_type="image/png")
    client = browser(line.caller)

    inbox = client.get("/reviews/").content.decode()
    shown = ticks(client, first)

    assert "2 alike on" in inbox
    assert len(shown) == 2
    assert second.pk != third.pk


@pytest.mark.requirement("V005")
def test_the_maker_on_a_shared_board_looks_and_ticks_nothing(line: Line, mia: Caller, vic: Caller) -> None:
    for person in (mia, vic):
        add_board_member(line.caller, board=line.board, member=person.member)
    first, *_ = three(line)

    counts = [len(ticks(browser(person), first)) for person in (line.caller, vic, mia)]

    assert counts == [0, 0, 3]
    assert approve(browser(vic), first, ticks(browser(mia), first)) == (403, ["FORBIDDEN"])


def test_a_review_that_is_over_leads_back_to_the_list(line: Line) -> None:
    review = decide(line.caller, work(line))

    answer = browser(line.caller).get(f"/reviews/{review.pk}/alike/")

    assert (answer.status_code, answer.headers["Location"]) == (302, "/reviews/")
    assert review.state == ReviewState.APPROVED


def test_the_list_asks_no_more_for_larger_groups(line: Line) -> None:
    client = browser(line.caller)
    three(line)
    with CaptureQueriesContext(connection) as few:
        client.get("/reviews/")
    more_work(line, "Fourth", "Four.")

    with CaptureQueriesContext(connection) as many:
        text = client.get("/reviews/").content.decode()

    assert "4 alike on" in text
    assert len(few) == len(many)
