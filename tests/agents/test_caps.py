"""What an AI account may cost in a month: reserved before a call is sent, raised by people only."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from agents.calls.hosted import run_turn
from agents.models import AiAccount, ModelCall, Turn
from agents.providers.base import Reply, Usage
from agents.providers.outcomes import AiCode
from agents.providers.prices import most_micros
from agents.rules import month_of
from agents.selectors import accounts_of, spent_micros
from agents.services.attempts import Ending, Held, Written, claim_turn, settle_turn
from agents.services.bindings import bind_account
from agents.services.caps import set_monthly_cap
from agents.states import BindingScope, Provider, TurnState
from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from tests.agents.conftest import Desk, ended
from tests.factories.agents import make_account, make_agent
from tests.factories.boards import make_board, make_card
from tests.factories.workspaces import token_caller
from tests.support.cast import api, token_of
from tests.support.fake_provider import FakeProvider, drop_connection, fails
from tests.support.fake_service import answering
from tests.support.races import at_once
from workspaces.caller import Caller
from workspaces.models import AuditEntry

pytestmark = pytest.mark.django_db

COST = 5400  # of the fake's usual answer at the list price
WRITTEN = Written(sha256="0" * 64, record={"estimated_tokens": 1000}, notes=[])
NOVEMBER = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)


def cap(desk: Desk, account: AiAccount, micros: int | None, caller: Caller | None = None) -> None:
    set_monthly_cap(caller or desk.caller, account=account, cap_micros=micros)


def most(account: AiAccount, read: int = 1000) -> int:
    usage = Usage(read=read, written=account.answer_tokens)
    micros = most_micros(account.provider, account.model, usage, clock.now())
    assert micros is not None
    return micros


def queue_another(desk: Desk) -> Turn:
    return desk.queue(make_card(desk.caller, desk.board, title="Another"))


def refusal(do: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        do()
    return refused.value.code


@pytest.mark.requirement("A021", "C072")
def test_a_call_that_could_cost_more_than_is_left_is_not_sent(
    paid_desk: Desk, account: AiAccount, service: FakeProvider
) -> None:
    cap(paid_desk, account, most(account, read=5))
    turn = paid_desk.queue()

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.REFUSED, "AI_MONTHLY_CAP")
    assert (service.calls, ModelCall.objects.count()) == ([], 0)
    account.refresh_from_db()
    assert account.state == "ready"


@pytest.mark.requirement("C072")
def test_what_a_call_did_cost_counts_once_it_is_known(
    paid_desk: Desk, account: AiAccount, service: FakeProvider
) -> None:
    cap(paid_desk, account, most(account) + COST - 1)
    first, second = paid_desk.queue(), queue_another(paid_desk)

    run_turn(first.pk)
    run_turn(second.pk)

    call = ModelCall.objects.get(turn=first)
    assert (ended(first), ended(second)) == ((TurnState.DONE, ""), (TurnState.DONE, ""))
    assert call.most_micros is not None
    assert (call.cost_micros, call.most_micros > COST) == (COST, True)
    assert spent_micros(account, NOVEMBER - timedelta(days=9000)) == 2 * COST


@pytest.mark.requirement("C072", "A021")
@pytest.mark.django_db(transaction=True)
def test_calls_at_once_never_share_the_last_of_a_cap(paid_desk: Desk, account: AiAccount) -> None:
    cap(paid_desk, account, 2 * most(account) + most(account) // 2)
    turns = [queue_another(paid_desk) for _ in range(6)]

    def claim(turn: Turn) -> str:
        try:
            claim_turn(turn, written=WRITTEN, deadline=timedelta(seconds=5))
        except Held as held:
            return held.obstacle.code
        return "claimed"

    outcomes = at_once(*[partial(claim, turn) for turn in turns])

    assert sorted(map(str, outcomes)) == ["AI_MONTHLY_CAP"] * 4 + ["claimed"] * 2
    assert Turn.objects.filter(state=TurnState.SENDING).count() == 2
    assert Turn.objects.filter(state=TurnState.QUEUED).count() == 4
    assert spent_micros(account, NOVEMBER - timedelta(days=9000)) == 2 * most(account)


@pytest.mark.requirement("C072")
def test_two_boards_share_the_cap_of_their_account(
    desk: Desk, account: AiAccount, alice: Caller, service: FakeProvider
) -> None:
    bind_account(alice, account=account, scope=BindingScope.WORKSPACE)
    board = make_board(alice, name="Second")
    other = Desk(caller=alice, board=board, agent=make_agent(alice, board), card=make_card(alice, board))
    cap(desk, account, most(account) + COST // 2)
    first, second = desk.queue(), other.queue()

    run_turn(first.pk)
    run_turn(second.pk)

    assert (ended(first), ended(second)) == ((TurnState.DONE, ""), (TurnState.REFUSED, "AI_MONTHLY_CAP"))
    assert (len(service.calls), ModelCall.objects.count()) == (1, 1)


@pytest.mark.requirement("C077")
@pytest.mark.parametrize(("script", "counted"), [(drop_connection, None), (fails(500, {}), None), (fails(429, {}), 0)])
def test_a_call_whose_cost_is_not_known_counts_with_the_most_it_could_cost(
    paid_desk: Desk, account: AiAccount, service: FakeProvider, script: Callable[..., bool], counted: int | None
) -> None:
    service.script(script)
    turn = paid_desk.queue()

    run_turn(turn.pk)

    call = ModelCall.objects.get(turn=turn)
    assert call.cost_micros == counted
    assert spent_micros(account, NOVEMBER - timedelta(days=9000)) == (call.most_micros if counted is None else counted)


@pytest.mark.requirement("C076")
def test_a_call_belongs_to_the_month_it_was_sent_in(paid_desk: Desk, account: AiAccount, service: FakeProvider) -> None:
    cap(paid_desk, account, most(account))
    with time_machine.travel(NOVEMBER, tick=False):
        run_turn(paid_desk.queue().pk)
        in_november = queue_another(paid_desk)
        run_turn(in_november.pk)
    with time_machine.travel(NOVEMBER + timedelta(seconds=1), tick=False):
        in_december = queue_another(paid_desk)
        run_turn(in_december.pk)

    assert ended(in_november) == (TurnState.REFUSED, "AI_MONTHLY_CAP")
    assert ended(in_december) == (TurnState.DONE, "")


@pytest.mark.requirement("C076")
@pytest.mark.parametrize(("cost", "counted"), [(0, 0), (COST, COST), (None, None)])
def test_what_is_learned_of_a_call_next_month_counts_in_the_month_it_was_sent_in(
    paid_desk: Desk, account: AiAccount, cost: int | None, counted: int | None
) -> None:
    turn = paid_desk.queue()
    with time_machine.travel(NOVEMBER, tick=False):
        attempt = claim_turn(turn, written=WRITTEN, deadline=timedelta(seconds=5))
        reserved = spent_micros(account, month_of(clock.now()))

    with time_machine.travel(NOVEMBER + timedelta(minutes=20), tick=False):
        settle_turn(turn.pk, attempt, Ending(code=AiCode.REFUSED, cost_micros=cost))
        in_december = spent_micros(account, month_of(clock.now()))

    assert (reserved, in_december) == (most(account), 0)
    assert spent_micros(account, month_of(NOVEMBER)) == (reserved if counted is None else counted)


@pytest.mark.requirement("C077")
def test_a_call_is_counted_once_however_often_its_end_is_told(paid_desk: Desk, account: AiAccount) -> None:
    turn = paid_desk.queue()
    attempt = claim_turn(turn, written=WRITTEN, deadline=timedelta(seconds=5))
    reply = Reply(code=AiCode.DONE, http_status=200)

    for code, cost in ((AiCode.DONE, 7), (AiCode.DONE, 7), (AiCode.PROVIDER_ERROR, 900)):
        settle_turn(turn.pk, attempt, Ending(code=code, text="Done.", reply=reply, cost_micros=cost))

    assert ended(turn) == (TurnState.DONE, "")
    assert spent_micros(account, NOVEMBER - timedelta(days=9000)) == 7


@pytest.mark.requirement("C077")
def test_what_a_provider_says_its_answer_cost_is_not_believed(
    paid_desk: Desk, account: AiAccount, service: FakeProvider
) -> None:
    said = {"cost": 0.02, "total_cost": "5.00", "cost_micros": 1}
    usage = {"input_tokens": 1200, "output_tokens": 300, **said}
    body = {"type": "message", "content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"}
    service.script(answering(json={**body, **said, "usage": usage}))

    run_turn(paid_desk.queue().pk)

    assert ModelCall.objects.get().cost_micros == COST


def test_a_cap_of_nothing_lets_nothing_run(paid_desk: Desk, account: AiAccount, service: FakeProvider) -> None:
    cap(paid_desk, account, 0)
    turn = paid_desk.queue()

    run_turn(turn.pk)

    assert (ended(turn), service.calls) == ((TurnState.REFUSED, "AI_MONTHLY_CAP"), [])


def test_a_cap_is_not_kept_where_the_price_is_not_known(desk: Desk, service: FakeProvider) -> None:
    account = make_account(desk.caller, service, provider=Provider.OPENAI_COMPATIBLE)
    assert refusal(lambda: cap(desk, account, 5)) == "AI_COST_UNKNOWN"

    bind_account(desk.caller, account=account, scope=BindingScope.WORKSPACE)
    AiAccount.objects.filter(pk=account.pk).update(monthly_cap_micros=10**9)
    turn = desk.queue()
    run_turn(turn.pk)

    assert (ended(turn), service.calls) == ((TurnState.REFUSED, "AI_COST_UNKNOWN"), [])


@pytest.mark.requirement("A021")
def test_a_token_lowers_a_cap_and_only_a_person_raises_it(desk: Desk, account: AiAccount) -> None:
    token = token_caller(token_of(desk.caller))

    cap(desk, account, 2_000_000, token)
    cap(desk, account, 1_000_000, token)
    assert refusal(lambda: cap(desk, account, 1_000_001, token)) == "PERSON_ONLY"
    assert refusal(lambda: cap(desk, account, None, token)) == "PERSON_ONLY"
    assert AiAccount.objects.get().monthly_cap_micros == 1_000_000

    cap(desk, account, 3_000_000)
    cap(desk, account, None)

    assert AiAccount.objects.get().monthly_cap_micros is None
    told = [entry.data["cap_micros"] for entry in AuditEntry.objects.filter(verb="ai_account.capped").order_by("pk")]
    assert told == [2_000_000, 1_000_000, 3_000_000, None]


def test_who_may_set_a_cap(desk: Desk, account: AiAccount, mia: Caller, vic: Caller, amir: Caller) -> None:
    refusals = [refusal(lambda: cap(desk, account, 5, mia)), refusal(lambda: cap(desk, account, 5, vic))]

    cap(desk, account, 5, amir)

    assert refusals == ["FORBIDDEN"] * 2
    assert AiAccount.objects.get().monthly_cap_micros == 5


@pytest.mark.requirement("C074")
@pytest.mark.parametrize(
    ("usd", "micros"),
    [("0.35", 350_000), ("0.29", 290_000), ("8.20", 8_200_000), ("64.10", 64_100_000), ("1.005", 1_005_000)]
    + [("0", 0), ("0.000001", 1), ("999999999999", 999_999_999_999_000_000)]
    + [(odd, None) for odd in ("$1,000.50", "1.000,50", ".5", "5.", "1e3", "-1", "0.0000001", "9999999999999")]
    + [(odd, None) for odd in ("NaN", "Infinity", " 5 ", "５", "0x10", "", "1\n", 0.35, 5, None)],
)
def test_a_cap_is_typed_in_dollars_and_kept_exactly(
    desk: Desk, account: AiAccount, usd: object, micros: int | None
) -> None:
    given = {"account_id": str(account.pk), "scope": "workspace", "monthly_cap_usd": usd}

    answer = api(desk.caller).post("/api/v1/tools/bind_ai_account", given, format="json")

    account.refresh_from_db()
    assert account.monthly_cap_micros == micros
    if micros is None and usd is not None:
        assert answer.json()["error"]["code"] == "INVALID_INPUT"


@pytest.mark.requirement("C074")
def test_an_operator_types_a_cap_in_the_admin(desk: Desk, account: AiAccount, client: Client) -> None:
    user = desk.caller.member.user
    type(user).objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    client.force_login(type(user).objects.get(pk=user.pk))
    url = reverse("admin:agents_aiaccount_change", args=[account.pk])
    typed = {"label": "Bakery key", "model": account.model, "context_tokens": 200_000, "answer_tokens": 16_000}

    saved = [client.post(url, {**typed, "monthly_cap_usd": usd}).status_code for usd in ("1.005", "-1", "NaN", "")]
    caps = [entry.data["cap_micros"] for entry in AuditEntry.objects.filter(verb="ai_account.capped").order_by("pk")]

    assert saved == [302, 200, 200, 302]
    assert caps == [1_005_000, None]


def test_cap_and_spending_are_listed(paid_desk: Desk, account: AiAccount, service: FakeProvider) -> None:
    cap(paid_desk, account, 10_000_000)
    run_turn(paid_desk.queue().pk)

    answer = api(paid_desk.caller).post("/api/v1/tools/list_ai_accounts", {}, format="json")

    (shown,) = answer.json()["untrusted_data"]["ai_accounts"]
    assert (shown["monthly_cap_micros"], shown["spent_micros"]) == (10_000_000, COST)
    assert len(accounts_of(paid_desk.caller)) == 1
