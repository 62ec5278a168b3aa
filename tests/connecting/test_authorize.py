"""The page on which a person answers an assistant, and what it never does."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from oauth2_provider.models import Grant
from pytest_django.fixtures import Settings

from connecting.models import Consent
from tests.connecting.asking import AUTHORIZE, BACK, Assistant, answered, asked, code_for, registered, told
from tests.factories.boards import make_board
from tests.factories.workspaces import PASSWORD, caller_of
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, text_of
from workspaces.access import token_digest
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.members import add_member, remove_member

pytestmark = pytest.mark.django_db

EVIL = "https://evil.example/callback"


def test_it_names_who_asks_the_workspace_and_its_boards_and_offers_reading_first(alice: Caller) -> None:
    make_board(alice, name="Orders")

    page = asked(alice, registered().query())

    text = text_of(page)
    assert page.status_code == 200
    assert [word in text for word in ("Claude", "this computer", "Orders", "Alice&#x27;s Bakery")] == [True] * 4
    assert form_of(page, page.wsgi_request.get_full_path())["preset"] == "read_only"
    assert 'value="full_control"' in text


@pytest.mark.requirement("W004", "W011")
def test_a_viewer_can_give_reading_and_no_more(vic: Caller) -> None:
    query = registered().query()

    page, forced = asked(vic, query), answered(vic, query, preset="full_control")

    assert 'value="full_control"' not in text_of(page)
    assert (forced.status_code, code_of(forced)) == (422, "INVALID_INPUT")
    assert not Consent.objects.exists()


def test_a_yes_leads_back_with_a_code_the_state_and_our_name(mia: Caller, settings: Settings) -> None:
    answer = answered(mia, registered().query(), preset="full_control")

    assert answer["Location"].startswith(f"{BACK}?")
    sent = told(answer)
    assert (set(sent), sent["state"], sent["iss"]) == ({"code", "state", "iss"}, "s-1", settings.APP_URL)
    consent = Consent.objects.get()
    assert (consent.member, consent.preset, consent.code_digest) == (
        mia.member,
        "full_control",
        token_digest(sent["code"]),
    )
    assert Grant.objects.get().code == token_digest(sent["code"])


@pytest.mark.parametrize("challenge", ["", "short", "x" * 42, "x" * 44, "x" * 200, "é" * 43, "+" * 43, "x" * 43 + "\n"])
def test_what_is_no_challenge_is_no_request(mia: Caller, challenge: str) -> None:
    query = registered().query(code_challenge=challenge)

    page = asked(mia, query)

    assert page.status_code < 500
    assert 'name="preset"' not in text_of(page)
    assert not Grant.objects.exists()


@pytest.mark.parametrize("more", [{"nonce": "n" * 300}, {"claims": "c" * 3000}, {"claims": '{"id_token": 1}'}], ids=str)
def test_what_belongs_to_openid_is_left_out(mia: Caller, more: dict[str, str]) -> None:
    assistant = registered()

    code = told(answered(mia, assistant.query(**more)))["code"]

    assert (Grant.objects.get().nonce, Grant.objects.get().claims) == ("", "{}")
    assert assistant.exchange(code).status_code == 200


def test_a_no_leads_back_with_an_error_and_keeps_nothing(mia: Caller, settings: Settings) -> None:
    sent = told(answered(mia, registered().query(), answer="no"))

    assert (sent["error"], sent["state"], sent["iss"]) == ("access_denied", "s-1", settings.APP_URL)
    assert not Consent.objects.exists()


def test_a_person_chooses_one_of_their_workspaces_and_no_other(alice: Caller, mia: Caller, charlie: Caller) -> None:
    there = caller_of(add_member(charlie, user=mia.member.user, role=Role.VIEWER))
    make_board(charlie, name="Cheddar")
    query = registered().query()
    client = browser(mia)
    address = client.get(AUTHORIZE, query).wsgi_request.get_full_path()

    shown = client.post(address, {"workspace": str(charlie.workspace.pk), "answer": "show"}, headers=HTMX)
    allowed = answered(mia, query, workspace=str(charlie.workspace.pk))
    foreign = answered(mia, query, workspace=str(alice.member.pk))

    assert 'value="full_control"' not in text_of(shown)
    assert "<html" not in text_of(shown)
    assert Consent.objects.get().member == there.member
    assert (allowed.status_code, foreign.status_code) == (302, 404)


def test_a_stranger_signs_in_and_comes_back(mia: Caller) -> None:
    query = registered().query()
    client = Client()

    sent = client.get(AUTHORIZE, query)
    posted = client.post(f"{AUTHORIZE}?client_id=x", {"answer": "yes"})
    client.force_login(mia.member.user)
    back = client.get(sent.wsgi_request.get_full_path())

    assert urlsplit(sent["Location"]).path == "/sign-in/"
    assert "next=%2Foauth%2Fauthorize%2F%3Fclient_id" in sent["Location"]
    assert (posted.status_code, code_of(posted)) == (401, "SIGNED_OUT")
    assert back.status_code == 200


def test_its_form_is_held_to_this_site_and_the_assistants_answer(mia: Caller) -> None:
    page = asked(mia, registered().query())
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(mia.member.user)
    forged = strict.post(page.wsgi_request.get_full_path(), {"answer": "yes"})

    policy = page["Content-Security-Policy"]
    assert "form-action 'self' http://127.0.0.1:4711;" in f"{policy};"
    assert "frame-ancestors 'none'" in policy
    assert page["X-Frame-Options"] == "DENY"
    assert (forged.status_code, code_of(forged)) == (403, "FORM_EXPIRED")


@pytest.mark.parametrize(
    "other",
    [
        {"redirect_uri": EVIL},
        {"redirect_uri": f"{BACK}/more"},
        {"redirect_uri": f"{BACK}?more=1"},
        {"redirect_uri": "http://127.0.0.1:4711/callback#x"},
        {"redirect_uri": "http://127.0.0.1:4711@evil.example/callback"},
        {"redirect_uri": "http://localhost:4711/callback"},
        {"redirect_uri": "https://127.0.0.1:4711/callback"},
        {"redirect_uri": "http://[bad/callback"},
        {"redirect_uri": "http://127.0.0.1:99999999/callback"},
        {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": "//evil.example"},
        {"redirect_uri": "http://аррӏе.example/"},
        {"state": "s" * 9000},
        {"state": "a\x00b"},
    ],
)
def test_who_asks_to_be_answered_elsewhere_is_answered_nowhere(mia: Caller, other: dict[str, str]) -> None:
    query = registered().query(**other)

    page = asked(mia, query)
    posted = browser(mia).post(page.wsgi_request.get_full_path(), {"answer": "no"})

    assert (page.status_code, code_of(page)) == (422, "ASSISTANT_REQUEST_WRONG")
    assert (posted.status_code, code_of(posted)) == (422, "ASSISTANT_REQUEST_WRONG")
    assert "evil.example" not in text_of(page)


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "state", "scope", "code_challenge", "response_type"])
def test_nothing_is_named_twice(mia: Caller, name: str) -> None:
    query = registered().query()

    page = browser(mia).get(AUTHORIZE, {**query, name: [query[name], query[name]]})

    assert (page.status_code, code_of(page)) == (422, "ASSISTANT_REQUEST_WRONG")


@pytest.mark.parametrize("client_id", ["", "absent", "a\x00b", "x" * 5000, "https://", "https://127.0.0.1/x", "é"])
def test_an_unknown_assistant_is_told_apart_from_a_wrong_request(mia: Caller, client_id: str) -> None:
    page = asked(mia, Assistant(client_id=client_id).query())

    assert page.status_code == 422
    assert code_of(page) in {"ASSISTANT_UNKNOWN", "ASSISTANT_REQUEST_WRONG"}
    assert not Consent.objects.exists()


@pytest.mark.parametrize(
    ("other", "error"),
    [
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"response_mode": "fragment"}, "invalid_request"),
        ({"scope": "mcp admin"}, "invalid_scope"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": "http://127.0.0.1:8000/mcp/"}, "invalid_target"),
        ({"prompt": "none"}, "consent_required"),
    ],
)
def test_what_cannot_be_answered_leads_back_only_by_hand(mia: Caller, other: dict[str, str | None], error: str) -> None:
    """A person who only followed a link is taken nowhere: anybody can register an address (RFC 9700, 4.11.2)."""
    page = asked(mia, registered().query(**other))

    assert page.status_code == 422
    assert f"{BACK}?error={error}" in text_of(page)
    assert "Location" not in page


def test_a_program_on_this_computer_may_take_any_port_and_others_only_their_own(mia: Caller) -> None:
    here = registered("http://localhost/callback", "http://[::1]:1/callback")
    there = registered("https://claude.ai/api/mcp/auth_callback")
    tried = [
        (here, "http://localhost:50001/callback"),
        (here, "http://[::1]:50001/callback"),
        (there, "https://claude.ai/api/mcp/auth_callback"),
        (there, "https://claude.ai:8443/api/mcp/auth_callback"),
        (there, "https://evil.claude.ai/api/mcp/auth_callback"),
    ]

    statuses = [asked(mia, assistant.query(redirect_uri=uri)).status_code for assistant, uri in tried]

    assert statuses == [200, 200, 200, 422, 422]


def test_a_removed_member_is_let_in_no_more_with_the_code_they_gave(alice: Caller, mia: Caller) -> None:
    assistant = registered()
    code = code_for(mia, assistant)
    remove_member(alice, member=mia.member)

    answer = assistant.exchange(code)

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert Consent.objects.get().token is None


def test_the_page_asks_as_much_for_many_boards_as_for_one(alice: Caller) -> None:
    query = registered().query()
    counts = []
    for count in (1, 12):
        for number in range(count):
            make_board(alice, name=f"Board {number}")
        client = browser(alice)
        with CaptureQueriesContext(connection) as queries:
            page = client.get(AUTHORIZE, query)
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert "and others" in text_of(page)


def test_while_mcp_is_off_there_is_no_page(mia: Caller, settings: Settings) -> None:
    query = registered().query()
    settings.MCP_ENABLED = False

    assert asked(mia, query).status_code == 404


def test_a_long_request_is_still_there_after_signing_in(alice: Caller) -> None:
    query = registered().query(state="s" * 4000)
    client = Client()

    asks = client.get(client.get(AUTHORIZE, query)["Location"])
    arrived = client.post(
        "/sign-in/",
        {"email": alice.member.user.email, "password": PASSWORD, "next": form_of(asks, "/sign-in/")["next"]},
    )

    assert arrived["Location"].startswith(f"{AUTHORIZE}?")
    assert client.get(arrived["Location"]).context["name"] == "Claude"
