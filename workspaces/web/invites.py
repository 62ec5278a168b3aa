"""Invites: made and taken back in the settings; and accepted, where the link only shows who asks you where to."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, asked
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from workspaces.access import get_invite, get_open_invite, require_writer
from workspaces.caller import Caller
from workspaces.inputs import InviteIn, NewAccountIn, RenameUserIn, RevokeInviteIn
from workspaces.models import Invite, Member, User
from workspaces.refusals import ACCOUNT_EXISTS, PASSKEY_FAILED
from workspaces.roles import Role
from workspaces.selectors import has_account, has_open_invite
from workspaces.services.invites import (
    accept_as_new,
    accept_invite,
    accept_with_passkey,
    invite_member,
    revoke_invite,
)
from workspaces.services.passkeys import begin_adding
from workspaces.services.passwords import check_password
from workspaces.services.second_step import is_on
from workspaces.web.entering import arrive, enter, hiding_its_path, origin_of, with_wait
from workspaces.web.members import show_members
from workspaces.web.session import choose_workspace, member_page, safe_next
from workspaces.web.submit import submit

_NEWCOMER = "newcomer"


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
        if (user := _known_by_password(request, found)) and is_on(user):
            return hiding_its_path(arrive(request, user, request.path))  # who passes the second step joins then
        member = _accept(request, found, raw, user)
    except Refused as refused:
        return _show(request, found, refused)
    response = HttpResponseRedirect(safe_next(request, ""))
    if request.user != member.user:
        enter(request, member.user, response)
    choose_workspace(request, str(member.workspace_id))
    return hiding_its_path(response)


@never_cache
@require_POST
@member_page
def make_invite(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Make an invite and show its link on the page that answers, and nowhere else."""
    require_writer(caller, Role.ADMIN)
    typed = {"email": request.POST.get("email", ""), "role": request.POST.get("role", "")}

    def run(given: InviteIn) -> Answer:
        ends = has_open_invite(caller, given.email)
        made, path = invite_member(caller, email=given.email, role=Role(given.role))
        return {"email": made.email, "role": made.role, "ends": ends, "link": f"{settings.APP_URL}{path}"}

    try:
        made = submit(
            request,
            caller,
            name="invite_member",
            model=InviteIn,
            given=typed,
            run=run,
            shown_once=frozenset({"link"}),
        )
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return show_members(request, caller, form=form, status=refused_status(refused))
    return show_members(request, caller, made=made)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def take_back(request: HttpRequest, caller: Caller, invite_id: str) -> HttpResponse:
    """GET asks, POST takes the invite back: its link opens nothing any more."""
    found = get_invite(caller, invite_id)
    question = Question(
        name="take-invite-back",
        of=str(found.pk),
        title=f"Take back the invitation of {found.email}?",
        text="Its link works no more from then on. You can invite the address again.",
        button="Take back",
        back=("settings-members", ""),
        back_name="Members",
    )

    def run(_: RevokeInviteIn) -> Answer:
        return {"invite_id": str(revoke_invite(caller, invite=found).pk)}

    def act() -> None:
        given = {"invite_id": str(found.pk)}
        submit(request, caller, name="revoke_invite", model=RevokeInviteIn, given=given, run=run)

    return asked(request, question, act, "Invitation taken back.")


@never_cache
@require_POST
def passkey_options(request: HttpRequest, raw: str) -> HttpResponse:
    """Give the browser of somebody without an account what a passkey for it is made from."""
    try:
        found = get_open_invite(raw)
        if has_account(found.email):
            raise ACCOUNT_EXISTS()
        newcomer = User(email=found.email, name=request.POST.get("name", "")[:120])
        request.session[_NEWCOMER] = str(newcomer.pk)
        return hiding_its_path(JsonResponse(begin_adding(newcomer)))
    except Refused as refused:
        problem = {"problem": f"{refused.message} {refused.fix}"}
        return hiding_its_path(JsonResponse(problem, status=refused.refusal.status))


def _known_by_password(request: HttpRequest, found: Invite) -> User | None:
    """Return whose password was given, where nobody is signed in and the address has an account."""
    if request.user.is_authenticated or not has_account(found.email):
        return None
    password = request.POST.get("password", "")
    return check_password(email=found.email, password=password, origin=origin_of(request))


def _accept(request: HttpRequest, found: Invite, raw: str, known: User | None) -> Member:
    """Who is signed in accepts as that person; everybody else signs in, or makes an account, with the same form."""
    signed_in = request.user if isinstance(request.user, User) else known
    if signed_in is not None:
        return accept_invite(raw=raw, user=signed_in)
    name = request.POST.get("name", "")
    if answer := request.POST.get("credential"):
        user_id = ids.parse_id(request.session.pop(_NEWCOMER, ""))
        if user_id == ids.NOBODY:
            raise PASSKEY_FAILED()
        return accept_with_passkey(
            raw=raw, user_id=user_id, name=parse(RenameUserIn, {"name": name}).name, answer=answer
        )
    given = parse(NewAccountIn, {"name": name, "password": request.POST.get("password", "")})
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
