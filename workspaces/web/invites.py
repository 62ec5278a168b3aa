"""Accepting an invite: the link only shows who asks you where to; the form takes you in."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse
from bakedbrie.lib.web.forms import Form, refused_status
from workspaces.access import get_open_invite
from workspaces.inputs import NewAccountIn
from workspaces.models import Invite, Member, User
from workspaces.selectors import has_account
from workspaces.services.invites import accept_as_new, accept_invite
from workspaces.services.passwords import check_password
from workspaces.web.entering import enter, hiding_its_path, origin_of, with_wait
from workspaces.web.session import choose_workspace, safe_next


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def invite(request: HttpRequest, raw: str) -> HttpResponse:
    """GET shows the invite, POST accepts it: programs that only open links accept nothing."""
    try:
        found = get_open_invite(raw)
    except Refused as refused:
        return _show(request, None, refused)
    if request.method == "GET":
        return _show(request, found)
    try:
        member = _accept(request, found, raw)
    except Refused as refused:
        return _show(request, found, refused)
    response = HttpResponseRedirect(safe_next(request, ""))
    if request.user != member.user:
        enter(request, member.user, response)
    choose_workspace(request, str(member.workspace_id))
    return hiding_its_path(response)


def _accept(request: HttpRequest, found: Invite, raw: str) -> Member:
    """Who is signed in accepts as that person; everybody else signs in, or makes an account, with the same form."""
    if isinstance(request.user, User):
        return accept_invite(raw=raw, user=request.user)
    password = request.POST.get("password", "")
    if has_account(found.email):
        user = check_password(email=found.email, password=password, origin=origin_of(request))
        return accept_invite(raw=raw, user=user)
    given = parse(NewAccountIn, {"name": request.POST.get("name", ""), "password": password})
    return accept_as_new(raw=raw, name=given.name, password=given.password)


def _show(request: HttpRequest, found: Invite | None, refused: Refused | None = None) -> HttpResponse:
    context = {
        "invite": found,
        "is_known": found is not None and has_account(found.email),
        "form": Form(values={"name": request.POST.get("name", "")}, refused=refused),
        "refused": refused,
    }
    page = render(request, "workspaces/invite.html", context, status=refused_status(refused) if refused else 200)
    return hiding_its_path(with_wait(page, refused) if refused else page)
