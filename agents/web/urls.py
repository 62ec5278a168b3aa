"""Pages of this app. Those that show rules too are in workflows.web."""

from __future__ import annotations

from django.urls import path

from agents.web import editor, publishing, versions

urlpatterns = [
    path("boards/<str:board_id>/agents/new/", editor.new, name="new-agent"),
    path("agents/<str:agent_id>/edit/", editor.edit, name="edit-agent"),
    path("agents/<str:agent_id>/publish/", publishing.publish, name="publish-agent"),
    path("agents/<str:agent_id>/versions/", versions.versions, name="agent-versions"),
    path("agents/<str:agent_id>/versions/<str:n>/", versions.version, name="agent-version"),
]
