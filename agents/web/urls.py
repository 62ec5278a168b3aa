"""Pages of this app. Those that show rules too are in workflows.web."""

from __future__ import annotations

from django.urls import path

from agents.web import account, accounts, editor, publishing, versions

urlpatterns = [
    path("boards/<str:board_id>/agents/new/", editor.new, name="new-agent"),
    path("agents/<str:agent_id>/edit/", editor.edit, name="edit-agent"),
    path("agents/<str:agent_id>/publish/", publishing.publish, name="publish-agent"),
    path("agents/<str:agent_id>/versions/", versions.versions, name="agent-versions"),
    path("agents/<str:agent_id>/versions/<str:n>/", versions.version, name="agent-version"),
    path("settings/accounts/", accounts.accounts, name="ai-accounts"),
    path("settings/accounts/new/", accounts.new, name="new-ai-account"),
    path("settings/accounts/<str:account_id>/", account.account, name="ai-account"),
    path("settings/accounts/<str:account_id>/check/", account.check, name="check-ai-account"),
    path("settings/accounts/<str:account_id>/bindings/", account.bind, name="bind-ai-account"),
    path("settings/accounts/<str:account_id>/cap/", account.cap, name="cap-ai-account"),
    path("settings/accounts/<str:account_id>/edit/", account.edit, name="edit-ai-account"),
    path("settings/accounts/<str:account_id>/remove/", account.remove, name="remove-ai-account"),
    path("settings/bindings/<str:binding_id>/remove/", account.unbind, name="unbind-ai-account"),
]
