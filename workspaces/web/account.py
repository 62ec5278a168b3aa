"""The own account: name, password, passkeys, the second step, and where one is signed in."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from workspaces.inputs import NewPasswordIn, RenameUserIn
from workspaces.models import User
from workspaces.refusals import PASSKEY_FAILED
from workspaces.services.passkeys import passkeys_of, use_passkey
from workspaces.services.passwords import change_password, check_password
from workspaces.services.second_step import check_code, is_on, recovery_codes_left
from workspaces.services.sessions import end_other_sessions, end_session, renew_session, sessions_of
from workspaces.services.users import rename_user, set_review_mail
from workspaces.web.entering import origin_of, prove, with_wait
from workspaces.web.own_page import own_page, proved_page
from workspaces.web.session import safe_next


@never_cache
@require_safe
@own_page
def account(request: HttpRequest, user: User) -> HttpResponse:
    return _show(request, user)


@require_POST
@own_page
def rename(request: HttpRequest, user: User) -> HttpResponse:
    try:
        given = parse(RenameUserIn, {"name": request.POST.get("name", "")})
    except Refused as refused:
        form = Form(values={"name": request.POST.get("name", "")}, refused=show_in_place(refused))
        return _show(request, user, form=form, status=refused_status(refused))
    rename_user(user, given.name)
    return HttpResponseRedirect(reverse("account"))


@require_POST
@own_page
def mail(request: HttpRequest, user: User) -> HttpResponse:
    """Take what the person ticked. The link in a mail leads to the form, and switches nothing itself."""
    set_review_mail(user, is_wanted="review_mail" in request.POST)
    return HttpResponseRedirect(f"{reverse('account')}#mail")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@proved_page
def password(request: HttpRequest, user: User) -> HttpResponse:
    """Set a new password. The person stays signed in here, and nowhere else."""
    if request.method != "POST":
        return _show_password(request, user)
    try:
        given = parse(NewPasswordIn, {"password": request.POST.get("password", "")})
        change_password(user, given.password)
    except Refused as refused:
        return _show_password(request, user, refused)
    before = _key(request)
    update_session_auth_hash(request, user)
    renew_session(user, before=before, now=_key(request))
    end_other_sessions(user, this=_key(request))
    return HttpResponseRedirect(reverse("account"))


@never_cache
@sensitive_post_parameters("password", "code")
@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def confirm(request: HttpRequest, user: User) -> HttpResponse:
    """Ask once more who is there, before something changes that lets people in."""
    next_url = safe_next(request, request.POST.get("next") or request.GET.get("next", ""))
    if request.method != "POST":
        return _ask(request, user, next_url)
    try:
        _check(request, user)
    except Refused as refused:
        return with_wait(_ask(request, user, next_url, refused), refused)
    prove(request)
    return HttpResponseRedirect(next_url)


@require_POST
@own_page
def end_one(request: HttpRequest, user: User, session_id: int) -> HttpResponse:
    end_session(user, session_id)
    return HttpResponseRedirect(f"{reverse('account')}#sessions")


@require_POST
@own_page
def end_others(request: HttpRequest, user: User) -> HttpResponse:
    end_other_sessions(user, this=_key(request))
    return HttpResponseRedirect(f"{reverse('account')}#sessions")


def _check(request: HttpRequest, user: User) -> None:
    """Take a passkey; else the password, and a code too where the person has a second step."""
    origin = origin_of(request)
    if answer := request.POST.get("credential"):
        if use_passkey(answer=answer, origin=origin) != user:
            raise PASSKEY_FAILED()
        return
    check_password(email=user.email, password=request.POST.get("password", ""), origin=origin)
    if is_on(user):
        check_code(user, code=request.POST.get("code", ""), origin=origin)


def _show_password(request: HttpRequest, user: User, refused: Refused | None = None) -> HttpResponse:
    context = {"form": Form(refused=refused), "has_one": user.has_usable_password()}
    return render(request, "workspaces/account_password.html", context, status=_status(refused))


def _ask(request: HttpRequest, user: User, next_url: str, refused: Refused | None = None) -> HttpResponse:
    context = {
        "next": next_url,
        "refused": refused,
        "has_password": user.has_usable_password(),
        "has_second_step": is_on(user),
        "has_passkey": passkeys_of(user).exists(),
    }
    return render(request, "workspaces/account_confirm.html", context, status=_status(refused))


def _show(request: HttpRequest, user: User, *, form: Form | None = None, status: int = 200) -> HttpResponse:
    has_second_step = is_on(user)
    context = {
        "form": form or Form(),
        "person": user,
        "has_password": user.has_usable_password(),
        "sends_mail": bool(settings.EMAIL_HOST),
        "passkeys": list(passkeys_of(user)),
        "named_address": _named_address(request),
        "has_second_step": has_second_step,
        "codes_left": recovery_codes_left(user) if has_second_step else 0,
        "sessions": sessions_of(user, this=_key(request)),
    }
    return render(request, "workspaces/account.html", context, status=status)


def _status(refused: Refused | None) -> int:
    return refused_status(refused) if refused else 200


def _named_address(request: HttpRequest) -> str:
    """Return the address of this page by a name, where it was opened by a number: passkeys belong to names."""
    host, _, port = request.get_host().rpartition(":")
    try:
        number = ipaddress.ip_address((host or port).strip("[]"))
    except ValueError:
        return ""
    return f"http://localhost:{port}{reverse('account')}" if number.is_loopback and host else settings.APP_URL


def _key(request: HttpRequest) -> str:
    return request.session.session_key or ""
