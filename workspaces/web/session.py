"""Who is signed in, and in which of their workspaces they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.http import url_has_allowed_host_and_scheme

from bakedbrie.lib import log_context
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.web.errors import error_page
from bakedbrie.lib.zones import zone
from workspaces import capabilities
from workspaces.access import caller_from_member
from workspaces.caller import Caller
from workspaces.models import User
from workspaces.refusals import CAPABILITY_OFF, NO_WORKSPACE, SIGNED_OUT
from workspaces.roles import Role, is_at_least
from workspaces.selectors import members_of, memberships_of
from workspaces.web.capability_words import called

HEADS_NAMED = 3
_CHOSEN = "workspace"
_FORM = "application/x-www-form-urlencoded"
_TYPED = ("title", "brief", "text", "name", "description", "label", "instructions")

PageParams = ParamSpec("PageParams")
Page = Callable[Concatenate[HttpRequest, Caller, PageParams], HttpResponseBase]


def caller_of_request(request: HttpRequest) -> Caller | None:
    """Return the signed-in person in the workspace they chose, else in their first one; None for everybody else.

    Leaves ``caller`` and ``memberships`` on the request for the frame of the page, which shows times in the zone of the
    workspace from here on; `bakedbrie.middleware` ends that with the request.
    """
    if not isinstance(request.user, User):
        return None
    memberships = list(memberships_of(request.user))
    if not memberships:
        return None
    chosen = request.session.get(_CHOSEN)
    member = next((one for one in memberships if str(one.workspace_id) == chosen), memberships[0])
    timezone.activate(zone(member.workspace.time_zone))
    caller = caller_from_member(member, getattr(request, "request_id", ""))
    log_context.bind(workspace=member.workspace_id, member=member.pk)
    request.memberships = memberships  # type: ignore[attr-defined]
    request.caller = caller  # type: ignore[attr-defined]
    return caller


def choose_workspace(request: HttpRequest, workspace_id: str) -> None:
    """Remember the choice. What it names is weighed again with every request."""
    request.session[_CHOSEN] = workspace_id


def member_page(page: Page[PageParams]) -> Callable[Concatenate[HttpRequest, PageParams], HttpResponseBase]:
    """Hand the page its caller. Strangers are sent to sign in, and what the page refuses becomes an error page."""

    @wraps(page)
    def with_caller(request: HttpRequest, /, *args: PageParams.args, **kwargs: PageParams.kwargs) -> HttpResponseBase:
        caller = caller_of_request(request)
        if caller is None:
            return without_caller(request)
        try:
            response = page(request, caller, *args, **kwargs)
        except Refused as refused:
            response = error_page(request, refused, more=_switched_off(caller, refused))
        if "Cache-Control" not in response:
            add_never_cache_headers(response)
        return response

    return with_caller


def _switched_off(caller: Caller, refused: Refused) -> dict[str, object]:
    """Return which capability is off, and whether the caller may switch it, or else whom to ask."""
    name = str(refused.details.get("capability", ""))
    if refused.code != CAPABILITY_OFF.code or name not in capabilities.TEXTS:
        return {}
    may_switch = is_at_least(caller.role, Role.ADMIN)
    heads = [] if may_switch else members_of(caller).filter(role__in=[Role.OWNER, Role.ADMIN])[:HEADS_NAMED]
    off = {
        "name": name,
        "about": called(name),
        "may_switch": may_switch,
        "ask": " or ".join(member.actor.name for member in heads),
    }
    return {"off": off}


def safe_next(request: HttpRequest, url: str) -> str:
    """Return ``url`` if it stays on this site, else home. What an assistant asks for may be long; where it leads stands
    before its query."""
    is_ours = url_has_allowed_host_and_scheme(
        url.partition("?")[0], allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return url if is_ours else reverse("home")


def without_caller(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return error_page(request, NO_WORKSPACE())
    return _give_back(request) if request.method == "POST" else _to_sign_in(request)


def _give_back(request: HttpRequest) -> HttpResponse:
    """Refuse a form of somebody whose session has ended, and leave them what they typed.

    HTMX keeps the form where it is. A form of another site is given nothing back.
    """
    refused = SIGNED_OUT()
    if request.headers.get("HX-Request") == "true":
        return error_page(request, refused)
    is_ours = getattr(request, "csrf_processing_done", False) and request.content_type == _FORM
    typed = {name: text for name in _TYPED if (text := request.POST.get(name))} if is_ours else {}
    context = {"refused": refused, "typed": typed, "next": safe_next(request, request.headers.get("Referer", ""))}
    return render(request, "workspaces/signed_out.html", context, status=refused.refusal.status)


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """Send a browser to sign in and back; HTMX is told to take the whole page there."""
    if request.headers.get("HX-Request") == "true":
        response = HttpResponse(status=204)
        response["HX-Redirect"] = reverse("sign-in")
        return response
    back = request.get_full_path() if request.method == "GET" else reverse("home")
    return HttpResponseRedirect(f"{reverse('sign-in')}?{urlencode({'next': back})}")
