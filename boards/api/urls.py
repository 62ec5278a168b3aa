"""Routes of this app, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from boards.api.board_views import BoardsView, BoardView, StagesView
from boards.api.card_views import CardCommentsView, CardResultsView, CardRoundsView, CardsView, CardView
from boards.api.file_views import CardFilesView, FileContentView, FileLinkView, FileView
from boards.api.member_views import BoardMembersView, BoardMemberView

urlpatterns = [
    path("boards", BoardsView.as_view(), name="api-boards"),
    path("boards/<str:board_id>", BoardView.as_view(), name="api-board"),
    path("boards/<str:board_id>/stages", StagesView.as_view(), name="api-board-stages"),
    path("boards/<str:board_id>/members", BoardMembersView.as_view(), name="api-board-members"),
    path("boards/<str:board_id>/members/<str:member_id>", BoardMemberView.as_view(), name="api-board-member"),
    path("cards", CardsView.as_view(), name="api-cards"),
    path("cards/<str:card_id>", CardView.as_view(), name="api-card"),
    path("cards/<str:card_id>/comments", CardCommentsView.as_view(), name="api-card-comments"),
    path("cards/<str:card_id>/rounds", CardRoundsView.as_view(), name="api-card-rounds"),
    path("cards/<str:card_id>/results", CardResultsView.as_view(), name="api-card-results"),
    path("cards/<str:card_id>/files", CardFilesView.as_view(), name="api-card-files"),
    path("files/<str:file_id>", FileView.as_view(), name="api-file"),
    path("files/<str:file_id>/link", FileLinkView.as_view(), name="api-file-link"),
    path("files/<str:file_id>/content", FileContentView.as_view(), name="api-file-content"),
]
