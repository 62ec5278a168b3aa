"""Who belongs to the workspace, with which role: changed and removed by owners and admins."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from bakedbrie.lib import clock
from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, asked, dialog
from bakedbrie.lib.web.forms import Form, show_in_place
from bakedbrie.lib.web.htmx import changed, is_htmx, partial_or_page
from workspaces.access import get_member, require_writer
from workspaces.caller import Caller
from workspaces.inputs import ChangeRoleIn, MemberIn
from workspaces.models import Member
from workspaces.refusals import FORBIDDEN
from workspaces.roles import Role, is_at_least
from workspaces.selectors import last_owner, member_count, members_of
from workspaces.services.members import change_role, remove_member
from workspaces.web.invites_made import invitations
from workspaces.web.losses import losses_of
from workspaces.web.session import member_page
from workspaces.web.submit import submit

ROLES = {
    Role.VIEWER: "reads the boards that were opened to them",
    Role.MEMBER: "works on the boards that were opened to them, and makes new ones",
    Role.ADMIN: "opens and manages every board, members, capabilities and AI accounts, and stops all work",
    Role.OWNER: "does what admins do, and makes and removes owners",
}


@dataclass(frozen=True, kw_only=True)
class Line:
    member: Member
    is_caller: bool
    is_last_owner: bool
    may_change: bool


@never_cache
@require_safe
@member_page
def members(request: HttpRequest, caller: Caller) -> HttpResponse:
    return show_members(request, caller)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def role(request: HttpRequest, caller: Caller, member_id: str) -> HttpResponse:
    """GET explains the roles, POST gives another one."""
    member = get_member(caller, member_id)
    _require_over(caller, member)
    if request.method != "POST":
        return _ask_role(request, caller, member, Form(values={"role": member.role}))
    typed = {"role": request.POST.get("role", "")}

    def run(given: ChangeRoleIn) -> Answer:
        return {"role": change_role(caller, member=member, role=Role(given.role)).role}

    try:
        name = f"change_role {member.pk}"
        submit(request, caller, name=name, model=ChangeRoleIn, given=typed, run=run)
    except Refused as refused:
        return _ask_role(request, caller, member, Form(values=typed, refused=show_in_place(refused)))
    return changed("Role changed.") if is_htmx(request) else HttpResponseRedirect(reverse("settings-members"))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def remove(request: HttpRequest, caller: Caller, member_id: str) -> HttpResponse:
    """GET says what the member loses, POST removes them. Who means themselves is asked whether they leave."""
    member = get_member(caller, member_id)
    _require_over(caller, member)
    if member.pk == caller.member.pk:
        return HttpResponseRedirect(reverse("leave-workspace"))
    question = Question(
        name="remove-member",
        of=str(member.pk),
        title=f"Remove {member.actor.name} from {caller.workspace.name}?",
        text="It counts at once, for pages and tokens that are in use as well.",
        points=losses_of(member, is_self=False),
        button="Remove member",
        back=("settings-members", ""),
        back_name="Members",
    )

    def run(_: MemberIn) -> Answer:
        return {"member_id": str(remove_member(caller, member=member).pk)}

    def act() -> None:
        given = {"member_id": str(member.pk)}
        submit(request, caller, name="remove_member", model=MemberIn, given=given, run=run)

    return asked(request, question, act, "Member removed.")


def show_members(
    request: HttpRequest,
    caller: Caller,
    *,
    form: Form | None = None,
    made: Answer | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show members and, to owners and admins, the invitations, with the one that was made just now."""
    given = parse_query(PageInput, request.GET.dict())
    found = page(members_of(caller), cursor=given.cursor, limit=given.limit, order=("id",))
    last = last_owner(caller)
    is_admin = is_at_least(caller.role, Role.ADMIN)
    list_url = reverse("settings-members")
    context = {
        "list_url": list_url,
        "live_url": f"{list_url}?{request.GET.urlencode()}" if request.GET else list_url,
        "lines": [_line(caller, member, last) for member in found.items],
        "total": member_count(caller),
        "next_cursor": found.next_cursor,
        "is_first": given.cursor is None,
        "may_change": is_admin,
        "invitations": invitations(caller) if is_admin else None,
        "roles": _roles_for(caller),
        "form": form or Form(),
        "made": made,
        "now": clock.now(),
    }
    return partial_or_page(request, "workspaces/_members.html", "workspaces/members_page.html", context, status)


def _line(caller: Caller, member: Member, last: Member | None) -> Line:
    return Line(
        member=member,
        is_caller=member.pk == caller.member.pk,
        is_last_owner=last is not None and last.pk == member.pk,
        may_change=_is_over(caller, member),
    )


def _is_over(caller: Caller, member: Member) -> bool:
    return is_at_least(caller.role, Role.OWNER if member.role == Role.OWNER else Role.ADMIN)


def _require_over(caller: Caller, member: Member) -> None:
    """Refuse a question that its answer would be refused."""
    require_writer(caller, Role.ADMIN)
    if not _is_over(caller, member):
        raise FORBIDDEN(needs=Role.OWNER.value)


def _roles_for(caller: Caller) -> list[tuple[Role, str]]:
    """Return the roles that the caller may give, least first."""
    return [(one, about) for one, about in ROLES.items() if is_at_least(caller.role, one)]


def _ask_role(request: HttpRequest, caller: Caller, member: Member, form: Form) -> HttpResponse:
    last = last_owner(caller)
    context = {
        "member": member,
        "form": form,
        "roles": _roles_for(caller),
        "is_last_owner": last is not None and last.pk == member.pk,
        "is_caller": member.pk == caller.member.pk,
    }
    return dialog(request, "workspaces/_role.html", "workspaces/role_page.html", context, form.refused)
