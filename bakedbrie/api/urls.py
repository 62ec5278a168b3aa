"""Addresses below /api/v1/."""

from __future__ import annotations

from django.urls import include, path

from bakedbrie.api.tool_views import TokenView, ToolCallView, ToolListView, WhoamiView

urlpatterns = [
    path("token", TokenView.as_view(), name="token"),
    path("whoami", WhoamiView.as_view(), name="whoami"),
    path("tools", ToolListView.as_view(), name="tools"),
    path("tools/<str:name>", ToolCallView.as_view(), name="call-tool"),
    path("", include("workspaces.api.urls")),
    path("", include("boards.api.urls")),
    path("", include("agents.api.urls")),
    path("", include("destinations.api.urls")),
    path("", include("reviews.api.urls")),
    path("", include("workflows.api.urls")),
]
