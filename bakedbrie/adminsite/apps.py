"""App config: the admin, on our own site."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class AdminSiteConfig(AdminConfig):
    default_site = "bakedbrie.adminsite.site.OperationsSite"
