"""What is shown of agents, accounts and turns."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Case, Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum, When
from django.db.models.functions import Coalesce

from agents.access import bindings_of
from agents.models import Agent, AgentVersion, AiAccount, AiBinding, Approval, ModelCall, Permit, Turn, TurnLine
from agents.rules import DELIVER, month_of, verdict
from agents.states import ASKED, AccountKind, AccountState, ApprovalState, BindingScope, TurnState
from bakedbrie.lib import clock
from bakedbrie.lib.lookups import Lookup
from boards.models import Board, Card
from workspaces import capabilities
from workspaces.access import require_reader
from workspaces.caller import Caller
from workspaces.models import Workspace

HOSTED_AI_OFF = "HOSTED_AI_OFF"
ACCOUNT_REMOVED = "ACCOUNT_REMOVED"
_STRENGTH = {BindingScope.AGENT: 2, BindingScope.BOARD: 1, BindingScope.WORKSPACE: 0}

_ACCOUNTS_OF_WORKSPACE = Lookup(
    lambda pk: (
        AiAccount.objects.filter(workspace=pk)
        .exclude(state=AccountState.REMOVED)
        .select_related("workspace")
        .order_by("pk")
    )
)


def agents_of(board: Board) -> QuerySet[Agent]:
    """Return the agents of a board that came from access, the oldest first, with their versions in use."""
    return Agent.objects.filter(board=board).select_related("published", "draft").order_by("pk")


def versions_of(agent: Agent) -> QuerySet[AgentVersion]:
    """Return every version of an agent that came from access, the newest first."""
    return AgentVersion.objects.filter(agent=agent).select_related("written_by").order_by("-n")


def may_deliver(version: AgentVersion | None) -> bool:
    """Whether this version of an agent delivers at all, with or without asking first."""
    return version is not None and verdict(version.permissions, DELIVER) != "off"


def permits_of(agent: Agent) -> QuerySet[Permit]:
    """Return the answers that stand for an agent that came from access, the newest first."""
    return Permit.objects.filter(agent=agent).select_related("card", "given_by").order_by("-pk")


def accounts_of(caller: Caller) -> QuerySet[AiAccount]:
    """Return the workspace's accounts with their bindings, as far as the caller may open what is bound (W021)."""
    require_reader(caller)
    bindings = Prefetch("bindings", bindings_of(caller).order_by("pk"))
    accounts = AiAccount.objects.filter(workspace=caller.workspace).exclude(state=AccountState.REMOVED)
    return accounts.select_related("workspace").prefetch_related(bindings).order_by("pk")


def accounts_alone_of(caller: Caller) -> list[AiAccount]:
    """Return the accounts of `accounts_of` without their bindings, by SQL that is made once."""
    require_reader(caller)
    return _ACCOUNTS_OF_WORKSPACE.all(caller.workspace.pk)


def accounts_with_spending(caller: Caller) -> QuerySet[AiAccount]:
    """Return `accounts_of` with what those that are capped have cost this month (UTC) as ``spent_micros``."""
    spent = Case(When(monthly_cap_micros__isnull=False, then=_spent_this_month()))
    return accounts_of(caller).annotate(spent_micros=spent)


def accounts_with_all_spending(caller: Caller) -> QuerySet[AiAccount]:
    """Return `accounts_of` with what each of them has cost this month (UTC) as ``spent_micros``, capped or not.

    ``unpriced_calls`` counts the calls that ended and are not in it, since neither their cost nor the most is known.
    """
    return accounts_of(caller).annotate(spent_micros=_spent_this_month(), unpriced_calls=_unpriced_this_month())


def _unpriced_this_month() -> Coalesce:
    calls = ModelCall.objects.filter(turn__account=OuterRef("pk"), sent_at__gte=month_of(clock.now())).order_by()
    unpriced = calls.filter(cost_micros__isnull=True, most_micros__isnull=True, turn__settled_at__isnull=False)
    return Coalesce(Subquery(unpriced.values("turn__account").annotate(total=Count("pk")).values("total")), 0)


def _spent_this_month() -> Coalesce:
    calls = ModelCall.objects.filter(turn__account=OuterRef("pk"), sent_at__gte=month_of(clock.now())).order_by()
    sums = calls.values("turn__account").annotate(total=Sum(Coalesce("cost_micros", "most_micros"))).values("total")
    return Coalesce(Subquery(sums), 0)


def binding_for(agent: Agent) -> AiBinding | None:
    """Return what says who pays for this agent, with the account: its own binding, else its board's, else the
    workspace's. The agent comes with its actor."""
    bindings = AiBinding.objects.select_related("account").filter(
        Q(agent=agent) | Q(board=agent.board_id) | Q(scope=BindingScope.WORKSPACE, workspace=agent.actor.workspace_id)
    )
    return max(bindings, key=lambda binding: _STRENGTH[BindingScope(binding.scope)], default=None)


def payer_for(agent: Agent) -> AiAccount | None:
    """Return the account that pays for this agent, usable or not. The agent comes with its actor."""
    strongest = binding_for(agent)
    return strongest.account if strongest else None


def ready_accounts(caller: Caller) -> QuerySet[AiAccount]:
    """Return the accounts of the workspace that can pay, the oldest first."""
    require_reader(caller)
    return AiAccount.objects.filter(workspace=caller.workspace, state=AccountState.READY).order_by("pk")


def broken_accounts(caller: Caller) -> list[AiAccount]:
    """Return the accounts of the workspace that are to pay for something and cannot be used."""
    require_reader(caller)
    accounts = AiAccount.objects.filter(workspace=caller.workspace, state=AccountState.UNAVAILABLE)
    return list(accounts.filter(Exists(AiBinding.objects.filter(account=OuterRef("pk")))).order_by("pk"))


def spent_micros(account: AiAccount, since: datetime) -> int:
    """Return what the calls sent since then cost; one whose cost is not known counts with the most it could cost."""
    calls = ModelCall.objects.filter(turn__account=account, sent_at__gte=since)
    return calls.aggregate(total=Sum(Coalesce("cost_micros", "most_micros")))["total"] or 0


def turns_of(card: Card) -> QuerySet[Turn]:
    """Return the turns of a card that came from access, the newest first, with agent, version, payer and calls."""
    calls = Prefetch("model_calls", ModelCall.objects.order_by("n"))
    turns = Turn.objects.filter(card=card).select_related("agent", "version", "account", "iteration")
    return turns.prefetch_related(calls).order_by("-pk")


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """The end of what a model wrote on a turn. ``last`` numbers its newest line; 0 when there is none."""

    text: str = field(repr=False)
    last: int = 0
    is_cut: bool = False


def transcript_of(turn: Turn, *, characters: int) -> Transcript | None:
    """Return what was written so far on a turn that was sent; None where the reply that was kept says it all."""
    if turn.reply or turn.sent_at is None:
        return None
    lines = lines_after(turn, 0)
    text = "".join(line.text for line in lines)
    return Transcript(text=text[-characters:], last=lines[-1].seq if lines else 0, is_cut=len(text) > characters)


def lines_after(turn: Turn, seq: int) -> list[TurnLine]:
    """Return the lines of a turn that came from access, behind that one, the oldest first."""
    return list(TurnLine.objects.filter(turn=turn.pk, seq__gt=seq).order_by("seq"))


def open_approval_of(card: Card) -> Approval | None:
    """Return the question that a card waits for an answer to, with its agent: a query where the card shows one."""
    if card.badge_reason not in ASKED:
        return None
    asked = Approval.objects.filter(card=card, state=ApprovalState.PENDING)
    return asked.select_related("agent").order_by("-pk").first()


def is_stop_asked(turn_id: uuid.UUID) -> bool:
    """Tell whether a turn that was sent is to be stopped."""
    return Turn.objects.filter(pk=turn_id, state=TurnState.CANCEL_REQUESTED).exists()


def trouble_of(account: AiAccount, workspace: Workspace) -> str:
    """Return why an account cannot run cards now, as a code, or an empty text when it can (I010, I014)."""
    if account.state == AccountState.REMOVED:
        return ACCOUNT_REMOVED
    if account.kind == AccountKind.API_KEY and "hosted_ai" not in capabilities.effective(workspace.capabilities):
        return HOSTED_AI_OFF
    return "" if account.state == AccountState.READY else account.code or account.state.upper()
