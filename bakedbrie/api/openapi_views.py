"""/api/schema and /api/docs: the OpenAPI document, for programs and for people."""

from __future__ import annotations

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import get_script_prefix
from django.views.decorators.http import condition, require_safe

from bakedbrie.api.openapi_document import written


def _tag(request: HttpRequest) -> str:
    return written(get_script_prefix())[1]


@require_safe
@condition(etag_func=_tag)
def schema(request: HttpRequest) -> HttpResponse:
    return HttpResponse(written(get_script_prefix())[0], content_type="application/json")


@require_safe
@csp_update({"img-src": ["data:"]})  # the icons of Swagger UI lie in its style sheet
def reference(request: HttpRequest) -> HttpResponse:
    return render(request, "api/reference.html")
