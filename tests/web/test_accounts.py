"""AI accounts on their pages: connected with a key that is seen nowhere, bound, capped, checked and removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from agents.models import AiAccount, AiBinding, ModelCall, Turn
from agents.services.bindings import bind_account
from agents.states import AccountState, BindingScope, Provider
from bakedbrie.asgi import SENDING_PAGES
from bakedbrie.lib import clock, ids
from boards.models import Board
from tests.factories.agents import make_account, make_agent
from tests.factories.boards import make_board
from tests.factories.workflows import make_line
from tests.support.canary import KEY
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.support.fake_service import answering, dropping
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workspaces.caller import Caller
from workspaces.models import AuditEntry, RequestRecord, SealedSecret
from workspaces.services.capabilities import switch_capability
from workspaces.services.secrets import open_secret

pytestmark = pytest.mark.django_db

LIST, NEW = "/settings/accounts/", "/settings/accounts/new/"


@pytest.fixture
def service(settings: Settings) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair]
        yield fake


@pytest.fixture
def account(alice: Caller, service: FakeProvider) -> AiAccount:
    return make_account(alice, service)


@pytest.fixture
def board(alice: Caller, mia: Caller) -> Board:
    return make_board(alice, name="Bread", members=[mia.member])


def filled_form(client: Client, service: FakeProvider, **typed: str) -> dict[str, str]:
    given = {
        "provider": "openai_compatible",
        "label": "House key",
        "model": "local-model",
        "base_url": service.url("/v1"),
        "key": KEY,
    }
    return {**form_of(client.get(NEW), NEW), **given, **typed}


def send(client: Client, account: AiAccount, name: str, **typed: str) -> HttpResponse:
    """Send the form of the account's page that goes to this address."""
    action = url(name, account.pk)
    answer = client.post(action, {**form_of(client.get(url("ai-account", account.pk)), action), **typed})
    assert isinstance(answer, HttpResponse)
    return answer


@pytest.mark.requirement("I002", "I013")
def test_a_key_typed_on_the_page_is_tried_once_sealed_and_kept_nowhere_else(mia: Caller, service: FakeProvider) -> None:
    client = browser(mia)
    form = filled_form(client, service)

    first, again = client.post(NEW, form), client.post(NEW, form)

    account = AiAccount.objects.get()
    assert first["Location"] == again["Location"] == url("ai-account", account.pk)
    assert [(one.path, one.headers["authorization"]) for one in service.requests] == [("/v1/models", f"Bearer {KEY}")]
    assert account.secret is not None
    assert open_secret(account.secret).reveal() == KEY
    assert (account.label, account.model, account.base_url) == ("House key", "local-model", service.url("/v1"))
    seen = [
        *(text_of(client.get(page)) for page in (LIST, NEW, url("ai-account", account.pk))),
        *(str(entry.data) for entry in AuditEntry.objects.all()),
        *(record.answer for record in RequestRecord.objects.all()),
    ]
    assert [text for text in seen if KEY in text] == []


@pytest.mark.requirement("I013")
def test_a_key_that_is_not_taken_is_destroyed_and_has_to_be_typed_again(mia: Caller, service: FakeProvider) -> None:
    client = browser(mia)
    service.script(answering(401, json={}))

    answer = client.post(NEW, filled_form(client, service))

    assert (answer.status_code, code_of(answer)) == (409, "AI_KEY_REJECTED")
    assert form_of(answer, NEW)["label"] == "House key"
    assert form_of(answer, NEW)["key"] == ""
    assert not AiAccount.objects.exists()
    assert [secret.sealed for secret in SealedSecret.objects.all()] == [None]


def test_a_provider_that_cannot_be_asked_leaves_nothing_and_the_form_may_be_sent_again(
    mia: Caller, service: FakeProvider
) -> None:
    client = browser(mia)
    form = filled_form(client, service)
    service.script(dropping)

    first, second = client.post(NEW, form), client.post(NEW, form)

    assert (first.status_code, code_of(first)) == (502, "AI_PROVIDER_UNREACHABLE")
    assert second.status_code == 302
    assert AiAccount.objects.count() == 1


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"key": "  "}, "key-new-error"),
        ({"label": " "}, "label-new-error"),
        ({"provider": "mine"}, "provider-new-error"),
        ({"base_url": ""}, "base_url-new-error"),
        ({"base_url": "http://10.0.0.1/v1"}, "base_url-new-error"),
        ({"model": ""}, "model-new-error"),
    ],
)
def test_wrong_input_is_named_beside_its_field_and_asks_nobody(
    mia: Caller, service: FakeProvider, typed: dict[str, str], field: str
) -> None:
    client = browser(mia)

    answer = client.post(NEW, filled_form(client, service, **typed))

    assert (answer.status_code, code_of(answer)) == (422, "INVALID_INPUT")
    assert f'id="{field}"' in text_of(answer)
    assert (service.requests, SealedSecret.objects.count()) == ([], 0)


@pytest.mark.requirement("I004", "I005", "I007")
def test_the_page_says_who_pays_along_the_way_from_agent_to_workspace(
    alice: Caller, board: Board, service: FakeProvider
) -> None:
    agent = make_agent(alice, board)
    client = browser(alice)
    accounts = {scope: make_account(alice, service, label=scope) for scope in BindingScope}
    payers = [payer_on(client, f"agent/{agent.pk}")]

    for scope in (BindingScope.WORKSPACE, BindingScope.BOARD, BindingScope.AGENT):
        of_board, of_agent = scope is BindingScope.BOARD, scope is BindingScope.AGENT
        bind_account(
            alice,
            account=accounts[scope],
            scope=scope,
            board=board if of_board else None,
            agent=agent if of_agent else None,
        )
        payers.append(payer_on(client, f"agent/{agent.pk}"))

    assert payers == [None, "workspace", "board", "agent"]
    assert payer_on(client, f"board/{board.pk}") == "board"


@pytest.mark.requirement("I010")
def test_an_account_that_cannot_pay_is_named_and_the_next_one_is_not_asked(
    alice: Caller, board: Board, service: FakeProvider
) -> None:
    broken, sound = (make_account(alice, service, label=label) for label in ("Broken", "Sound"))
    bind_account(alice, account=broken, scope=BindingScope.BOARD, board=board)
    bind_account(alice, account=sound, scope=BindingScope.WORKSPACE)
    AiAccount.objects.filter(pk=broken.pk).update(state=AccountState.UNAVAILABLE, code="AI_QUOTA_EXHAUSTED")

    lookup = browser(alice).get(LIST, {"of": f"board/{board.pk}"}).context["lookup"]

    assert [(step.account.label, step.is_asked, step.trouble) for step in lookup.steps] == [
        ("Broken", True, "AI_QUOTA_EXHAUSTED"),
        ("Sound", False, ""),
    ]


def payer_on(client: Client, of: str) -> str | None:
    payer = client.get(LIST, {"of": of}).context["lookup"].payer
    return payer.account.label if payer else None


@pytest.mark.requirement("I006")
@pytest.mark.parametrize("scope", BindingScope)
def test_an_account_is_bound_and_unbound_once_however_often_the_form_is_sent(
    alice: Caller, board: Board, account: AiAccount, scope: BindingScope
) -> None:
    agent = make_agent(alice, board)
    client = browser(alice)
    targets = {"workspace": "workspace", "board": f"board/{board.pk}", "agent": f"agent/{agent.pk}"}
    action = url("bind-ai-account", account.pk)
    form = {**form_of(client.get(url("ai-account", account.pk)), action), "target": targets[scope]}

    sent = [client.post(action, form).status_code for _ in range(2)]
    binding = AiBinding.objects.get()
    ending = url("unbind-ai-account", binding.pk)
    question = client.get(ending)
    ended = client.post(ending, form_of(question, ending))

    assert sent == [302, 302]
    assert (binding.scope, binding.account) == (scope, account)
    assert ended["Location"] == url("ai-account", account.pk)
    assert not AiBinding.objects.exists()
    verbs = AuditEntry.objects.filter(verb__contains="bound").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["ai_account.bound", "ai_account.unbound"]
    agent.refresh_from_db()
    assert agent.needs_publish is (scope is BindingScope.AGENT)


def test_who_may_not_bind_or_keep_an_account_does_not_see_how(mia: Caller, vic: Caller, account: AiAccount) -> None:
    names = ("check-ai-account", "bind-ai-account", "cap-ai-account", "edit-ai-account")
    pages = {who.actor.name: browser(who).get(url("ai-account", account.pk)) for who in (mia, vic)}
    shown = {who: [name for name in names if has_form(page, url(name, account.pk))] for who, page in pages.items()}

    refused = browser(mia).post(url("bind-ai-account", account.pk), {"target": "workspace"})

    assert shown == {"Mia Moreau": ["check-ai-account"], "Vic Varga": []}
    assert refused.status_code == 403
    assert not AiBinding.objects.exists()


def test_a_cap_is_set_lowered_raised_and_taken_away_by_a_person(alice: Caller, account: AiAccount) -> None:
    client = browser(alice)
    caps = []

    for typed in ("20", "$7.50", "100", ""):
        assert send(client, account, "cap-ai-account", monthly_cap_usd=typed).status_code == 302
        account.refresh_from_db()
        caps.append(account.monthly_cap_micros)
    refused = send(client, account, "cap-ai-account", monthly_cap_usd="a lot")

    assert caps == [20_000_000, 7_500_000, 100_000_000, None]
    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert form_of(refused, url("cap-ai-account", account.pk))["monthly_cap_usd"] == "a lot"


def test_checking_marks_the_account_and_mends_it_again(
    alice: Caller, account: AiAccount, service: FakeProvider
) -> None:
    client = browser(alice)
    service.script(answering(401, json={}))
    states = []

    for _ in range(2):
        send(client, account, "check-ai-account")
        account.refresh_from_db()
        states.append((account.state, account.code))

    assert states == [("unavailable", "AI_KEY_REJECTED"), ("ready", "")]


def test_the_name_and_the_model_are_changed_on_the_page(alice: Caller, account: AiAccount) -> None:
    client = browser(alice)

    wrong = send(client, account, "edit-ai-account", label="", model="x")
    right = send(client, account, "edit-ai-account", label="New name", model="claude-haiku-5")

    account.refresh_from_db()
    assert (wrong.status_code, right.status_code) == (422, 302)
    assert (account.label, account.model) == ("New name", "claude-haiku-5")


def test_an_account_whose_model_has_no_known_price_is_offered_no_cap(alice: Caller, service: FakeProvider) -> None:
    account = make_account(alice, service, provider=Provider.OPENAI_COMPATIBLE)
    client = browser(alice)

    page = client.get(url("ai-account", account.pk))
    answer = client.post(url("cap-ai-account", account.pk), {"monthly_cap_usd": "5"})

    assert not has_form(page, url("cap-ai-account", account.pk))
    assert (answer.status_code, code_of(answer)) == (409, "AI_COST_UNKNOWN")


@pytest.mark.requirement("I009")
def test_removing_names_what_will_stop_and_destroys_the_key(alice: Caller, board: Board, account: AiAccount) -> None:
    client = browser(alice)
    bind_account(alice, account=account, scope=BindingScope.BOARD, board=board)
    action = url("remove-ai-account", account.pk)

    question = client.get(action)
    is_there = AiAccount.objects.get().state
    answer = client.post(action, form_of(question, action))

    assert question.context["question"].points[0] == "Agents no longer start for the board Bread."
    assert is_there == AccountState.READY
    assert answer["Location"] == LIST
    assert AiAccount.objects.get().state == AccountState.REMOVED
    assert SealedSecret.objects.get().sealed is None
    assert client.get(url("ai-account", account.pk)).status_code == 404


@pytest.mark.requirement("W021")
def test_what_is_bound_on_a_board_that_one_may_not_open_is_not_named(
    alice: Caller, mia: Caller, account: AiAccount
) -> None:
    closed = make_board(alice, name="Closed board")
    bind_account(alice, account=account, scope=BindingScope.BOARD, board=closed)

    pages = [text_of(browser(mia).get(page)) for page in (LIST, url("ai-account", account.pk))]

    assert [page for page in pages if "Closed board" in page] == []


def test_the_pages_are_off_with_the_capability(alice: Caller, account: AiAccount) -> None:
    switch_capability(alice, name="ai_accounts", is_on=False)

    answers = [browser(alice).get(page) for page in (LIST, NEW, url("ai-account", account.pk))]

    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(403, "CAPABILITY_OFF")] * 3


def test_pages_that_ask_a_provider_have_threads_of_their_own(account: AiAccount) -> None:
    asking = [NEW, url("check-ai-account", account.pk)]
    others = [
        LIST,
        url("ai-account", account.pk),
        url("bind-ai-account", account.pk),
        url("remove-ai-account", account.pk),
    ]

    assert [page for page in (*asking, *others) if SENDING_PAGES.fullmatch(page)] == asking


def test_htmx_gets_the_piece_with_the_news(alice: Caller, account: AiAccount) -> None:
    client = browser(alice)
    action = url("cap-ai-account", account.pk)
    form = form_of(client.get(url("ai-account", account.pk)), action)

    answer = client.post(action, {**form, "monthly_cap_usd": "5"}, headers=HTMX)

    assert "<html" not in text_of(answer)
    assert "The cap counts from now on." in answer["HX-Trigger"]


def test_the_pages_take_as_many_queries_for_many_accounts_as_for_one(
    alice: Caller, service: FakeProvider, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    counts = []

    for more in (1, 4):
        for n in range(more):
            board = make_board(alice, name=f"Board {more}.{n}")
            agent = make_agent(alice, board)
            bind_account(alice, account=make_account(alice, service), scope=BindingScope.BOARD, board=board)
            bind_account(alice, account=make_account(alice, service), scope=BindingScope.AGENT, agent=agent)
        account = AiAccount.objects.latest("pk")
        with django_assert_max_num_queries(20) as at_list:
            client.get(LIST, {"of": f"agent/{agent.pk}"})
        with django_assert_max_num_queries(20) as at_one:
            client.get(url("ai-account", account.pk))
        counts.append((len(at_list), len(at_one)))

    assert counts[0] == counts[1]


def test_what_is_not_known_of_this_month_is_not_shown_as_nothing(alice: Caller, service: FakeProvider) -> None:
    line = make_line(alice, service)
    account, turn = line.account, line.start()
    assert account is not None
    now = clock.now()
    Turn.objects.filter(pk=turn.pk).update(account=account, settled_at=now)
    ModelCall.objects.create(turn=turn, n=1, attempt=ids.new_id(), provider="anthropic", model="a", sent_at=now)
    calls, client = ModelCall.objects.filter(turn=turn), browser(alice)

    unknown = text_of(client.get(url("ai-account", account.pk)))
    calls.update(most_micros=7_000)
    known = text_of(client.get(url("ai-account", account.pk)))

    assert "cost unknown this month" in unknown
    assert "$0.007 this month" in known
