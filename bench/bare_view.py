"""The site with one view more: Django alone, with nothing of ours but the middleware every request passes."""

from __future__ import annotations

from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.urls import path

from bakedbrie.urls import handler400, handler403, handler404, handler500
from bakedbrie.urls import urlpatterns as ours

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


def bare(request: HttpRequest) -> JsonResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return JsonResponse({"one": cursor.fetchone()[0]})


urlpatterns = [path("bare", bare), *ours]
