"""Pages of this app."""

from __future__ import annotations

from django.urls import path

from reviews.web import downloads

urlpatterns = [path("downloads/folders/<str:signed>/", downloads.download_by_link, name="download-folder-file")]
