"""Signing in and out, and choosing a workspace."""

from __future__ import annotations

from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from bakedbrie.lib.refusals import Refused
from workspaces.refusals import SIGN_IN_FAILED
from workspaces.services.sign_in_links import use_link
from workspaces.web.session import choose_workspace, safe_next

_MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in with e-mail address and password. A wrong address and a wrong password answer alike."""
    next_url = safe_next(request, request.POST.get("next") or request.GET.get("next", ""))
    if request.user.is_authenticated and request.method == "GET":
        return HttpResponseRedirect(next_url)
    context = {"next": next_url, "email": request.POST.get("email", "")}
    if request.method == "GET":
        return render(request, "workspaces/sign_in.html", context)
    user = authenticate(
        request, username=request.POST.get("email", "").strip().lower(), password=request.POST.get("password", "")
    )
    if user is None:
        return render(request, "workspaces/sign_in.html", {**context, "refused": SIGN_IN_FAILED()}, status=422)
    login(request, user)
    return HttpResponseRedirect(next_url)


@never_cache
@require_http_methods(["GET", "POST"])
def sign_in_link(request: HttpRequest, raw: str) -> HttpResponse:
    """Show a button; pressing it uses the link up. Programs that only open links sign nobody in."""
    if request.method == "GET":
        return _without_referrer(render(request, "workspaces/sign_in_link.html"))
    try:
        user = use_link(raw)
    except Refused as refused:
        page = render(request, "workspaces/sign_in_link.html", {"refused": refused}, status=refused.refusal.status)
        return _without_referrer(page)
    login(request, user, backend=_MODEL_BACKEND)
    return _without_referrer(HttpResponseRedirect(safe_next(request, "")))


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return HttpResponseRedirect(safe_next(request, ""))


@require_POST
def switch_workspace(request: HttpRequest) -> HttpResponse:
    choose_workspace(request, request.POST.get("workspace", ""))
    return HttpResponseRedirect(safe_next(request, ""))


def _without_referrer(response: HttpResponse) -> HttpResponse:
    """The address of this page is a key until it is used."""
    response["Referrer-Policy"] = "no-referrer"
    return response
