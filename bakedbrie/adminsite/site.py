"""The admin's site: open to operators and to owners of a workspace, with a dashboard as its front page."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse

from bakedbrie.adminsite.dashboard import read_dashboard
from bakedbrie.adminsite.flower import flower
from workspaces.admin_access import owned_ids


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
    ) -> HttpResponseRedirect:
        """Have it changed where the second step is asked for, and where other sessions end."""
        return HttpResponseRedirect(reverse("account-password"))
