"""What all pages share: the content policy, error pages, and words."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.test import Client, RequestFactory
from django.utils.functional import SimpleLazyObject

from agents.providers.outcomes import AiCode
from agents.states import TurnState, WaitReason
from bakedbrie.lib import clock
from bakedbrie.lib.web import errors, words
from bakedbrie.templatetags import bakedbrie_tags as tags
from boards.states import Badge
from tests.factories.boards import make_board, make_card
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, has_form, text_of, url
from workflows.states import StandingStill
from workspaces.caller import Caller
from workspaces.models import User

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}


@pytest.mark.parametrize("path", ["/", "/sign-in/", "/sign-in/link/x/", "/nothing/"])
def test_every_page_carries_the_content_policy(db: None, path: str) -> None:
    answer = Client().get(path)

    assert set(answer["Content-Security-Policy"].split("; ")) == POLICY


def test_no_page_holds_inline_scripts_styles_or_anything_from_elsewhere(alice: Caller) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    client = browser(alice)
    pages = (
        ("board", board.pk),
        ("card", card.pk),
        ("move-card", card.pk),
        ("trash", board.pk),
        ("trash-card", card.pk),
    )
    paths = ["/", *(url(*page) for page in pages), "/nothing/"]

    for path in paths:
        page = text_of(client.get(path))
        assert re.findall(r"<script(?![^>]*\ssrc=)", page) == []
        assert re.findall(r"<style|\sstyle=|\son[a-z]+=", page) == []
        assert re.findall(r"(?:src|href|action)=\"(?:https?:)?//", page) == []


def test_pages_are_not_kept_by_caches(alice: Caller) -> None:
    answer = browser(alice).get("/")

    assert "no-store" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]


def test_an_absent_page_shows_the_request_id_and_what_to_do(alice: Caller) -> None:
    answer = browser(alice).get("/nothing/", headers={"X-Request-Id": "ask-7"})

    assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")
    assert "ask-7" in text_of(answer)


@pytest.mark.parametrize(
    ("view", "status", "code"),
    [
        (lambda request: errors.bad_request(request, SuspiciousOperation()), 400, "BAD_REQUEST"),
        (lambda request: errors.forbidden(request, PermissionDenied()), 403, "PAGE_FORBIDDEN"),
        (errors.form_expired, 403, "FORM_EXPIRED"),
        (errors.server_error, 500, "INTERNAL_ERROR"),
    ],
)
def test_error_pages_have_their_status_their_code_and_the_request_id(view: object, status: int, code: str) -> None:
    request = RequestFactory().get("/boards/")
    request.request_id = "ask-8"  # type: ignore[attr-defined]

    answer = view(request)  # type: ignore[operator]

    assert (answer.status_code, code_of(answer)) == (status, code)
    assert "ask-8" in text_of(answer)


@pytest.mark.parametrize("path", ["/nothing/", "/boards/nonsense/", "/admin/nothing/"])
def test_an_absent_page_keeps_the_name_and_the_way_out(alice: Caller, path: str) -> None:
    answer = browser(alice).get(path, follow=True)

    assert alice.actor.name in text_of(answer)
    assert has_form(answer, url("sign-out"))
    assert not has_form(Client().get("/nothing/"), url("sign-out"))


def test_an_error_of_our_own_asks_for_nobody(alice: Caller, django_assert_num_queries: Callable[..., Any]) -> None:
    request = RequestFactory().get("/")
    request.user = SimpleLazyObject(lambda: User.objects.get(pk=alice.member.user.pk))  # type: ignore[assignment]

    with django_assert_num_queries(0):
        answer = errors.server_error(request)

    assert (answer.status_code, code_of(answer)) == (500, "INTERNAL_ERROR")


def test_those_who_may_open_the_admin_are_led_there(alice: Caller) -> None:
    client = browser(alice)
    before = text_of(client.get("/"))
    User.objects.filter(pk=alice.member.user.pk).update(is_staff=True, is_superuser=True)

    page = text_of(client.get("/"))

    assert ('href="/admin/"' in before, 'href="/admin/"' in page) == (False, True)
    admin = text_of(client.get("/admin/"))
    assert "BakedBrie admin" in admin
    assert 'rel="icon"' in admin


def test_an_error_of_a_piece_goes_to_the_notices(alice: Caller) -> None:
    answer = browser(alice).get(url("board", "nonsense"), headers=HTMX)

    assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("#notices", "innerHTML")
    assert "<html" not in text_of(answer)


def test_every_code_that_a_card_can_show_has_its_words() -> None:
    codes = {code.value for kind in (AiCode, WaitReason, StandingStill) for code in kind if code.value}
    codes |= {"QUEUED", "RULE_LOOP"}
    codes |= {"FAILED", "REFUSED", "UNKNOWN"}  # turns that ended without a code of their own

    assert codes - set(words.REASONS) == set()
    assert codes - set(words.SHORT_REASONS) == set()
    assert {state.value for state in TurnState} == set(words.TURN_STATES) == set(words.TURN_BADGES)
    assert {badge.value for badge in Badge} == set(words.BADGES) >= set(words.TURN_BADGES.values())


def test_a_code_without_words_is_shown_as_it_is() -> None:
    assert tags.reason("SOMETHING_NEW") == "SOMETHING_NEW"
    assert tags.reason_label("SOMETHING_NEW") == "something new"
    assert tags.note({"code": "SOMETHING_NEW"}) == "SOMETHING_NEW"


def test_notes_of_a_turn_are_told_in_sentences() -> None:
    assert "“Web”" in tags.note({"code": "ASK_COUNTS_AS_OFF", "area": "web"})
    assert "“attach”" in tags.note({"code": "BLOCK_IGNORED", "block": "attach"})
    assert "{block}" not in tags.note({"code": "BLOCK_IGNORED"})


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59, seconds=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(days=29), "29 days ago"),
        (timedelta(days=30), "1 month ago"),
        (timedelta(days=800), "2 years ago"),
    ],
)
def test_ages_are_told_in_the_largest_unit_that_fits(passed: timedelta, told: str) -> None:
    now = clock.now()

    assert tags.age(now - passed, now) == told


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        (timedelta(seconds=-5), "now"),
        (timedelta(seconds=59), "now"),
        (timedelta(minutes=1), "1 min"),
        (timedelta(hours=23, minutes=59), "23 h"),
        (timedelta(days=1), "1 d"),
        (timedelta(days=59), "1 mo"),
        (timedelta(days=800), "2 y"),
    ],
)
def test_where_there_is_little_room_ages_are_short_and_exact_on_hover(passed: timedelta, told: str) -> None:
    with time_machine.travel(clock.now(), tick=False):
        instant = clock.now() - passed

        assert tags.ago_short(instant) == (
            f'<time data-short datetime="{clock.to_text(instant)}" title="{tags.exactly(instant)}">{told}</time>'
        )


@pytest.mark.parametrize(
    ("count", "told"), [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1 kB"), (1_450_000, "1.4 MB")]
)
def test_sizes_are_told_in_the_largest_unit_that_fits(count: int, told: str) -> None:
    assert tags.size(count) == told


@pytest.mark.parametrize(
    ("name", "letters"), [("Mia Moreau", "MM"), ("Ö", "Ö"), ("Ada King Lovelace", "AL"), ("—", "?")]
)
def test_avatars_show_initials(name: str, letters: str) -> None:
    assert tags.initials(name) == letters


def test_unknown_money_is_called_unknown() -> None:
    assert (tags.money(None), tags.money(0), tags.money(12_340)) == ("unknown", "$0.00", "$0.01234")
