"""Routes of this app, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from agents.api.account_views import AiAccountsView, AiAccountView
from agents.api.agent_views import AgentVersionsView, AgentView, BoardAgentsView

urlpatterns = [
    path("boards/<str:board_id>/agents", BoardAgentsView.as_view(), name="api-board-agents"),
    path("agents/<str:agent_id>", AgentView.as_view(), name="api-agent"),
    path("agents/<str:agent_id>/versions", AgentVersionsView.as_view(), name="api-agent-versions"),
    path("ai_accounts", AiAccountsView.as_view(), name="api-ai-accounts"),
    path("ai_accounts/<str:account_id>", AiAccountView.as_view(), name="api-ai-account"),
]
