"""Pages of this app."""

from __future__ import annotations

from django.urls import path

from reviews.web import downloads, folder

urlpatterns = [
    path("boards/<str:board_id>/folder/", folder.folder, name="work-folder"),
    path("boards/<str:board_id>/folder/try/", folder.try_now, name="try-folder"),
    path("folder-files/<str:file_id>/", folder.file, name="folder-file"),
    path("downloads/folders/<str:signed>/", downloads.download_by_link, name="download-folder-file"),
]
