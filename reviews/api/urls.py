"""Routes of this app, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from reviews.api.folder_views import FolderFileLinkView, FolderFilesView, WorkFolderView

urlpatterns = [
    path("boards/<str:board_id>/work_folder", WorkFolderView.as_view(), name="api-work-folder"),
    path("boards/<str:board_id>/work_folder/files", FolderFilesView.as_view(), name="api-work-folder-files"),
    path("folder_files/<str:file_id>/link", FolderFileLinkView.as_view(), name="api-folder-file-link"),
]
