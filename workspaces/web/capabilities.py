"""The capabilities of the workspace: what each turns on and needs, switched by owners and admins."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from bakedbrie.lib.refusals import NOT_FOUND, Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, ask, done
from bakedbrie.lib.web.forms import refused_status, show_in_place
from bakedbrie.lib.web.htmx import partial_or_page
from workspaces import capabilities
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.inputs import SwitchCapabilityIn
from workspaces.roles import Role, is_at_least
from workspaces.selectors import Capability, list_capabilities
from workspaces.services.capabilities import switch_capability
from workspaces.web.capability_words import called, meaning
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@dataclass(frozen=True, kw_only=True)
class Line:
    """``missing`` are the needs that are off; a capability that is switched on counts as off until they are on."""

    capability: Capability
    is_switched_on: bool
    missing: tuple[str, ...]
    needed_by: tuple[str, ...]
    title: str
    meaning: str


@require_safe
@member_page
def show(request: HttpRequest, caller: Caller) -> HttpResponse:
    return _show(request, caller)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def switch(request: HttpRequest, caller: Caller, name: str) -> HttpResponse:
    """GET asks whether to switch one off. POST does it, or switches it on with ``to=on``."""
    require_writer(caller, Role.ADMIN)
    if name not in capabilities.TEXTS:
        raise NOT_FOUND()
    question = _question(caller, name)
    is_on = request.POST.get("to") == "on"
    if request.method != "POST":
        return ask(request, question)

    def run(given: SwitchCapabilityIn) -> Answer:
        switch_capability(caller, name=given.name, is_on=given.is_on)
        return {"name": given.name, "is_on": given.is_on}

    try:
        given = {"name": name, "is_on": is_on}
        submit(request, caller, name="switch_capability", model=SwitchCapabilityIn, given=given, run=run)
    except Refused as refused:
        show_in_place(refused)
        return _show(request, caller, refused) if is_on else ask(request, question, refused=refused)
    if is_on:
        return HttpResponseRedirect(reverse("settings-capabilities"))
    return done(request, question, f"“{called(name)}” is off.")


def _question(caller: Caller, name: str) -> Question:
    also = [one for one in _needed_by(name) if one in caller.capabilities]
    points = ["What it turns on is refused from the next click and the next call on.", "Nothing is deleted."]
    if also:
        points.insert(1, f"What needs it counts as off too: {', '.join(also)}.")
    return Question(
        name="switch-capability",
        of=name,
        title=f"Switch off “{called(name)}”?",
        text=meaning(name),
        points=tuple(points),
        button="Switch off",
        back=("settings-capabilities", ""),
        back_name="Capabilities",
    )


def _show(request: HttpRequest, caller: Caller, refused: Refused | None = None) -> HttpResponse:
    lines = [_line(caller, one) for one in list_capabilities(caller)]
    context = {
        "built": [line for line in lines if line.capability.name in capabilities.BUILT],
        "reserved": [line for line in lines if line.capability.name not in capabilities.BUILT],
        "may_change": is_at_least(caller.role, Role.ADMIN),
        "refused": refused,
    }
    status = refused_status(refused) if refused else 200
    page = "workspaces/capabilities_page.html"
    return partial_or_page(request, "workspaces/_capabilities.html", page, context, status)


def _line(caller: Caller, capability: Capability) -> Line:
    return Line(
        capability=capability,
        is_switched_on=capability.name in caller.workspace.capabilities,
        missing=tuple(need for need in capability.needs if need not in caller.capabilities),
        needed_by=_needed_by(capability.name),
        title=called(capability.name),
        meaning=meaning(capability.name),
    )


def _needed_by(name: str) -> tuple[str, ...]:
    return tuple(one for one, needs in capabilities.NEEDS.items() if name in needs)
