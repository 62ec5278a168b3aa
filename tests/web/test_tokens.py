"""A person mints tokens on a page, sees each once, and revokes them."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.test import Client
from pytest_django.fixtures import Settings

from bakedbrie.lib import clock
from tests.support.cast import browser, token_of
from tests.web.pages import HTMX, code_of, form_of, text_of, url
from workspaces.access import caller_from_token
from workspaces.caller import Caller
from workspaces.models import Token
from workspaces.web.assistants import setups

pytestmark = pytest.mark.django_db

PAGE = "/settings/tokens/"


def mint(client: Client, **typed: str) -> str:
    form = {**form_of(client.get(PAGE), PAGE), "label": "Laptop", "preset": "read_only", "days": "90", **typed}
    return text_of(client.post(PAGE, form))


def raw_in(page: str) -> str:
    found = re.search(r'value="(bb_[^"]+)"', page)
    return found.group(1) if found else ""


@pytest.mark.requirement("W008", "W011")
@pytest.mark.parametrize("preset", ["full_control", "read_only", "runner"])
def test_a_token_of_each_preset_is_minted_and_works_as_its_member(mia: Caller, preset: str) -> None:
    raw = raw_in(mint(browser(mia), preset=preset))

    found = caller_from_token(raw)
    assert (found.member, found.preset) == (mia.member, preset)


@pytest.mark.requirement("W011")
def test_a_token_is_shown_once(mia: Caller) -> None:
    client = browser(mia)

    answer = client.post(PAGE, {**form_of(client.get(PAGE), PAGE), "label": "Laptop", "preset": "read_only"})
    raw = raw_in(text_of(answer))

    assert raw
    assert "no-store" in answer["Cache-Control"]
    assert raw not in text_of(client.get(PAGE))


def test_a_form_sent_twice_mints_once_and_shows_nothing_the_second_time(mia: Caller) -> None:
    client = browser(mia)
    form = {**form_of(client.get(PAGE), PAGE), "label": "Laptop", "preset": "read_only", "days": ""}

    first, second = (text_of(client.post(PAGE, form)) for _ in range(2))

    assert raw_in(first)
    assert not raw_in(second)
    assert "minted already" in second
    assert Token.objects.filter(member=mia.member).count() == 1


def test_a_token_ends_when_its_days_are_over(mia: Caller) -> None:
    raw = raw_in(mint(browser(mia), days="30"))

    token = Token.objects.get(digest=caller_from_token(raw).token.digest)  # type: ignore[union-attr]
    assert token.expires_at is not None
    with time_machine.travel(clock.now() + timedelta(days=30, minutes=1)):
        assert "Expired" in text_of(browser(mia).get(PAGE))


def test_wrong_input_mints_nothing_and_keeps_what_was_typed(mia: Caller) -> None:
    client = browser(mia)
    form = {**form_of(client.get(PAGE), PAGE), "label": "  ", "preset": "root", "days": "7"}

    answer = client.post(PAGE, form)

    assert (answer.status_code, code_of(answer)) == (422, "INVALID_INPUT")
    assert not Token.objects.exists()


@pytest.mark.requirement("W002", "C092")
def test_a_person_sees_and_revokes_only_their_own(mia: Caller, vic: Caller, charlie: Caller) -> None:
    token_of(vic)
    token_of(charlie)
    client = browser(mia)
    mint(client, label="Mine")
    own = Token.objects.get(member=mia.member)

    shown = text_of(client.get(PAGE))
    refused = [client.post(url("revoke-own-token", one.pk)).status_code for one in Token.objects.exclude(pk=own.pk)]
    action = url("revoke-own-token", own.pk)
    asked = client.get(action)
    revoked = [client.post(action, form_of(asked, action)).status_code for _ in range(2)]

    own.refresh_from_db()
    assert "Mine" in shown
    assert set(re.findall(r"/settings/tokens/([^/\"]+)/revoke/", shown)) == {str(own.pk)}
    assert [text in text_of(asked) for text in ("Revoke “Mine”?", "It was never used.")] == [True, True]
    assert revoked == [302, 302]
    assert refused == [404, 404]
    assert own.revoked_at is not None
    assert Token.objects.filter(revoked_at=None).count() == 2


def test_a_stranger_is_sent_to_sign_in() -> None:
    answers = [Client().get(PAGE), Client().post(PAGE, {"label": "x", "preset": "full_control"})]

    assert [answer.status_code for answer in answers] == [302, 401]
    assert not Token.objects.exists()


def test_the_address_that_the_page_had_leads_on(mia: Caller) -> None:
    assert [browser(mia).get("/tokens/")["Location"], Client().get("/tokens/")["Location"]] == [PAGE, PAGE]


def test_the_page_takes_the_same_queries_for_one_token_as_for_many(
    mia: Caller, django_assert_max_num_queries: object
) -> None:
    client = browser(mia)
    token_of(mia)
    client.get(PAGE)

    with django_assert_max_num_queries(5):  # type: ignore[operator]
        client.get(PAGE)
    for _ in range(20):
        token_of(mia)
    with django_assert_max_num_queries(5):  # type: ignore[operator]
        client.get(PAGE)


def test_an_admin_sees_and_revokes_those_of_everybody(amir: Caller, mia: Caller, charlie: Caller) -> None:
    token_of(mia)
    token_of(charlie)
    client = browser(amir)
    theirs = Token.objects.get(member=mia.member)
    action = url("revoke-own-token", theirs.pk)

    page = client.get(PAGE, {"of": "everyone"})
    asked = client.get(action, headers=HTMX)
    answer = client.post(action, form_of(asked, action), headers=HTMX)

    theirs.refresh_from_db()
    assert [row["token"].pk for row in page.context["rows"]] == [theirs.pk]
    assert "Mia Moreau" in text_of(page)
    assert "It is Mia Moreau’s." in text_of(asked)
    assert (answer.status_code, theirs.revoked_at is not None) == (204, True)


@pytest.mark.requirement("W004")
def test_who_is_no_admin_sees_their_own_alone(mia: Caller, vic: Caller) -> None:
    token_of(vic)
    client = browser(mia)

    answer = client.get(PAGE, {"of": "everyone"})

    assert (answer.status_code, code_of(answer)) == (403, "FORBIDDEN")
    assert "of=everyone" not in text_of(client.get(PAGE))


def test_a_long_list_comes_in_pages(mia: Caller) -> None:
    for _ in range(3):
        token_of(mia)
    client = browser(mia)
    first = client.get(PAGE, {"limit": 2})

    second = client.get(PAGE, {"cursor": first.context["next_cursor"]})

    shown = [row["token"].pk for page in (first, second) for row in page.context["rows"]]
    assert shown == list(Token.objects.order_by("-pk").values_list("pk", flat=True))
    assert second.context["next_cursor"] is None


def test_the_lines_to_copy_are_those_of_the_document() -> None:
    document = (Path(__file__).parents[2] / "docs" / "assistants.md").read_text()

    shown = [setup.text for setup in setups("https://bakedbrie.example.org")]

    assert len(shown) == 5
    assert [text for text in shown if f"```\n{text}\n```" not in document] == []


@pytest.mark.requirement("W011")
def test_the_lines_to_copy_hold_the_token_where_nothing_else_reads_it(mia: Caller, settings: Settings) -> None:
    settings.APP_URL = "https://brie.example"
    client = browser(mia)

    page = client.post(PAGE, {**form_of(client.get(PAGE), PAGE), "label": "Laptop", "preset": "read_only", "days": ""})

    raw = raw_in(text_of(page))
    with_token = {setup.key for setup in page.context["setups"] if raw in setup.text}
    assert with_token == {"claude-code", "cursor", "curl"}
    assert all("https://brie.example/" in setup.text for setup in page.context["setups"])
