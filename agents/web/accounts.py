"""The AI accounts of the workspace: what each costs and pays for, who pays for a board or an agent, and a new one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from agents.access import get_agent
from agents.calls.connect_account import connect_with_key
from agents.models import AiAccount
from agents.payers import (
    Step,
    accounts_to_show,
    choices_of,
    name_of,
    way_to_payer,
)
from agents.providers import KINDS
from agents.selectors import trouble_of
from agents.services.accounts import plan_account
from agents.states import AccountKind, Provider
from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.refusals import INVALID_INPUT, Refused
from bakedbrie.lib.sealing import Secret
from bakedbrie.lib.toolkit.inputs import Input, Name, parse, parse_query
from bakedbrie.lib.toolkit.tool import Answer, Effect
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import go_to, partial_or_page
from boards.access import get_board
from workspaces.access import require_capability, require_writer
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least
from workspaces.services.replay import replay
from workspaces.web.session import member_page

PROVIDERS = {
    Provider.ANTHROPIC: "Anthropic",
    Provider.OPENAI: "OpenAI",
    Provider.OPENAI_COMPATIBLE: "Compatible service",
}
_ABOUT = {
    Provider.ANTHROPIC: "Claude models",
    Provider.OPENAI: "GPT models",
    Provider.OPENAI_COMPATIBLE: "Any service with OpenAI’s chat completions, a model of your own among them",
}
_TYPED = ("provider", "label", "model", "base_url")


class NewAccountIn(Input):
    """The form without its key, which is sealed before anything else is done with it."""

    provider: Literal["anthropic", "openai", "openai_compatible"]
    label: Name
    model: Name | None = None
    base_url: str | None = None


class PayerIn(PageInput):
    """``of`` is a board or an agent to look up: ``board/<id>`` or ``agent/<id>``."""

    of: str | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """``trouble`` is empty while the account can pay; ``targets`` names what it is bound to."""

    account: AiAccount
    provider: str
    trouble: str
    targets: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """What was looked up, and the way to who pays for it; ``payer`` is None where nobody does."""

    value: str
    name: str
    steps: tuple[Step, ...]

    @property
    def payer(self) -> Step | None:
        return next((step for step in self.steps if step.is_asked), None)


@require_safe
@member_page
def accounts(request: HttpRequest, caller: Caller) -> HttpResponse:
    require_capability(caller, "ai_accounts")
    given = parse_query(PayerIn, {name: value for name, value in request.GET.dict().items() if value})
    found = page(accounts_to_show(caller), cursor=given.cursor, limit=given.limit, order=("id",))
    context = {
        "rows": rows_of(found.items),
        "next_cursor": found.next_cursor,
        "is_first": given.cursor is None,
        "choices": choices_of(caller),
        "lookup": _look_up(caller, given.of) if given.of else None,
        "may_write": may_write(caller),
    }
    return render(request, "agents/accounts.html", context)


@sensitive_post_parameters("key")
@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def new(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Connect an account, once its provider has taken the key. The key is shown and kept nowhere else."""
    require_capability(caller, "ai_accounts")
    require_writer(caller)
    if request.method != "POST":
        return _show_new(request, Form(values={"provider": Provider.ANTHROPIC}))
    typed = {name: request.POST.get(name, "").strip() for name in _TYPED}
    try:
        answer = _connect(request, caller, typed)
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return _show_new(request, form, status=refused_status(refused))
    return go_to(request, reverse("ai-account", args=[answer["account_id"]]))


def _connect(request: HttpRequest, caller: Caller, typed: dict[str, str]) -> Answer:
    """Ask the provider once per form. What is kept to tell a form from its repetition leaves the key out."""
    given = parse(NewAccountIn, {name: value for name, value in typed.items() if value or name == "label"})
    key = Secret(request.POST.get("key", "").strip())
    provider = Provider(given.provider)
    _require_what_it_needs(given, provider, key)
    plan = plan_account(
        label=given.label,
        kind=AccountKind.API_KEY,
        provider=provider,
        base_url=given.base_url if provider is Provider.OPENAI_COMPATIBLE else None,
        model=given.model,
    )

    def run() -> Answer:
        return {"account_id": str(connect_with_key(caller, plan=plan, key=key).account.pk)}

    return replay(
        caller,
        request_id=request.POST.get("request_id", ""),
        call={"form": "connect_ai_account", **given.model_dump(mode="json")},
        effect=Effect.SEND,
        run=run,
    )


def _require_what_it_needs(given: NewAccountIn, provider: Provider, key: Secret) -> None:
    fields = {"key": ["needed: the key as the provider shows it"]} if not key.reveal() else {}
    if provider is Provider.OPENAI_COMPATIBLE:
        fields |= {
            name: ["needed for a compatible service"] for name in ("base_url", "model") if not getattr(given, name)
        }
    if fields:
        raise INVALID_INPUT(fields=fields)


def rows_of(found: Iterable[AiAccount]) -> list[Row]:
    """Put accounts of `accounts_to_show` into words."""
    return [
        Row(
            account=account,
            provider=PROVIDERS[Provider(account.provider)],
            trouble=trouble_of(account, account.workspace),
            targets=tuple(name_of(binding) for binding in account.bindings.all()),
        )
        for account in found
    ]


def may_write(caller: Caller) -> bool:
    return is_at_least(caller.role, Role.MEMBER)


def _look_up(caller: Caller, of: str) -> Lookup:
    scope, _, scope_id = of.partition("/")
    if scope == "agent":
        agent = get_agent(caller, scope_id)
        steps = way_to_payer(caller, board=agent.board, agent=agent)
        return Lookup(value=of, name=f"{agent.name} on {agent.board.name}", steps=steps)
    board = get_board(caller, scope_id)
    return Lookup(value=of, name=board.name, steps=way_to_payer(caller, board=board))


def _show_new(request: HttpRequest, form: Form, *, status: int = 200) -> HttpResponse:
    kinds = [
        {"value": kind.value, "name": name, "about": _ABOUT[kind], "model": KINDS[kind].model}
        for kind, name in PROVIDERS.items()
    ]
    context = {"form": form, "kinds": kinds}
    return partial_or_page(request, "agents/_accounts_new.html", "agents/accounts_new.html", context, status)
