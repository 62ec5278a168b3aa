"""Pages of this app."""

from __future__ import annotations

from django.urls import path

from boards.web.downloads import download_by_link

urlpatterns = [path("downloads/<str:signed>/", download_by_link, name="download")]
