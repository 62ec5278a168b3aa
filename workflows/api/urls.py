"""Routes of this app, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from workflows.api.board_views import ArchiveBoardView, RestoreBoardView
from workflows.api.card_views import RestoreCardView, TrashCardView

urlpatterns = [
    path("boards/<str:board_id>/archive", ArchiveBoardView.as_view(), name="api-archive-board"),
    path("boards/<str:board_id>/restore", RestoreBoardView.as_view(), name="api-restore-board"),
    path("cards/<str:card_id>/trash", TrashCardView.as_view(), name="api-trash-card"),
    path("cards/<str:card_id>/restore", RestoreCardView.as_view(), name="api-restore-card"),
]
