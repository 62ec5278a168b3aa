"""The first page of the settings: the workspace's name, the emergency stop, and the way out."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, answered, ask, dialog
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import go_to, partial_or_page
from bakedbrie.lib.zones import zones_by_area
from workspaces.access import require_capability, require_writer
from workspaces.caller import Caller
from workspaces.inputs import LeaveWorkspaceIn, PauseDispatchIn, ResumeDispatchIn, WorkspaceSettingsIn
from workspaces.refusals import LAST_OWNER
from workspaces.roles import Role, is_at_least
from workspaces.selectors import last_owner, member_count, pause_of, working_agents
from workspaces.services.dispatch import pause_dispatch, resume_dispatch
from workspaces.services.members import remove_member
from workspaces.services.workspaces import change_time_zone, rename_workspace
from workspaces.web.losses import losses_of
from workspaces.web.session import member_page
from workspaces.web.submit import submit

DISPATCH = "dispatch"
MOST_NAMED = 6
BACK = ("settings", "")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def settings_page(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Show the workspace; a POST changes its name and its time zone."""
    if request.method != "POST":
        return _show(request, caller)
    require_writer(caller, Role.ADMIN)
    typed = {name: request.POST[name] for name in ("name", "time_zone") if name in request.POST}

    def run(given: WorkspaceSettingsIn) -> Answer:
        workspace = caller.workspace
        if given.name and given.name != workspace.name:
            rename_workspace(caller, name=given.name)
        if given.time_zone and given.time_zone != workspace.time_zone:
            change_time_zone(caller, time_zone=given.time_zone)
        return {"name": workspace.name, "time_zone": workspace.time_zone}

    try:
        submit(request, caller, name="edit_workspace", model=WorkspaceSettingsIn, given=typed, run=run)
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return _show(request, caller, form=form, status=refused_status(refused))
    return HttpResponseRedirect(reverse("settings"))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def stop(request: HttpRequest, caller: Caller) -> HttpResponse:
    """GET says what stops and asks why, POST stops it."""
    require_writer(caller, Role.ADMIN)
    require_capability(caller, DISPATCH)
    if request.method != "POST":
        return _ask_why(request, caller, Form())
    typed = {"reason": request.POST.get("reason", "").strip()}

    def run(given: PauseDispatchIn) -> Answer:
        return {"dispatch_paused": pause_dispatch(caller, reason=given.reason).dispatch_paused}

    try:
        submit(request, caller, name="pause_workspace_dispatch", model=PauseDispatchIn, given=typed, run=run)
    except Refused as refused:
        return _ask_why(request, caller, Form(values=typed, refused=show_in_place(refused)))
    return go_to(request, reverse("settings"))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def resume(request: HttpRequest, caller: Caller) -> HttpResponse:
    """GET asks, POST has the work go on."""
    require_writer(caller, Role.ADMIN)
    require_capability(caller, DISPATCH)
    question = Question(
        name="resume-work",
        title="Resume work?",
        text="Agents, rules and schedules start again, on every board.",
        points=(
            "What waited for this starts by itself, at once.",
            "It may cost money, within the caps that are set.",
        ),
        button="Resume work",
        is_safe=True,
        back=BACK,
        back_name="Settings",
    )

    def run(_: ResumeDispatchIn) -> Answer:
        return {"dispatch_paused": resume_dispatch(caller).dispatch_paused}

    def act() -> None:
        submit(request, caller, name="resume_workspace_dispatch", model=ResumeDispatchIn, given={}, run=run)

    return _asked(request, question, act, reverse("settings"))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def leave(request: HttpRequest, caller: Caller) -> HttpResponse:
    """GET says what ends, POST ends the membership. The last owner is told why they stay."""
    if _is_last_owner(caller):
        raise LAST_OWNER()
    question = Question(
        name="leave-workspace",
        title=f"Leave {caller.workspace.name}?",
        text="This cannot be undone by yourself.",
        points=losses_of(caller.member, is_self=True),
        button="Leave workspace",
        back=BACK,
        back_name="Settings",
    )

    def run(_: LeaveWorkspaceIn) -> Answer:
        return {"member_id": str(remove_member(caller, member=caller.member).pk)}

    def act() -> None:
        submit(request, caller, name="leave_workspace", model=LeaveWorkspaceIn, given={}, run=run)

    return _asked(request, question, act, reverse("home"))


def _asked(request: HttpRequest, question: Question, act: Callable[[], None], goes_to: str) -> HttpResponse:
    """Ask, or act on the answer and take the whole window on: the frame around the page has changed as well."""

    def show(refused: Refused | None) -> HttpResponse:
        return ask(request, question, refused=refused)

    return answered(request, show, act, lambda: go_to(request, goes_to))


def _ask_why(request: HttpRequest, caller: Caller, form: Form) -> HttpResponse:
    names = working_agents(caller)
    context = {"form": form, "named": names[:MOST_NAMED], "more": len(names) - MOST_NAMED}
    return dialog(request, "workspaces/_stop.html", "workspaces/stop_page.html", context, form.refused)


def _show(request: HttpRequest, caller: Caller, *, form: Form | None = None, status: int = 200) -> HttpResponse:
    may_change = is_at_least(caller.role, Role.ADMIN)
    context = {
        "form": form or Form(),
        "may_change": may_change,
        "zones": zones_by_area() if may_change else {},
        "may_stop": may_change and DISPATCH in caller.capabilities,
        "pause": pause_of(caller) if caller.workspace.dispatch_paused else None,
        "members": member_count(caller),
        "is_last_owner": _is_last_owner(caller),
    }
    return partial_or_page(request, "workspaces/_workspace.html", "workspaces/workspace_page.html", context, status)


def _is_last_owner(caller: Caller) -> bool:
    last = last_owner(caller)
    return last is not None and last.pk == caller.member.pk
