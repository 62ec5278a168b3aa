"""Routes of this app, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from workflows.api.approval_views import (
    AgentPermitsView,
    AnswerApprovalView,
    ApprovalsView,
    ApprovalView,
    PermitView,
)
from workflows.api.board_views import ArchiveBoardView, RestoreBoardView
from workflows.api.card_views import RestoreCardView, TrashCardView
from workflows.api.history_views import BoardEventsView, CardEventsView
from workflows.api.result_views import OutputView, ResultsView
from workflows.api.review_views import DecideReviewView, ReviewsView, ReviewView
from workflows.api.rule_views import RuleView, TriggersView
from workflows.api.turn_views import CardTurnsView, TurnView

urlpatterns = [
    path("boards/<str:board_id>/archive", ArchiveBoardView.as_view(), name="api-archive-board"),
    path("boards/<str:board_id>/restore", RestoreBoardView.as_view(), name="api-restore-board"),
    path("cards/<str:card_id>/trash", TrashCardView.as_view(), name="api-trash-card"),
    path("cards/<str:card_id>/restore", RestoreCardView.as_view(), name="api-restore-card"),
    path("boards/<str:board_id>/events", BoardEventsView.as_view(), name="api-board-events"),
    path("cards/<str:card_id>/events", CardEventsView.as_view(), name="api-card-events"),
    path("cards/<str:card_id>/turns", CardTurnsView.as_view(), name="api-card-turns"),
    path("turns/<str:turn_id>", TurnView.as_view(), name="api-turn"),
    path("approvals", ApprovalsView.as_view(), name="api-approvals"),
    path("approvals/<str:approval_id>", ApprovalView.as_view(), name="api-approval"),
    path("approvals/<str:approval_id>/answer", AnswerApprovalView.as_view(), name="api-answer-approval"),
    path("agents/<str:agent_id>/permits", AgentPermitsView.as_view(), name="api-agent-permits"),
    path("permits/<str:permit_id>", PermitView.as_view(), name="api-permit"),
    path("results", ResultsView.as_view(), name="api-results"),
    path("outputs/<str:output_id>", OutputView.as_view(), name="api-output"),
    path("reviews", ReviewsView.as_view(), name="api-reviews"),
    path("reviews/<str:review_id>", ReviewView.as_view(), name="api-review"),
    path("reviews/<str:review_id>/decision", DecideReviewView.as_view(), name="api-decide-review"),
    path("triggers", TriggersView.as_view(), name="api-triggers"),
    path("rules/<str:rule_id>", RuleView.as_view(), name="api-rule"),
]
