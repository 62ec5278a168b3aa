"""The rules of a board: listed with what they do, published after their consequences were shown, paused."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from bakedbrie.lib.paging import PageInput
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, answered, asked, close, dialog
from bakedbrie.lib.web.forms import show_in_place
from bakedbrie.lib.web.htmx import partial_or_page
from boards.access import get_board, require_manager
from reviews.selectors.folders import folder_of
from workflows.access import get_rule
from workflows.inputs import PublishWorkflowIn
from workflows.models import Rule, RuleDraft
from workflows.selectors.rules_page import rules_page, waiting_for
from workflows.services.rules import pause_rule, preview_publication, publish_as_shown
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_safe
@member_page
def rules(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    require_capability(caller, "triggers")
    board = get_board(caller, board_id)
    cursor = request.GET.get("cursor")
    page = rules_page(caller, board, parse_query(PageInput, {"cursor": cursor} if cursor else {}))
    has_folder = folder_of(board) is not None
    context = {"board": board, "page": page, "cursor": cursor or "", "has_folder": has_folder}
    return partial_or_page(request, "workflows/_rules.html", "workflows/rules_page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def publish(request: HttpRequest, caller: Caller, rule_id: str) -> HttpResponse:
    """GET shows what publishing would mean, POST publishes if that still holds."""
    require_capability(caller, "triggers")
    rule = get_rule(caller, rule_id)
    require_manager(caller, rule.board)

    def run(_: PublishWorkflowIn) -> Answer:
        published = publish_as_shown(caller, rule=rule, preview_hash=request.POST.get("preview_hash", ""))
        return {"rule_id": str(published.rule.pk)}

    def act() -> None:
        given = {"action": "publish", "rule_id": str(rule.pk)}
        submit(request, caller, name="publish_workflow", model=PublishWorkflowIn, given=given, run=run)

    def show(refused: Refused | None) -> HttpResponse:
        return _show_publication(request, caller, get_rule(caller, rule.pk) if refused else rule, refused)

    back_url = reverse("rules", args=[rule.board_id])
    return answered(request, show, act, lambda: close(request, "Rule published.", back_url))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def pause(request: HttpRequest, caller: Caller, rule_id: str) -> HttpResponse:
    """GET asks, POST pauses."""
    require_capability(caller, "triggers")
    rule = get_rule(caller, rule_id)
    require_manager(caller, rule.board)
    question = _pausing(rule)

    def run(_: PublishWorkflowIn) -> Answer:
        return {"rule_id": str(pause_rule(caller, rule=rule).pk)}

    def act() -> None:
        given = {"action": "pause", "rule_id": str(rule.pk)}
        submit(request, caller, name="publish_workflow", model=PublishWorkflowIn, given=given, run=run)

    return asked(request, question, act, "Rule paused.")


def _show_publication(request: HttpRequest, caller: Caller, rule: Rule, refused: Refused | None) -> HttpResponse:
    publication = None
    try:
        publication = preview_publication(caller, rule=rule)
    except Refused as unfit:
        refused = refused or show_in_place(unfit)
    context = {
        "rule": rule,
        "publication": publication,
        "afterwards": _changed_afterwards(rule),
        "has_folder": folder_of(rule.board) is not None,
    }
    return dialog(request, "workflows/_rule_publish.html", "workflows/rule_publish_page.html", context, refused)


def _changed_afterwards(rule: Rule) -> RuleDraft | None:
    """Return the draft where it changes what follows the work: the review, or what an approval leads to."""
    draft: RuleDraft | None = getattr(rule, "draft", None)
    if draft is None or (draft.review, draft.on_approval) == (rule.review, rule.on_approval):
        return None
    return draft


def _pausing(rule: Rule) -> Question:
    waiting, working = waiting_for(rule)
    points = [f"A card that enters “{rule.from_stage}” from then on starts nothing."]
    if waiting:
        points.append(f"{_cards(waiting)} still in line for {rule.agent.name}: that ends, and nothing works on it.")
    if working:
        points.append(f"{_cards(working)} at work: that goes on, its result is kept, and the card stays in its column.")
    return Question(
        name="pause-rule",
        of=str(rule.pk),
        title=f"Pause the rule in “{rule.from_stage}”?",
        text="It can be published again at any time.",
        points=tuple(points),
        button="Pause rule",
        back=("rules", str(rule.board_id)),
        back_name=f"Rules of {rule.board.name}",
    )


def _cards(count: int) -> str:
    return "1 card is" if count == 1 else f"{count} cards are"
