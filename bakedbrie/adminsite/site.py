"""The admin's site: open to operators and to owners of a workspace, with a dashboard as its front page."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path

from bakedbrie.adminsite.dashboard import read_dashboard
from bakedbrie.adminsite.flower import flower
from bakedbrie.lib.refusals import RATE_LIMITED, Refused
from bakedbrie.lib.web.errors import error_page
from workspaces.admin_access import owned_ids
from workspaces.services.passwords import check_password
from workspaces.web.entering import origin_of, with_wait


class OperationsSite(admin.AdminSite):
    site_header = site_title = "BakedBrie"
    index_title = "Operations"
    enable_nav_sidebar = True

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) or bool(owned_ids(request))

    def get_urls(self) -> list[Any]:
        own = [path("flower/", flower, {"path": ""}, name="flower"), path("flower/<path:path>", flower)]
        return [*own, *super().get_urls()]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        return super().index(request, {"dashboard": read_dashboard(request), **(extra_context or {})})

    def password_change(  # type: ignore[override]  # it promises a template, and redirects itself
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The old password is counted like a try to sign in: a session alone is not enough to guess it."""
        if request.method == "POST":
            try:
                password = request.POST.get("old_password", "")
                check_password(email=request.user.get_username(), password=password, origin=origin_of(request))
            except Refused as refused:
                if refused.refusal is RATE_LIMITED:
                    return with_wait(error_page(request, refused), refused)
        return super().password_change(request, extra_context)
