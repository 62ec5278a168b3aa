"""AI accounts: a key comes in through a drop, is tried once, is never shown, and goes when the account goes."""

from __future__ import annotations

from typing import Any

import pytest

from agents.access import get_account
from agents.calls.check_account import check_account
from agents.calls.connect_account import Connected, connect_account
from agents.models import AiAccount
from agents.selectors import accounts_of, trouble_of
from agents.services.accounts import edit_account, plan_account, remove_account
from agents.services.bindings import bind_account
from agents.states import AccountKind, AccountState, BindingScope, Provider
from bakedbrie.lib.refusals import Refused
from boards.services.members import add_board_member
from tests.agents.conftest import Desk
from tests.factories.agents import make_account, make_agent, make_drop
from tests.factories.boards import make_board
from tests.factories.workspaces import token_caller
from tests.support.canary import KEY
from tests.support.cast import token_of
from tests.support.fake_provider import FakeProvider, fails
from tests.support.fake_service import answering, dropping
from workspaces.caller import Caller
from workspaces.models import AuditEntry, SealedSecret
from workspaces.services.capabilities import switch_capability
from workspaces.services.drops import fill_drop, prepare_drop
from workspaces.services.secrets import open_secret
from workspaces.states import Preset, SecretPurpose

pytestmark = pytest.mark.django_db


def connect(caller: Caller, service: FakeProvider, key: str = KEY, **given: Any) -> Connected:
    plan = plan_account(
        **{
            "label": "Key",
            "kind": AccountKind.API_KEY,
            "provider": Provider.ANTHROPIC,
            "base_url": service.url(),
            **given,
        }
    )
    return connect_account(caller, plan=plan, drop_id=str(make_drop(caller, key).pk))


def refusal_of(caller: Caller, service: FakeProvider, **given: Any) -> Refused:
    with pytest.raises(Refused) as refused:
        connect(caller, service, **given)
    return refused.value


@pytest.mark.requirement("I002", "I013")
@pytest.mark.parametrize(
    ("provider", "path", "header", "value"),
    [
        (Provider.ANTHROPIC, "/v1/models?limit=1000", "x-api-key", KEY),
        (Provider.OPENAI, "/v1/models", "authorization", f"Bearer {KEY}"),
        (Provider.OPENAI_COMPATIBLE, "/v1/models", "authorization", f"Bearer {KEY}"),
    ],
)
def test_a_key_is_tried_once_and_sealed(
    mia: Caller, service: FakeProvider, provider: Provider, path: str, header: str, value: str
) -> None:
    base_url = service.url() if provider is Provider.ANTHROPIC else service.url("/v1/")

    connected = connect(mia, service, provider=provider, base_url=base_url, model="local-model")

    account = AiAccount.objects.get()
    assert [(request.method, request.path, request.headers[header]) for request in service.requests] == [
        ("GET", path, value)
    ]
    assert (account.state, account.code, account.workspace_id) == (AccountState.READY, "", mia.workspace.pk)
    assert (account.base_url, account.added_by_id) == (base_url.rstrip("/"), mia.actor.pk)
    assert (connected.account, connected.is_model_listed) == (account, True)
    assert account.secret is not None
    assert open_secret(account.secret).reveal() == KEY
    assert KEY.encode() not in bytes(account.secret.sealed or b"")


def test_what_is_not_given_is_the_providers_default() -> None:
    plan = plan_account(label="Key", kind=AccountKind.API_KEY, provider=Provider.OPENAI)

    assert (plan.base_url, plan.model) == ("https://api.openai.com/v1", "gpt-6.1-sol")
    assert (plan.context_tokens, plan.answer_tokens) == (200_000, 16_000)


def test_a_model_that_the_provider_does_not_list_is_told(alice: Caller, service: FakeProvider) -> None:
    assert connect(alice, service, model="claude-of-yore").is_model_listed is False


REJECTED = [
    (fails(401, {"error": {"type": "authentication_error"}}), "AI_KEY_REJECTED"),
    (fails(403, {}), "AI_KEY_REJECTED"),
    (fails(402, {}), "AI_KEY_REJECTED"),
    (fails(500, {}), "AI_PROVIDER_UNREACHABLE"),
    (fails(404, {}), "AI_PROVIDER_UNREACHABLE"),
    (answering(200, body=b"<html>"), "AI_PROVIDER_UNREACHABLE"),
    (dropping, "AI_PROVIDER_UNREACHABLE"),
]


@pytest.mark.parametrize(("script", "code"), REJECTED)
def test_a_key_that_is_not_accepted_is_not_kept(
    alice: Caller, service: FakeProvider, script: object, code: str
) -> None:
    service.script(script)  # type: ignore[arg-type]  # the table above holds scripts

    refused = refusal_of(alice, service)

    secret = SealedSecret.objects.get()
    assert refused.code == code
    assert KEY not in str(refused.body())
    assert (AiAccount.objects.count(), secret.sealed, secret.destroyed_at is not None) == (0, None, True)
    assert len(service.requests) == 1


def test_a_key_that_fits_in_no_header_is_not_sent(alice: Caller, service: FakeProvider) -> None:
    refused = refusal_of(alice, service, key="sk-one\nsk-two")

    assert (refused.code, service.requests) == ("AI_KEY_REJECTED", [])
    assert SealedSecret.objects.get().sealed is None


@pytest.mark.requirement("I013")
def test_a_drop_serves_one_account(alice: Caller, service: FakeProvider) -> None:
    plan = plan_account(label="Key", kind=AccountKind.API_KEY, provider=Provider.ANTHROPIC, base_url=service.url())
    drop = make_drop(alice)
    connect_account(alice, plan=plan, drop_id=str(drop.pk))

    with pytest.raises(Refused) as refused:
        connect_account(alice, plan=plan, drop_id=str(drop.pk))

    assert refused.value.code == "SECRET_DROP_EXPIRED"
    assert (AiAccount.objects.count(), len(service.requests)) == (1, 1)


def test_a_drop_for_something_else_is_refused_and_stays(alice: Caller, service: FakeProvider) -> None:
    drop = prepare_drop(alice, kind="api_key", purpose=SecretPurpose.DESTINATION, env_var="KEY")
    fill_drop(alice, drop_id=str(drop.pk), value=KEY)
    plan = plan_account(label="Key", kind=AccountKind.API_KEY, provider=Provider.ANTHROPIC, base_url=service.url())

    with pytest.raises(Refused) as refused:
        connect_account(alice, plan=plan, drop_id=str(drop.pk))

    assert (refused.value.code, service.requests) == ("SECRET_PURPOSE_MISMATCH", [])
    assert SealedSecret.objects.get().sealed is not None


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"base_url": "http://api.example.com"}, "base_url"),
        ({"base_url": "https://127.0.0.1"}, "base_url"),
        ({"base_url": "http://127.0.0.1:1"}, "base_url"),
        ({"base_url": "https://user@example.com"}, "base_url"),
        ({"provider": Provider.OPENAI_COMPATIBLE, "base_url": None, "model": "m"}, "base_url"),
        ({"provider": Provider.OPENAI_COMPATIBLE, "base_url": "https://models.example.com/v1"}, "model"),
        ({"context_tokens": 4000, "answer_tokens": 2001}, "answer_tokens"),
    ],
)
def test_an_account_that_cannot_work_is_refused_before_the_drop_is_used(
    alice: Caller, service: FakeProvider, given: dict[str, object], field: str
) -> None:
    refused = refusal_of(alice, service, **given)

    fields = refused.details["fields"]
    assert isinstance(fields, dict)
    assert (refused.code, list(fields)) == ("INVALID_INPUT", [field])
    assert (service.requests, SealedSecret.objects.count()) == ([], 0)


def test_a_runner_account_is_refused_clearly(alice: Caller, service: FakeProvider) -> None:
    assert refusal_of(alice, service, kind=AccountKind.RUNNER).code == "AI_KIND_UNSUPPORTED"


def test_viewers_and_readers_connect_nothing(alice: Caller, vic: Caller, service: FakeProvider) -> None:
    plan = plan_account(label="Key", kind=AccountKind.API_KEY, provider=Provider.ANTHROPIC, base_url=service.url())
    drop_id = str(make_drop(alice).pk)
    reader = token_caller(token_of(alice, Preset.READ_ONLY))

    answers = []
    for caller in (vic, reader):
        with pytest.raises(Refused) as refused:
            connect_account(caller, plan=plan, drop_id=drop_id)
        answers.append(refused.value.code)

    assert answers == ["FORBIDDEN", "TOKEN_READ_ONLY"]
    assert (AiAccount.objects.count(), service.requests) == (0, [])


@pytest.mark.requirement("I010")
def test_a_check_marks_a_bad_key_and_mends_a_good_one(alice: Caller, service: FakeProvider) -> None:
    account = make_account(alice, service)
    asked = len(service.requests)
    service.script(fails(401, {}))

    bad = check_account(alice, account=account).account
    told = (bad.state, bad.code, trouble_of(bad, alice.workspace))
    good = check_account(alice, account=account).account

    assert told == (AccountState.UNAVAILABLE, "AI_KEY_REJECTED", "AI_KEY_REJECTED")
    assert (good.state, good.code, trouble_of(good, alice.workspace)) == (AccountState.READY, "", "")
    assert [(one.method, one.path) for one in service.requests[asked:]] == [("GET", "/v1/models?limit=1000")] * 2


def test_a_check_that_reaches_nobody_changes_nothing(alice: Caller, service: FakeProvider) -> None:
    account = make_account(alice, service)
    service.script(fails(500, {}))

    with pytest.raises(Refused) as refused:
        check_account(alice, account=account)

    account.refresh_from_db()
    assert (refused.value.code, account.state, account.code) == ("AI_PROVIDER_UNREACHABLE", AccountState.READY, "")


@pytest.mark.requirement("I014")
def test_without_hosted_ai_a_key_is_in_trouble(alice: Caller, account: AiAccount) -> None:
    switch_capability(alice, name="hosted_ai", is_on=False)

    assert [trouble_of(one, one.workspace) for one in accounts_of(alice)] == ["HOSTED_AI_OFF"]


def test_a_removed_account_is_gone_with_its_key(alice: Caller, account: AiAccount, service: FakeProvider) -> None:
    removed = remove_account(alice, account=account)

    secret = SealedSecret.objects.get(pk=account.secret_id)  # type: ignore[misc]  # it has a key
    assert (removed.state, secret.sealed, list(accounts_of(alice))) == (AccountState.REMOVED, None, [])
    with pytest.raises(Refused) as refused:
        get_account(alice, str(account.pk))
    assert refused.value.code == "NOT_FOUND"
    assert AuditEntry.objects.filter(verb="ai_account.removed").count() == 1


def test_an_account_is_changed_by_admins_and_by_who_added_it(
    alice: Caller, amir: Caller, mia: Caller, account: AiAccount, service: FakeProvider
) -> None:
    own = make_account(mia, service, label="Mia's")

    edited = edit_account(amir, account=account, model="claude-opus-5-5", answer_tokens=900)
    edit_account(mia, account=own, label="Mia's key")
    for act in (edit_account, remove_account):
        with pytest.raises(Refused) as refused:
            act(mia, account=account)
        assert refused.value.code == "FORBIDDEN"

    edited.refresh_from_db()
    assert (edited.model, edited.answer_tokens, edited.label) == ("claude-opus-5-5", 900, "Bakery key")
    assert edited.state == AccountState.READY


def test_two_edits_at_once_keep_what_each_changed(alice: Caller, account: AiAccount) -> None:
    mine, yours = (get_account(alice, str(account.pk)) for _ in range(2))

    edit_account(alice, account=mine, label="Ours")
    edit_account(alice, account=yours, model="claude-opus-5-5")

    account.refresh_from_db()
    assert (account.label, account.model) == ("Ours", "claude-opus-5-5")


def test_an_edit_leaves_room_for_the_prompt(alice: Caller, account: AiAccount) -> None:
    with pytest.raises(Refused) as refused:
        edit_account(alice, account=account, context_tokens=20_000)

    assert refused.value.code == "INVALID_INPUT"


@pytest.mark.requirement("W002", "W021")
def test_accounts_of_another_workspace_are_not_there(account: AiAccount, charlie: Caller, vic: Caller) -> None:
    with pytest.raises(Refused) as refused:
        get_account(charlie, str(account.pk))

    assert refused.value.code == "NOT_FOUND"
    assert (list(accounts_of(charlie)), list(accounts_of(vic))) == ([], [account])


def test_bindings_of_closed_boards_are_not_listed(desk: Desk, account: AiAccount, mia: Caller) -> None:
    closed = make_board(desk.caller, name="Closed")
    agent = make_agent(desk.caller, closed)
    add_board_member(desk.caller, board=desk.board, member=mia.member)
    for fields in ({"board": closed}, {"board": desk.board}, {"agent": agent}, {}):
        scope = BindingScope(next(iter(fields), "workspace"))
        bind_account(desk.caller, account=account, scope=scope, **fields)

    seen = [binding.scope for binding in accounts_of(mia)[0].bindings.all()]

    assert sorted(seen) == ["board", "workspace"]
    assert accounts_of(desk.caller)[0].bindings.count() == 4
