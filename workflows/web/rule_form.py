"""Writing a rule: which column it starts in, which agent works there, where the card goes then, and who reviews it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from agents.access import get_agent
from agents.models import Agent
from agents.states import AgentState
from bakedbrie.lib.refusals import INVALID_INPUT, NOT_FOUND, Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import partial_or_page
from boards.access import get_board, get_stage, require_manager, require_open
from boards.models import Board, Stage
from reviews.selectors.folders import folder_of
from workflows.access import get_rule
from workflows.inputs import AuthorWorkflowDraftIn
from workflows.models import Rule
from workflows.selectors.rules_page import RuleChoices, rule_choices
from workflows.services.rules import Then, write_rule_draft
from workflows.states import OnApproval, RuleReview
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit

_FIELDS = {"from_stage_id": "choose a column", "agent_id": "choose an agent", "to_stage_id": "choose a column"}
_AFTERWARDS = ("review", "on_approval")
_NAMES = (*_FIELDS, *_AFTERWARDS)
_GONE = "is not on this board any more"

FoundT = TypeVar("FoundT")


@dataclass(frozen=True, kw_only=True)
class Option:
    """One that cannot work is shown with the reason, and cannot be chosen."""

    value: uuid.UUID
    text: str
    is_chosen: bool
    is_disabled: bool = False


@dataclass(frozen=True, kw_only=True)
class Afterwards:
    """What is chosen to follow when the agent is finished."""

    review: str
    on_approval: str


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def new(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """GET shows the form, POST writes the draft of a new rule."""
    require_capability(caller, "triggers")
    return _write(request, caller, get_board(caller, board_id), None)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def edit(request: HttpRequest, caller: Caller, rule_id: str) -> HttpResponse:
    """GET shows the rule as it is drafted, POST writes its draft; a published rule goes on as it is."""
    require_capability(caller, "triggers")
    rule = get_rule(caller, rule_id)
    return _write(request, caller, rule.board, rule)


def _write(request: HttpRequest, caller: Caller, board: Board, rule: Rule | None) -> HttpResponse:
    require_manager(caller, board)
    if request.method != "POST":
        require_open(board)
        chosen = {**_parts_of(rule), **{name: request.GET[name] for name in _NAMES if name in request.GET}}
        return _show(request, board, rule, Form(values=chosen))
    typed = {name: request.POST.get(name, "") for name in _FIELDS}
    typed |= {name: request.POST[name] for name in _AFTERWARDS if request.POST.get(name)}

    def run(given: AuthorWorkflowDraftIn) -> Answer:
        written = write_rule_draft(
            caller,
            board=board,
            rule=rule,
            from_stage=_found("from_stage_id", lambda: get_stage(caller, given.from_stage_id)),
            agent=_found("agent_id", lambda: get_agent(caller, given.agent_id)),
            to_stage=_found("to_stage_id", lambda: get_stage(caller, given.to_stage_id)),
            then=Then(
                review=RuleReview(given.review) if given.review else None,
                on_approval=OnApproval(given.on_approval) if given.on_approval else None,
            ),
        )
        return {"rule_id": str(written.pk)}

    try:
        _require_chosen(typed)
        given = {"board_id": str(board.pk), **({"rule_id": str(rule.pk)} if rule else {}), **typed}
        answer = submit(
            request, caller, name="author_workflow_draft", model=AuthorWorkflowDraftIn, given=given, run=run
        )
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return _show(request, board, rule, form, status=refused_status(refused))
    if request.POST.get("then") == "publish":
        return HttpResponseRedirect(reverse("publish-rule", args=[answer["rule_id"]]))
    return HttpResponseRedirect(reverse("rules", args=[board.pk]))


def _require_chosen(typed: Mapping[str, str]) -> None:
    missing = {name: [text] for name, text in _FIELDS.items() if not typed[name]}
    if missing:
        raise INVALID_INPUT(fields=missing)


def _found(field: str, get: Callable[[], FoundT]) -> FoundT:
    """Return what was chosen; one that is gone since the form was made is a mistake in the form, not in the page."""
    try:
        return get()
    except Refused as refused:
        if refused.code != NOT_FOUND.code:
            raise
        raise INVALID_INPUT(fields={field: [_GONE]}) from None


def _parts_of(rule: Rule | None) -> dict[str, str]:
    """Return what the form begins with: the parts of the draft, else those of the rule."""
    if rule is None:
        return {"review": RuleReview.FOLDER, "on_approval": OnApproval.DELIVER}
    parts = getattr(rule, "draft", None) or rule
    return {name: str(getattr(parts, name) or "") for name in _NAMES}


def _show(request: HttpRequest, board: Board, rule: Rule | None, form: Form, *, status: int = 200) -> HttpResponse:
    choices, chosen = rule_choices(board, rule), form.values
    starts, targets = _starts(choices, chosen.get("from_stage_id", "")), _targets(choices, chosen)
    context = {
        "board": board,
        "rule": rule,
        "form": form,
        "starts": starts,
        "agents": [
            Option(value=agent.pk, text=_agent_text(agent), is_chosen=str(agent.pk) == chosen.get("agent_id"))
            for agent in choices.agents
        ],
        "targets": targets,
        "agent": next((agent for agent in choices.agents if str(agent.pk) == chosen.get("agent_id")), None),
        "from_stage": _chosen(starts, choices),
        "to_stage": _chosen(targets, choices),
        "afterwards": Afterwards(review=chosen.get("review", ""), on_approval=chosen.get("on_approval", "")),
        "has_folder": folder_of(board) is not None,
    }
    return partial_or_page(request, "workflows/_rule_form.html", "workflows/rule_form_page.html", context, status)


def _starts(choices: RuleChoices, chosen: str) -> list[Option]:
    return [
        Option(
            value=stage.pk,
            text=f"{stage.name} ({choices.taken[stage.pk]} works there)" if stage.pk in choices.taken else stage.name,
            is_chosen=str(stage.pk) == chosen and stage.pk not in choices.taken,
            is_disabled=stage.pk in choices.taken,
        )
        for stage in choices.starts
    ]


def _targets(choices: RuleChoices, chosen: Mapping[str, str]) -> list[Option]:
    start = chosen.get("from_stage_id")
    return [
        Option(
            value=stage.pk,
            text=f"{stage.name} (where it starts)" if str(stage.pk) == start else stage.name,
            is_chosen=str(stage.pk) == chosen.get("to_stage_id") and str(stage.pk) != start,
            is_disabled=str(stage.pk) == start,
        )
        for stage in choices.targets
    ]


def _agent_text(agent: Agent) -> str:
    notes = {AgentState.DRAFT.value: " (a draft: publish it first)", AgentState.PAUSED.value: " (paused)"}
    return agent.name + notes.get(agent.state, "")


def _chosen(options: Iterable[Option], choices: RuleChoices) -> Stage | None:
    value = next((option.value for option in options if option.is_chosen), None)
    return next((stage for stage in choices.targets if stage.pk == value), None)
