"""Passkeys and the second step of the own account."""

from __future__ import annotations

import io

import segno
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bakedbrie.lib.refusals import NOT_FOUND, Refused
from bakedbrie.lib.toolkit.inputs import parse
from bakedbrie.lib.web.forms import Form, refused_status
from workspaces.inputs import RenamePasskeyIn
from workspaces.models import User
from workspaces.services.passkeys import add_passkey, begin_adding, get_passkey, remove_passkey, rename_passkey
from workspaces.services.second_step import address_for_app, is_on, new_recovery_codes, new_seed, turn_off, turn_on
from workspaces.services.sessions import end_other_sessions
from workspaces.web.entering import origin_of, with_wait
from workspaces.web.own_page import proved_page

_SEED = "second_step_seed"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@proved_page
def new_passkey(request: HttpRequest, user: User) -> HttpResponse:
    """Add a passkey that this browser, or a device beside it, has just made."""
    if request.method != "POST":
        return render(request, "workspaces/account_passkey.html", {"form": Form()})
    typed = {"name": request.POST.get("name", "")}
    try:
        given = parse(RenamePasskeyIn, typed)
        add_passkey(user, name=given.name, answer=request.POST.get("credential", ""))
    except Refused as refused:
        context = {"form": Form(values=typed, refused=refused)}
        return render(request, "workspaces/account_passkey.html", context, status=refused_status(refused))
    return HttpResponseRedirect(f"{reverse('account')}#passkeys")


@never_cache
@require_POST
@proved_page
def new_passkey_options(request: HttpRequest, user: User) -> HttpResponse:
    try:
        return JsonResponse(begin_adding(user))
    except Refused as refused:
        return JsonResponse({"problem": f"{refused.message} {refused.fix}"}, status=refused.refusal.status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@proved_page
def one_passkey(request: HttpRequest, user: User, passkey_id: int) -> HttpResponse:
    """Show a passkey to rename or remove."""
    passkey = get_passkey(user, passkey_id)
    if request.method != "POST":
        return render(request, "workspaces/account_passkey_one.html", {"form": Form(), "passkey": passkey})
    typed = {"name": request.POST.get("name", "")}
    try:
        if request.POST.get("action") == "remove":
            remove_passkey(user, passkey=passkey)
        else:
            rename_passkey(user, passkey=passkey, name=parse(RenamePasskeyIn, typed).name)
    except Refused as refused:
        context = {"form": Form(values=typed, refused=refused), "passkey": passkey}
        return render(request, "workspaces/account_passkey_one.html", context, status=refused_status(refused))
    return HttpResponseRedirect(f"{reverse('account')}#passkeys")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@proved_page
def second_step_on(request: HttpRequest, user: User) -> HttpResponse:
    """Show what an app needs; a code of it turns the second step on, ends other sessions and shows recovery codes."""
    if is_on(user):
        return HttpResponseRedirect(f"{reverse('account')}#second-step")
    seed = request.session.get(_SEED)
    if request.method != "POST" or not seed:
        return _show_app(request, user)
    try:
        codes = turn_on(user, seed=seed, code=request.POST.get("code", ""), origin=origin_of(request))
    except Refused as refused:
        return with_wait(_show_app(request, user, refused), refused)
    del request.session[_SEED]
    end_other_sessions(user, this=request.session.session_key or "")
    return render(request, "workspaces/account_codes.html", {"codes": codes, "is_new": True})


@never_cache
@require_safe
@proved_page
def second_step_picture(request: HttpRequest, user: User) -> HttpResponse:
    """Draw what an app scans. It is an address of its own, because pages may show no picture from within."""
    seed = request.session.get(_SEED)
    if not seed:
        raise NOT_FOUND()
    drawn = io.BytesIO()
    segno.make(address_for_app(user, seed), error="m").save(
        drawn, kind="svg", scale=4, border=4, dark="#000", light="#fff", omitsize=True, xmldecl=False
    )
    return HttpResponse(drawn.getvalue(), content_type="image/svg+xml")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@proved_page
def second_step_off(request: HttpRequest, user: User) -> HttpResponse:
    """GET asks, POST turns the second step off."""
    if request.method != "POST":
        return render(request, "workspaces/account_second_step_off.html")
    turn_off(user)
    return HttpResponseRedirect(f"{reverse('account')}#second-step")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@proved_page
def recovery_codes(request: HttpRequest, user: User) -> HttpResponse:
    """GET asks, POST makes new codes and shows them on the page that answers, and nowhere else."""
    if not is_on(user):
        return HttpResponseRedirect(f"{reverse('account')}#second-step")
    if request.method != "POST":
        return render(request, "workspaces/account_new_codes.html")
    return render(request, "workspaces/account_codes.html", {"codes": new_recovery_codes(user)})


def _show_app(request: HttpRequest, user: User, refused: Refused | None = None) -> HttpResponse:
    seed = request.session.setdefault(_SEED, new_seed())
    context = {
        "refused": refused,
        "seed": " ".join(seed[at : at + 4] for at in range(0, len(seed), 4)),
        "address": address_for_app(user, seed),
    }
    status = refused.refusal.status if refused else 200
    return render(request, "workspaces/account_second_step.html", context, status=status)
