"""The page on which a person lets an assistant work in a workspace, as them, with a preset."""

from __future__ import annotations

from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from oauth2_provider.exceptions import OAuthToolkitError
from oauth2_provider.http import OAuth2ResponseRedirect
from oauth2_provider.oauth2_backends import OAuthLibCore

from bakedbrie.lib.refusals import NOT_FOUND, Refused
from bakedbrie.lib.toolkit.inputs import parse
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import partial_or_page
from boards.access import boards_of
from connecting.inputs import AnswerIn
from connecting.rules import host_of, is_on_this_computer, origin_of_redirect
from connecting.services.consents import client_host
from connecting.web.asked import Asked, CannotAnswer, read_request, with_issuer
from workspaces.access import caller_from_member, presets_to_give
from workspaces.caller import Caller
from workspaces.services.assistants import require_giveable
from workspaces.states import Preset
from workspaces.web.session import member_page

BOARDS_NAMED = 8


@never_cache
@require_http_methods(["GET", "POST"])
@member_page
def authorize(request: HttpRequest, caller: Caller) -> HttpResponseBase:
    """Ask, and send the person back with the answer. Each yes is a code of its own: nothing is repeated by a double
    submit but a code that nobody comes for."""
    if not settings.MCP_ENABLED:
        raise Http404
    try:
        asked = read_request(request, caller)
    except CannotAnswer as error:
        return _shown(
            request,
            error.asked,
            "connecting/cannot.html",
            {"why": str(error) or error.error, "back": _back(error)},
            422,
        )
    except Refused as refused:
        return render(request, "connecting/cannot.html", {"refused": refused}, status=refused.refusal.status)
    if request.method != "POST":
        return _ask(request, caller, asked)
    if request.POST.get("answer") == "no":
        return _to_client(asked.back("access_denied", "The person said no."), asked)
    try:
        given = parse(AnswerIn, {name: request.POST[name] for name in AnswerIn.model_fields if name in request.POST})
        caller = _in_workspace(request, given.workspace)
        if given.answer != "yes":
            return _ask(request, caller, asked)
        return _allow(request, caller, asked, Preset(given.preset))
    except Refused as refused:
        return _ask(request, caller, asked, refused=show_in_place(refused))


def _allow(request: HttpRequest, caller: Caller, asked: Asked, preset: Preset) -> HttpResponseBase:
    require_giveable(caller, preset)
    credentials = {**asked.credentials, "caller": caller, "preset": preset}
    try:
        uri, *_ = OAuthLibCore().create_authorization_response(
            request, scopes=list(asked.scopes), credentials=credentials, allow=True
        )
    except OAuthToolkitError as error:
        return _to_client(asked.back(error.oauthlib_error.error, error.oauthlib_error.description or ""), asked)
    return _to_client(with_issuer(uri), asked)


def _in_workspace(request: HttpRequest, workspace_id: str) -> Caller:
    """Return the person in that workspace of theirs."""
    memberships = getattr(request, "memberships", [])
    for member in memberships:
        if str(member.workspace_id) == workspace_id:
            return caller_from_member(member, getattr(request, "request_id", ""))
    raise NOT_FOUND()


def _ask(request: HttpRequest, caller: Caller, asked: Asked, refused: Refused | None = None) -> HttpResponseBase:
    boards = list(boards_of(caller).filter(archived_at=None).order_by("name", "pk")[: BOARDS_NAMED + 1])
    context = {
        "form": Form(refused=refused, values={"preset": request.POST.get("preset", "")}),
        "workspace": caller.workspace,
        "role": caller.role.value,
        "presets": presets_to_give(caller),
        "boards": boards[:BOARDS_NAMED],
        "has_more_boards": len(boards) > BOARDS_NAMED,
    }
    status = refused_status(refused) if refused else 200
    return _shown(request, asked, "connecting/consent.html", context, status)


def _shown(request: HttpRequest, asked: Asked, page: str, more: dict[str, Any], status: int) -> HttpResponseBase:
    host = client_host(asked.client)
    context = {
        "name": asked.client.name or host,
        "host": host,
        "is_described": asked.client.registration_source == asked.client.RegistrationSource.CIMD,
        "back_to": host_of(asked.redirect_uri),
        "is_on_this_computer": is_on_this_computer(asked.redirect_uri),
        "address": request.get_full_path(),
        **more,
    }
    response = partial_or_page(request, "connecting/_consent.html", page, context, status)
    # Browsers hold a form to form-action also where its answer leads on.
    return csp_update({"form-action": [origin_of_redirect(asked.redirect_uri)]})(lambda _: response)(request)


def _back(error: CannotAnswer) -> str:
    return error.asked.back(error.error, str(error))


def _to_client(uri: str, asked: Asked) -> HttpResponse:
    """Leave for the client: the address was held against the client's own, whose schemes were weighed when it came."""
    response: HttpResponse = OAuth2ResponseRedirect(uri, [asked.redirect_uri.partition(":")[0]])
    return response
