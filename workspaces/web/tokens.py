"""Tokens: minted by a person for themselves and shown once, listed and revoked; admins see those of everybody."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from bakedbrie.lib import clock
from bakedbrie.lib.paging import page
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, asked
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import partial_or_page
from bakedbrie.templatetags.bakedbrie_tags import age
from workspaces.access import get_token
from workspaces.audience import mcp_address
from workspaces.caller import Caller
from workspaces.inputs import ListTokensIn, MintTokenIn, RevokeTokenIn
from workspaces.models import Token
from workspaces.roles import Role, is_at_least
from workspaces.selectors import connected, minted, tokens_of, workspace_tokens
from workspaces.serializers import TokenSerializer
from workspaces.services.tokens import mint_token, revoke_token
from workspaces.states import Preset, TokenKind
from workspaces.web.assistants import setups
from workspaces.web.session import member_page
from workspaces.web.submit import submit

PRESETS = {Preset.FULL_CONTROL: "Full control", Preset.READ_ONLY: "Read only", Preset.RUNNER: "Runner only"}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def tokens(request: HttpRequest, caller: Caller) -> HttpResponse:
    """List the caller's tokens; a POST mints one and shows it on the page that answers, and nowhere else."""
    if request.method != "POST":
        return _show(request, caller)
    typed = {field: request.POST.get(field, "") for field in ("label", "preset", "days")}

    def run(given: MintTokenIn) -> Answer:
        expires_at = clock.now() + timedelta(days=int(given.days)) if given.days else None
        token, raw = mint_token(caller, label=given.label, preset=Preset(given.preset), expires_at=expires_at)
        return {"label": token.label, "token": raw}

    try:
        answer = submit(
            request,
            caller,
            name="mint_token",
            model=MintTokenIn,
            given=typed,
            run=run,
            shown_once=frozenset({"token"}),
        )
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return _show(request, caller, form=form, status=refused_status(refused))
    return _show(request, caller, shown_once=answer)


@require_safe
def moved(request: HttpRequest) -> HttpResponse:
    """Lead on from the address that this page had at first."""
    return HttpResponseRedirect(reverse("own-tokens"))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def revoke(request: HttpRequest, caller: Caller, token_id: str) -> HttpResponse:
    """GET asks, POST revokes at once; doing it twice changes nothing."""
    token = get_token(caller, token_id)
    used = f"It was last used {age(token.last_used_at, clock.now())}." if token.last_used_at else "It was never used."
    question = _question(
        token, points=(used,) if token.member_id == caller.member.pk else (f"It is {token.member.user}’s.", used)
    )

    def run(_: RevokeTokenIn) -> Answer:
        return {"token_id": str(revoke_token(caller, token=token).pk)}

    def act() -> None:
        given = {"token_id": str(token.pk)}
        submit(request, caller, name="revoke_token", model=RevokeTokenIn, given=given, run=run)

    told = "Disconnected." if token.kind == TokenKind.CONNECTED else "Token revoked."
    return asked(request, question, act, told)


def _question(token: Token, points: tuple[str, ...]) -> Question:
    verb, text = "Revoke", "Whatever uses this token is shut out from its next call on. A token cannot be brought back."
    button = "Revoke token"
    if token.kind == TokenKind.CONNECTED:
        verb = button = "Disconnect"
        text = "It is shut out from its next call on. To work here again, it has to be connected anew."
    return Question(
        name="revoke-own-token",
        of=str(token.pk),
        title=f"{verb} “{token.label}”?",
        text=text,
        points=points,
        button=button,
        back=("own-tokens", ""),
        back_name="Tokens",
    )


def _show(
    request: HttpRequest,
    caller: Caller,
    *,
    form: Form | None = None,
    shown_once: Answer | None = None,
    status: int = 200,
) -> HttpResponse:
    given = parse_query(ListTokensIn, request.GET.dict())
    is_of_all = given.of == "everyone"
    rows = workspace_tokens(caller) if is_of_all else tokens_of(caller)
    found = page(minted(rows), cursor=given.cursor, limit=given.limit, order=("-id",))
    assistants = page(connected(rows), cursor=given.assistants, limit=given.limit, order=("-id",))
    list_url = reverse("own-tokens")
    raw = str(shown_once.get("token") or "") if shown_once else ""
    context = {
        "form": form or Form(),
        "minted": shown_once,
        "mcp_address": mcp_address() if settings.MCP_ENABLED else "",
        "assistants": [_row(token) for token in assistants.items],
        "next_assistants": assistants.next_cursor,
        "are_first_assistants": given.assistants is None,
        "setups": setups(settings.APP_URL, raw),
        "rows": [_row(token) for token in found.items],
        "is_of_all": is_of_all,
        "may_see_all": is_at_least(caller.role, Role.ADMIN),
        "next_cursor": found.next_cursor,
        "is_first": given.cursor is None,
        "kept": "of=everyone" if is_of_all else "",
        "list_url": list_url,
        "live_url": f"{list_url}?{request.GET.urlencode()}" if request.GET else list_url,
    }
    return partial_or_page(request, "workspaces/_tokens.html", "workspaces/tokens.html", context, status)


def _row(token: Token) -> dict[str, object]:
    return {"token": token, "preset": PRESETS[Preset(token.preset)], "state": TokenSerializer(token).data["state"]}
