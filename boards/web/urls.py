"""Pages of this app."""

from __future__ import annotations

from django.urls import path

from boards.web import members, previews, settings
from boards.web.downloads import download_by_link

urlpatterns = [
    path("boards/<str:board_id>/settings/", settings.settings, name="board-settings"),
    path("boards/<str:board_id>/settings/name/", settings.name, name="edit-board"),
    path("boards/<str:board_id>/settings/guidelines/", settings.guidelines, name="edit-guidelines"),
    path("boards/<str:board_id>/members/", members.add, name="add-board-member"),
    path("boards/<str:board_id>/members/<str:member_id>/", members.change, name="change-board-member"),
    path("boards/<str:board_id>/members/<str:member_id>/remove/", members.remove, name="remove-board-member"),
    path("files/<str:file_id>/preview/", previews.preview, name="preview-file"),
    path("files/<str:file_id>/content/", previews.content, name="file-content"),
    path("files/<str:file_id>/remove/", previews.remove, name="remove-file"),
    path("downloads/<str:signed>/", download_by_link, name="download"),
]
