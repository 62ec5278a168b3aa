"""The first run: whoever has the link makes the first account and workspace; then these addresses are gone."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from bakedbrie.lib.refusals import NOT_FOUND, Refused
from bakedbrie.lib.toolkit.inputs import parse
from bakedbrie.lib.web.errors import error_page
from bakedbrie.lib.web.forms import Form, refused_status
from bakedbrie.lib.zones import zones_by_area
from workspaces.inputs import FirstRunIn
from workspaces.models import Member
from workspaces.refusals import SETUP_CODE_WRONG
from workspaces.services.first_run import is_first_run, make_first_owner, require_code
from workspaces.web.entering import enter, hiding_its_path
from workspaces.web.session import safe_next

_SHOWN_AGAIN = ("name", "email", "workspace", "time_zone")


@never_cache
@require_safe
def where_to_find(request: HttpRequest) -> HttpResponse:
    """Say where the link is, while nobody has an account."""
    if not is_first_run():
        return error_page(request, NOT_FOUND())
    return render(request, "workspaces/first_run_where.html")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def make_owner(request: HttpRequest, code: str) -> HttpResponse:
    """GET shows the form, POST makes account and workspace and signs the owner in."""
    try:
        require_code(code)
        if request.method != "POST":
            return hiding_its_path(_show(request, Form()))
        member = _make(request, code)
    except Refused as refused:
        return hiding_its_path(_refuse(request, refused))
    return hiding_its_path(enter(request, member.user, HttpResponseRedirect(safe_next(request, ""))))


def _make(request: HttpRequest, code: str) -> Member:
    fields = (*_SHOWN_AGAIN, "password")
    given = parse(FirstRunIn, {field: request.POST[field] for field in fields if field in request.POST})
    return make_first_owner(code=code, **given.model_dump())


def _refuse(request: HttpRequest, refused: Refused) -> HttpResponse:
    if refused.refusal is NOT_FOUND:
        return error_page(request, refused)
    if refused.refusal is SETUP_CODE_WRONG:
        context = {"refused": refused}
        return render(request, "workspaces/first_run_where.html", context, status=refused.refusal.status)
    typed = {field: request.POST.get(field, "") for field in _SHOWN_AGAIN}
    return _show(request, Form(values=typed, refused=refused), status=refused_status(refused))


def _show(request: HttpRequest, form: Form, status: int = 200) -> HttpResponse:
    return render(request, "workspaces/first_run.html", {"form": form, "zones": zones_by_area()}, status=status)
