"""A person's own tokens: minted and shown once, listed, revoked."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from workspaces.access import get_token
from workspaces.caller import Caller
from workspaces.inputs import MintTokenIn
from workspaces.models import Token
from workspaces.selectors import tokens_of
from workspaces.serializers import TokenSerializer
from workspaces.services.tokens import mint_token, revoke_token
from workspaces.states import Preset
from workspaces.web.session import member_page
from workspaces.web.submit import submit

MOST_SHOWN = 100
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
        minted = submit(
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
    return _show(request, caller, minted=minted)


@require_safe
def moved(request: HttpRequest) -> HttpResponse:
    """Lead on from the address that this page had at first."""
    return HttpResponseRedirect(reverse("own-tokens"))


@require_POST
@member_page
def revoke(request: HttpRequest, caller: Caller, token_id: str) -> HttpResponse:
    """Revoke at once; doing it twice changes nothing."""
    revoke_token(caller, token=get_token(caller, token_id))
    return HttpResponseRedirect(reverse("own-tokens"))


def _show(
    request: HttpRequest,
    caller: Caller,
    *,
    form: Form | None = None,
    minted: Answer | None = None,
    status: int = 200,
) -> HttpResponse:
    own = tokens_of(caller)[:MOST_SHOWN]
    context = {
        "form": form or Form(),
        "minted": minted,
        "mcp_url": f"{settings.APP_URL}/mcp",
        "rows": [_row(token) for token in own],
    }
    return render(request, "workspaces/tokens.html", context, status=status)


def _row(token: Token) -> dict[str, object]:
    return {"token": token, "preset": PRESETS[Preset(token.preset)], "state": TokenSerializer(token).data["state"]}
