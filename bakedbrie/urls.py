"""Every address of the site but /mcp and /events, which bakedbrie.asgi serves."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path, re_path

from bakedbrie.api import openapi_views
from bakedbrie.api.errors import no_discovery
from bakedbrie.api.live_access import live_access
from bakedbrie.reference import site
from workspaces.web.sign_in import admin_sign_in

urlpatterns = [
    path("live/access", live_access, name="live-access"),
    path("api/v1/", include("bakedbrie.api.urls")),
    path("api/schema", openapi_views.schema, name="api-schema"),
    path("api/docs", openapi_views.reference, name="api-reference"),
    path("docs/", site.documents, name="documents"),
    path("docs/<slug:name>/", site.document, name="document"),
    path("admin/login/", admin_sign_in),
    path("admin/", admin.site.urls),
    path("", include("connecting.web.urls")),
    re_path(r"^(?:mcp/)?\.well-known/", no_discovery),
    re_path(r"^mcp/?$", no_discovery),  # bakedbrie.asgi serves it, unless it is off
    path("register", no_discovery),
    path("", include("workspaces.web.urls")),
    path("", include("boards.web.urls")),
    path("", include("agents.web.urls")),
    path("", include("destinations.web.urls")),
    path("", include("reviews.web.urls")),
    path("", include("workflows.web.urls")),
]

handler400 = "bakedbrie.lib.web.errors.bad_request"
handler403 = "bakedbrie.lib.web.errors.forbidden"
handler404 = "bakedbrie.lib.web.errors.not_found"
handler500 = "bakedbrie.lib.web.errors.server_error"
