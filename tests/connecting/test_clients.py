"""Who may ask: clients that registered, and clients that describe themselves at an address."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from oauth2_provider.models import Application
from pytest_django.fixtures import Settings

from bakedbrie.lib import clock
from connecting.models import Consent
from connecting.rules import shown_name
from connecting.services import clients
from connecting.services.retention import forget_old
from tests.connecting.asking import BACK, REGISTER, Assistant, asked, code_for, connected, register, registered
from tests.support.fake_service import FakeService, answering, dropping
from tests.web.pages import code_of, text_of
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


def address_of(publisher: FakeService) -> str:
    return f"https://{publisher.pair}/assistant.json"


def description(publisher: FakeService, **other: Any) -> dict[str, Any]:
    return {"client_id": address_of(publisher), "client_name": "Described", "redirect_uris": [BACK], **other}


@pytest.mark.parametrize("method", ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"])
def test_whoever_registers_is_public_and_gets_no_secret(method: str) -> None:
    answer = register(redirect_uris=[BACK], client_name="Claude", token_endpoint_auth_method=method)

    said = answer.json()
    assert (answer.status_code, said["token_endpoint_auth_method"]) == (201, "none")
    assert "client_secret" not in said
    assert (said["redirect_uris"], said["scope"]) == ([BACK], "mcp")
    assert Application.objects.get().client_secret == ""


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "http://example.com/callback",
        "http://127.0.0.1.example.com/callback",
        "http://localhost@evil.example/callback",
        "https://evil.example\\@claude.ai/callback",
        "https://аррӏе.example/callback",
        "https://localhost.:99999/callback",
        "https:///callback",
        "https://claude.ai/callback#fragment",
        "https://claude.ai/call back",
        "https://claude.ai/callback\n",
        "HTTPS://claude.ai/callback",
        "//claude.ai/callback",
        "/callback",
        "evil:callback",
        "https://nodot/callback",
        "https://[::1/callback",
        "https://claude.ai/" + "x" * 1000,
        "",
        None,
        7,
    ],
)
def test_an_address_that_is_nobodys_own_is_refused(uri: object) -> None:
    answer = register(redirect_uris=[BACK, uri])

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri")
    assert not Application.objects.exists()


@pytest.mark.parametrize("uri", ["cursor://anysphere.cursor/callback", "com.example.app:/callback", "vscode://x/y"])
def test_an_app_may_have_a_scheme_of_its_own(mia: Caller, uri: str) -> None:
    page = asked(mia, registered(uri).query(redirect_uri=uri))

    assert page.status_code == 200
    assert f"form-action 'self' {uri.partition(':')[0]}:" in page["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": [BACK] * 21}, "invalid_redirect_uri"),
        ({"redirect_uris": BACK}, "invalid_redirect_uri"),
        ({"redirect_uris": [BACK], "client_name": {"a": 1}}, "invalid_client_metadata"),
        ({"redirect_uris": [BACK], "grant_types": ["implicit"]}, "invalid_client_metadata"),
        ({"redirect_uris": [BACK], "response_types": "code"}, "invalid_client_metadata"),
    ],
)
def test_wrong_metadata_is_refused_in_the_words_of_rfc_7591(metadata: dict[str, object], error: str) -> None:
    answer = register(**metadata)

    assert (answer.status_code, answer.json()["error"]) == (400, error)


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff", b"[" * 5000, b'{"redirect_uris":1e999}'])
def test_a_rough_registration_is_a_refusal(body: bytes) -> None:
    answer = Client().post(REGISTER, body, content_type="application/json")

    assert (answer.status_code, answer.json()["error"][:8]) == (400, "invalid_")


def test_one_network_registers_thirty_times_an_hour() -> None:
    statuses = [register(redirect_uris=[BACK]).status_code for _ in range(31)]
    elsewhere = Client(REMOTE_ADDR="203.0.113.9").post(
        REGISTER, {"redirect_uris": [BACK]}, content_type="application/json"
    )
    refused = register(redirect_uris=[BACK])

    assert statuses == [201] * 30 + [429]
    assert elsewhere.status_code == 201
    assert 0 < int(refused["Retry-After"]) <= 3601


def test_all_networks_together_register_so_many_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "REGISTRATIONS_OF_ALL_PER_HOUR", 3)

    answers = [
        Client(REMOTE_ADDR=f"203.0.113.{number}").post(
            REGISTER, {"redirect_uris": [BACK]}, content_type="application/json"
        )
        for number in range(4)
    ]

    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 3601
    assert Application.objects.count() == 3


def test_of_registrations_that_nobody_used_the_oldest_make_room(mia: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "MOST_UNUSED", 3)
    used = registered(name="Used")
    connected(mia, used)

    for number in range(5):
        registered(name=f"Number {number}")

    assert set(Application.objects.values_list("name", flat=True)) == {"Used", "Number 2", "Number 3", "Number 4"}


def test_what_nobody_uses_is_forgotten_and_what_is_used_stays(mia: Caller) -> None:
    connected(mia, registered(name="Used"))
    code_for(mia, registered(name="Never came back"))
    registered(name="Never asked")

    kept = forget_old()
    with time_machine.travel(clock.now() + timedelta(days=1, minutes=1)):
        forgotten = forget_old()

    assert (kept, forgotten) == ({"consents": 0, "clients": 0}, {"consents": 1, "clients": 2})
    assert Application.objects.get().name == "Used"
    assert Consent.objects.get().token is not None


def test_a_description_is_fetched_once_and_kept_as_long_as_it_says(mia: Caller, publisher: FakeService) -> None:
    said = answering(json=description(publisher), headers={"Cache-Control": "max-age=600"})
    publisher.handle_with(lambda _: said)
    query = Assistant(client_id=address_of(publisher)).query()

    pages = [asked(mia, query) for _ in range(2)]
    with time_machine.travel(clock.now() + timedelta(minutes=11)):
        pages.append(asked(mia, query))

    assert [page.status_code for page in pages] == [200] * 3
    assert "describes itself as" in text_of(pages[0])
    assert len(publisher.requests) == 2


def test_a_description_that_cannot_be_had_again_counts_for_a_day_more(mia: Caller, publisher: FakeService) -> None:
    publisher.script(answering(json=description(publisher)), dropping, dropping)
    query = Assistant(client_id=address_of(publisher)).query()
    asked(mia, query)

    with time_machine.travel(clock.now() + timedelta(days=1, hours=1)):
        next_day = asked(mia, query)
    with time_machine.travel(clock.now() + timedelta(days=2, hours=1)):
        too_late = asked(mia, query)

    assert [next_day.status_code, code_of(too_late)] == [200, "ASSISTANT_UNKNOWN"]


@pytest.mark.parametrize(
    "other",
    [
        {"client_id": "https://other.example/assistant.json"},
        {"redirect_uris": ["https://evil.example/callback", "javascript:x"]},
        {"redirect_uris": []},
        {"token_endpoint_auth_method": "client_secret_post"},
        {"client_secret": "shared"},
        {"grant_types": ["client_credentials"]},
        {"client_name": ["x"]},
    ],
)
def test_a_wrong_description_is_no_assistant(mia: Caller, publisher: FakeService, other: dict[str, Any]) -> None:
    publisher.answer(json=description(publisher, **other))

    page = asked(mia, Assistant(client_id=address_of(publisher)).query())

    assert (page.status_code, code_of(page)) == (422, "ASSISTANT_UNKNOWN")
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "script",
    [
        answering(404, json={}),
        answering(302, headers={"Location": "https://127.0.0.1/"}),
        answering(body=b"<html>", headers={"Content-Type": "text/html"}),
        answering(body=b"{", headers={"Content-Type": "application/json"}),
        answering(body=b"[]", headers={"Content-Type": "application/json"}),
        answering(body=b" " * 20_000, headers={"Content-Type": "application/json"}),
        dropping,
    ],
)
def test_an_answer_that_is_no_description_is_no_assistant(mia: Caller, publisher: FakeService, script: Any) -> None:
    publisher.script(script)

    page = asked(mia, Assistant(client_id=address_of(publisher)).query())

    assert (page.status_code, code_of(page)) == (422, "ASSISTANT_UNKNOWN")
    assert len(publisher.requests) == 1


@pytest.mark.parametrize(
    "client_id",
    [
        "https://127.0.0.1:1/x",
        "https://localhost/x",
        "https://169.254.169.254/latest",
        "https://[::1]/x",
        "https://intranet/x",
        "https://evil.example",
        "https://user@evil.example/x",
        "https://evil.example/x#y",
        "https://evil.example/../x",
        "https://EVIL.example/x",
        "https://evil.example:444/x",
        "https://evil.example/" + "x" * 300,
    ],
)
def test_an_address_that_may_not_be_asked_is_not_asked(mia: Caller, client_id: str) -> None:
    page = asked(mia, Assistant(client_id=client_id).query())

    assert (page.status_code, code_of(page)) == (422, "ASSISTANT_UNKNOWN")


def test_where_others_reach_the_instance_no_description_is_fetched_from_its_own_network(
    mia: Caller, publisher: FakeService, settings: Settings
) -> None:
    publisher.handle_with(lambda _: answering(json=description(publisher)))
    settings.APP_URL = "https://board.example.com"

    page = asked(mia, Assistant(client_id=address_of(publisher)).query())

    assert (page.status_code, code_of(page)) == (422, "ASSISTANT_UNKNOWN")
    assert publisher.requests == []


def test_strangers_and_the_token_address_have_nobody_asked(publisher: FakeService) -> None:
    assistant = Assistant(client_id=address_of(publisher))

    page, token = Client().get("/oauth/authorize/", assistant.query()), assistant.exchange("made-up")

    assert (page.status_code, token.status_code) == (302, 401)
    assert publisher.requests == []


def test_one_person_has_thirty_descriptions_asked_for_in_an_hour(mia: Caller, publisher: FakeService) -> None:
    publisher.handle_with(lambda _: answering(404, json={}))
    query = Assistant(client_id=address_of(publisher)).query()

    codes = [code_of(asked(mia, query)) for _ in range(31)]

    assert codes == ["ASSISTANT_UNKNOWN"] * 30 + ["RATE_LIMITED"]
    assert len(publisher.requests) == 30


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Claude\u202ekcatta", "Claudekcatta"),
        ("  Two\r\nlines\t ", "Two lines"),
        ("a" * 500, "a" * 80),
        ("\x00\x1b[31mred", "[31mred"),
        ("Café", "Café"),
    ],
)
def test_a_name_is_one_plain_line(name: str, shown: str) -> None:
    assert shown_name(name) == shown
