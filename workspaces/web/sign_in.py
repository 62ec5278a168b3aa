"""Signing in and out by password, passkey or link, the second step, and choosing a workspace."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import admin
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.web.errors import PAGE_FORBIDDEN, error_page
from workspaces.services.first_run import is_first_run
from workspaces.services.forgotten import ask_for_link
from workspaces.services.passkeys import begin_sign_in, use_passkey
from workspaces.services.passwords import check_password
from workspaces.services.second_step import check_code
from workspaces.services.sign_in_links import use_link
from workspaces.web.entering import arrive, enter, hiding_its_path, origin_of, pending, with_wait
from workspaces.web.session import choose_workspace, safe_next

_LONGEST_ADDRESS = 254


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in with e-mail address and password. A wrong address and a wrong password answer alike."""
    next_url = safe_next(request, request.POST.get("next") or request.GET.get("next", ""))
    if request.method == "GET":
        if request.user.is_authenticated:
            return HttpResponseRedirect(next_url)
        if is_first_run():
            return HttpResponseRedirect(reverse("first-run-where"))
        return _show(request, next_url)
    try:
        password = request.POST.get("password", "")
        user = check_password(email=request.POST.get("email", ""), password=password, origin=origin_of(request))
    except Refused as refused:
        return _show(request, next_url, refused)
    return arrive(request, user, next_url)


@never_cache
@require_POST
def passkey_options(request: HttpRequest) -> HttpResponse:
    """Give a browser the question that a passkey answers."""
    try:
        return JsonResponse(begin_sign_in(origin=origin_of(request)))
    except Refused as refused:
        problem = {"problem": f"{refused.message} {refused.fix}"}
        return with_wait(JsonResponse(problem, status=refused.refusal.status), refused)


@never_cache
@require_POST
def sign_in_with_passkey(request: HttpRequest) -> HttpResponse:
    """A passkey alone signs in: it is something one has, and the device asks who is there."""
    next_url = safe_next(request, request.POST.get("next", ""))
    try:
        user = use_passkey(answer=request.POST.get("credential", ""), origin=origin_of(request))
    except Refused as refused:
        return _show(request, next_url, refused)
    return enter(request, user, HttpResponseRedirect(next_url))


@never_cache
@require_http_methods(["GET", "POST"])
def second_step(request: HttpRequest) -> HttpResponse:
    """Ask who passed the first step for a code of their app, or for a recovery code."""
    waiting = pending(request)
    if waiting is None:
        return HttpResponseRedirect(reverse("sign-in"))
    user, next_url = waiting
    if request.method == "GET":
        return render(request, "workspaces/sign_in_code.html", {"next": next_url})
    try:
        check_code(user, code=request.POST.get("code", ""), origin=origin_of(request))
    except Refused as refused:
        context = {"refused": refused, "next": next_url}
        page = render(request, "workspaces/sign_in_code.html", context, status=refused.refusal.status)
        return with_wait(page, refused)
    return enter(request, user, HttpResponseRedirect(next_url))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponse:
    """Say who can let somebody in again, and mail a link to whoever asks; the answer is the same for every address."""
    context: dict[str, object] = {"sends_mail": bool(settings.EMAIL_HOST)}
    if request.method != "POST":
        return render(request, "workspaces/sign_in_forgotten.html", context)
    try:
        ask_for_link(email=request.POST.get("email", "")[:_LONGEST_ADDRESS], origin=origin_of(request))
    except Refused as refused:
        context["refused"] = refused
        page = render(request, "workspaces/sign_in_forgotten.html", context, status=refused.refusal.status)
        return with_wait(page, refused)
    return render(request, "workspaces/sign_in_forgotten.html", {**context, "is_asked": True})


@never_cache
@require_safe
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Have people of the admin sign in where everybody does: the admin's own form would not count the tries."""
    next_url = safe_next(request, request.GET.get("next") or reverse("admin:index"))
    if not request.user.is_authenticated:
        return HttpResponseRedirect(f"{reverse('sign-in')}?{urlencode({'next': next_url})}")
    if admin.site.has_permission(request):
        return HttpResponseRedirect(next_url)
    return error_page(request, PAGE_FORBIDDEN())


@never_cache
@require_http_methods(["GET", "POST"])
def sign_in_link(request: HttpRequest, raw: str) -> HttpResponse:
    """Show a button; pressing it uses the link up. Programs that only open links sign nobody in."""
    if request.method == "GET":
        return hiding_its_path(render(request, "workspaces/sign_in_link.html"))
    try:
        user = use_link(raw)
    except Refused as refused:
        page = render(request, "workspaces/sign_in_link.html", {"refused": refused}, status=refused.refusal.status)
        return hiding_its_path(page)
    return hiding_its_path(arrive(request, user, safe_next(request, "")))


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return HttpResponseRedirect(safe_next(request, ""))


@require_POST
def switch_workspace(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        choose_workspace(request, str(ids.parse_id(request.POST.get("workspace"))))
    return HttpResponseRedirect(safe_next(request, ""))


def _show(request: HttpRequest, next_url: str, refused: Refused | None = None) -> HttpResponse:
    context = {"next": next_url, "email": request.POST.get("email", ""), "refused": refused}
    page = render(request, "workspaces/sign_in.html", context, status=refused.refusal.status if refused else 200)
    return with_wait(page, refused) if refused else page
