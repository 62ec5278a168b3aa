"""One AI account: whether it works, what it pays for, what it may cost, and its end."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.access import get_account, get_agent, get_binding
from agents.calls.check_account import check_account
from agents.inputs import BindAiAccountIn, CheckAiAccountIn, Usd
from agents.models import AiAccount, AiBinding
from agents.payers import (
    accounts_to_show,
    has_workspace_payer,
    managed_choices_of,
    may_bind_workspace,
    name_of,
    what_stops,
)
from agents.selectors import trouble_of
from agents.services.accounts import edit_account, is_keeper, remove_account, require_keeper
from agents.services.bindings import bind_account, require_binder, unbind_account
from agents.services.caps import can_be_capped, set_monthly_cap
from agents.states import AccountState, BindingScope, Provider
from agents.web.accounts import PROVIDERS, may_write
from bakedbrie.lib.money import micros_from_usd, show_usd
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Id, Input, Name, parse
from bakedbrie.lib.toolkit.tool import Answer, Effect
from bakedbrie.lib.web.confirm import Question, asked
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from boards.access import get_board
from workspaces.access import require_capability, require_writer
from workspaces.caller import Caller
from workspaces.services.replay import replay
from workspaces.web.session import member_page
from workspaces.web.submit import submit


class NameIn(Input):
    account_id: Id
    label: Name
    model: Name


class CapIn(Input):
    """A cap of null is none."""

    account_id: Id
    monthly_cap_usd: Usd | None = None


class BindingIn(Input):
    binding_id: Id


@dataclass(frozen=True, kw_only=True)
class Bound:
    """Something the account pays for, and whether the caller may end that."""

    binding: AiBinding
    name: str
    may_end: bool


@require_safe
@member_page
def account(request: HttpRequest, caller: Caller, account_id: str) -> HttpResponse:
    require_capability(caller, "ai_accounts")
    return _show(request, caller, get_account(caller, account_id))


@require_POST
@member_page
def check(request: HttpRequest, caller: Caller, account_id: str) -> HttpResponse:
    """Ask the provider once, at no cost, whether it still takes the key."""
    require_capability(caller, "ai_accounts")
    found = get_account(caller, account_id)
    require_writer(caller)
    given = parse(CheckAiAccountIn, {"account_id": str(found.pk)})

    def run() -> Answer:
        return {"trouble": trouble_of(check_account(caller, account=found).account, caller.workspace)}

    try:
        answer = replay(
            caller,
            request_id=request.POST.get("request_id", ""),
            call={"form": "check_ai_account", **given.model_dump(mode="json")},
            effect=Effect.SEND,
            run=run,
        )
    except Refused as refused:
        return _refused(request, caller, found, "check_form", refused)
    return _after(request, caller, found, "The account cannot be used." if answer["trouble"] else "The key works.")


@require_POST
@member_page
def bind(request: HttpRequest, caller: Caller, account_id: str) -> HttpResponse:
    """Let the account pay for the workspace, a board or an agent from now on."""
    require_capability(caller, "ai_accounts")
    found = get_account(caller, account_id)
    require_writer(caller)
    typed = {"target": request.POST.get("target", "")}
    scope, _, scope_id = typed["target"].partition("/")

    def run(given: BindAiAccountIn) -> Answer:
        agent = get_agent(caller, given.scope_id) if given.scope == "agent" else None
        board = get_board(caller, given.scope_id) if given.scope == "board" else None
        bind_account(caller, account=found, scope=BindingScope(given.scope), board=board, agent=agent)
        return {"needs_publish": agent is not None and agent.needs_publish}

    given = {"account_id": str(found.pk), "scope": scope, "scope_id": scope_id or None}
    try:
        answer = submit(request, caller, name="bind_ai_account", model=BindAiAccountIn, given=given, run=run)
    except Refused as refused:
        return _refused(request, caller, found, "bind_form", refused, typed)
    more = " Publish the agent again: it waits until then." if answer["needs_publish"] else ""
    return _after(request, caller, found, f"The account pays for it from now on.{more}")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def unbind(request: HttpRequest, caller: Caller, binding_id: str) -> HttpResponse:
    """GET asks, POST ends it."""
    require_capability(caller, "ai_accounts")
    binding = get_binding(caller, binding_id)
    require_binder(caller, BindingScope(binding.scope), binding.board, binding.agent)
    question = Question(
        name="unbind-ai-account",
        of=str(binding.pk),
        title=f"Stop paying for {name_of(binding)}?",
        text=_after_unbinding(BindingScope(binding.scope)),
        button="Stop paying",
        back=("ai-account", str(binding.account_id)),
        back_name=binding.account.label,
    )

    def run(_: BindingIn) -> Answer:
        unbind_account(caller, binding=binding)
        return {"unbound": True}

    def act() -> None:
        given = {"binding_id": str(binding.pk)}
        submit(request, caller, name="unbind_ai_account", model=BindingIn, given=given, run=run)

    return asked(request, question, act, f"“{binding.account.label}” no longer pays for it.")


@require_POST
@member_page
def cap(request: HttpRequest, caller: Caller, account_id: str) -> HttpResponse:
    """Set, lower, raise or take away what the account may cost in a month; an empty field is no cap."""
    require_capability(caller, "ai_accounts")
    found = get_account(caller, account_id)
    require_keeper(caller, found)
    typed = {"monthly_cap_usd": request.POST.get("monthly_cap_usd", "").strip().removeprefix("$").strip()}

    def run(given: CapIn) -> Answer:
        usd = given.monthly_cap_usd
        set_monthly_cap(caller, account=found, cap_micros=None if usd is None else micros_from_usd(usd))
        return {"capped": usd is not None}

    given = {"account_id": str(found.pk), "monthly_cap_usd": typed["monthly_cap_usd"] or None}
    try:
        answer = submit(request, caller, name="cap_ai_account", model=CapIn, given=given, run=run)
    except Refused as refused:
        return _refused(request, caller, found, "cap_form", refused, typed)
    return _after(request, caller, found, "The cap counts from now on." if answer["capped"] else "The cap is gone.")


@require_POST
@member_page
def edit(request: HttpRequest, caller: Caller, account_id: str) -> HttpResponse:
    require_capability(caller, "ai_accounts")
    found = get_account(caller, account_id)
    require_keeper(caller, found)
    typed = {name: request.POST.get(name, "") for name in ("label", "model")}

    def run(given: NameIn) -> Answer:
        edit_account(caller, account=found, label=given.label, model=given.model)
        return {"account_id": str(found.pk)}

    try:
        given = {"account_id": str(found.pk), **typed}
        submit(request, caller, name="edit_ai_account", model=NameIn, given=given, run=run)
    except Refused as refused:
        return _refused(request, caller, found, "edit_form", refused, typed)
    return _after(request, caller, found, "Saved.")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def remove(request: HttpRequest, caller: Caller, account_id: str) -> HttpResponse:
    """GET asks and names what will stop, POST destroys the key."""
    require_capability(caller, "ai_accounts")
    found = get_account(caller, account_id)
    require_keeper(caller, found)
    question = Question(
        name="remove-ai-account",
        of=str(found.pk),
        title=f"Remove “{found.label}”?",
        text="Its key is destroyed here, and this cannot be undone. At the provider the key lives on until it is "
        "deleted there.",
        points=_what_stops(caller, found),
        button="Remove account",
        back=("ai-accounts", ""),
        back_name="AI accounts",
    )

    def run(_: CheckAiAccountIn) -> Answer:
        return {"account_id": str(remove_account(caller, account=found).pk)}

    def act() -> None:
        given = {"account_id": str(found.pk)}
        submit(request, caller, name="remove_ai_account", model=CheckAiAccountIn, given=given, run=run)

    return asked(request, question, act, "The account is removed.")


def _after_unbinding(scope: BindingScope) -> str:
    next_ones = {
        BindingScope.AGENT: "From then on the board’s account pays for this agent, else the workspace’s. An agent that "
        "works has to be published again before it goes on.",
        BindingScope.BOARD: "From then on the workspace’s account pays here, except for agents with one of their own.",
        BindingScope.WORKSPACE: "Boards and agents with an account of their own go on as they are.",
    }
    return f"{next_ones[scope]} Where none is bound, cards wait until one is; what is in line keeps this account."


def _what_stops(caller: Caller, found: AiAccount) -> tuple[str, ...]:
    stops = what_stops(caller, found)
    points = [f"Agents no longer start for {name_of(binding)}." for binding in stops.bindings]
    if stops.hidden:
        points.append(f"It is bound in {stops.hidden} more places, on boards that you cannot open.")
    if stops.turns:
        points.append(f"{stops.turns} {'card is' if stops.turns == 1 else 'cards are'} in line with it and will fail.")
    if points:
        points.append("No other account pays instead, until somebody binds one there.")
    return tuple(points) or ("It pays for nothing now, so nothing stops.",)


def _refused(
    request: HttpRequest,
    caller: Caller,
    found: AiAccount,
    name: str,
    refused: Refused,
    typed: dict[str, str] | None = None,
) -> HttpResponse:
    form = Form(values=typed or {}, refused=show_in_place(refused))
    return _show(request, caller, found, used=(name, form), status=refused_status(refused))


def _after(request: HttpRequest, caller: Caller, found: AiAccount, told: str) -> HttpResponse:
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("ai-account", args=[found.pk]))
    return say(_show(request, caller, found, told=told), told)


def _show(
    request: HttpRequest,
    caller: Caller,
    found: AiAccount,
    *,
    used: tuple[str, Form] | None = None,
    told: str = "",
    status: int = 200,
) -> HttpResponse:
    shown = accounts_to_show(caller).get(pk=found.pk)
    cap_micros = shown.monthly_cap_micros
    cap_text = "" if cap_micros is None else show_usd(cap_micros).removeprefix("$").replace(",", "")
    choices = managed_choices_of(caller) if may_write(caller) else ()
    forms = {
        "check_form": Form(),
        "bind_form": Form(),
        "cap_form": Form(values={"monthly_cap_usd": cap_text}),
        "edit_form": Form(values={"label": shown.label, "model": shown.model}),
        **dict([used] if used else []),
    }
    context = {
        "account": shown,
        "provider": PROVIDERS[Provider(shown.provider)],
        "is_compatible": shown.provider == Provider.OPENAI_COMPATIBLE,
        "trouble": trouble_of(shown, caller.workspace),
        "is_ready": shown.state == AccountState.READY,
        "bound": _bound(caller, shown, {choice.board.value for choice in choices}),
        "choices": choices,
        "may_bind_workspace": may_bind_workspace(caller),
        "suggests_workspace": may_bind_workspace(caller) and not has_workspace_payer(caller),
        "may_write": may_write(caller),
        "may_keep": is_keeper(caller, shown),
        "may_cap": is_keeper(caller, shown) and (cap_micros is not None or can_be_capped(shown)),
        "told": told,
        **forms,
    }
    return partial_or_page(request, "agents/_accounts_one.html", "agents/accounts_one.html", context, status)


def _bound(caller: Caller, shown: AiAccount, managed: set[str]) -> list[Bound]:
    """Return what the account pays for; ``managed`` are the boards on which the caller may change that."""
    return [
        Bound(binding=binding, name=name_of(binding), may_end=_may_end(caller, binding, managed))
        for binding in shown.bindings.all()
    ]


def _may_end(caller: Caller, binding: AiBinding, managed: set[str]) -> bool:
    board_id = binding.agent.board_id if binding.agent is not None else binding.board_id
    return may_bind_workspace(caller) if board_id is None else f"board/{board_id}" in managed
