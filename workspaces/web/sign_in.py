"""Signing in and out, and choosing a workspace."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.web.errors import PAGE_FORBIDDEN, error_page
from workspaces.services.first_run import is_first_run
from workspaces.services.passwords import check_password
from workspaces.services.sign_in_links import use_link
from workspaces.web.entering import enter, hiding_its_path, origin_of, with_wait
from workspaces.web.session import choose_workspace, safe_next


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in with e-mail address and password. A wrong address and a wrong password answer alike."""
    next_url = safe_next(request, request.POST.get("next") or request.GET.get("next", ""))
    if request.user.is_authenticated and request.method == "GET":
        return HttpResponseRedirect(next_url)
    if request.method == "GET" and is_first_run():
        return HttpResponseRedirect(reverse("first-run-where"))
    context = {"next": next_url, "email": request.POST.get("email", "")}
    if request.method == "GET":
        return render(request, "workspaces/sign_in.html", context)
    try:
        password = request.POST.get("password", "")
        user = check_password(email=context["email"], password=password, origin=origin_of(request))
    except Refused as refused:
        status = refused.refusal.status
        page = render(request, "workspaces/sign_in.html", {**context, "refused": refused}, status=status)
        return with_wait(page, refused)
    return enter(request, user, HttpResponseRedirect(next_url))


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
    return hiding_its_path(enter(request, user, HttpResponseRedirect(safe_next(request, ""))))


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return HttpResponseRedirect(safe_next(request, ""))


@require_POST
def switch_workspace(request: HttpRequest) -> HttpResponse:
    choose_workspace(request, request.POST.get("workspace", ""))
    return HttpResponseRedirect(safe_next(request, ""))
