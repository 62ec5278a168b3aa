"""Publishing an agent, after what it changes was shown and what sends outside was agreed to."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from agents.access import get_agent
from agents.activity import activity_of
from agents.inputs import PublishAgentIn
from agents.models import Agent, AgentVersion
from agents.rules import outward_permissions
from agents.selectors import may_deliver
from agents.services.agents import publish_agent
from agents.states import AgentState
from agents.web.changes import Changes, changes_between
from agents.web.form import whole_number
from agents.web.payer import payer_of
from bakedbrie.lib.refusals import PREVIEW_CHANGED, REVISION_CONFLICT, Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web import words
from bakedbrie.lib.web.confirm import answered, close, dialog
from boards.access import require_manager
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@dataclass(frozen=True, kw_only=True)
class Publication:
    """What publishing makes live. ``changes`` is None for a first version and for one that is published again;
    ``outward`` are areas that send outside."""

    version: AgentVersion
    changes: Changes | None
    outward: list[str]


def publication_of(agent: Agent) -> Publication | None:
    """Return what publishing this agent would do now, or None where there is nothing to publish."""
    version = agent.draft or (agent.published if agent.needs_publish else None)
    if version is None or agent.state == AgentState.RETIRED:
        return None
    changes = changes_between(agent.published, agent.draft) if agent.published and agent.draft else None
    return Publication(version=version, changes=changes, outward=outward_permissions(version.permissions))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def publish(request: HttpRequest, caller: Caller, agent_id: str) -> HttpResponse:
    """GET says what would change and asks, POST publishes exactly that."""
    require_capability(caller, "agents")
    agent = get_agent(caller, agent_id)
    require_manager(caller, agent.board)

    def run(given: PublishAgentIn) -> Answer:
        published = publish_agent(
            caller, agent=agent, expected_revision=given.expected_revision, confirm_outward=given.confirm_outward
        )
        return {"agent_id": str(published.pk)}

    def act() -> None:
        given: dict[str, object] = {"agent_id": str(agent.pk), "confirm_outward": request.POST.get("confirm") == "true"}
        if revision := request.POST.get("expected_revision"):
            given["expected_revision"] = whole_number(revision)
        submit(request, caller, name="publish_agent", model=PublishAgentIn, given=given, run=run)

    def show(refused: Refused | None) -> HttpResponse:
        is_behind = refused is not None and refused.code == REVISION_CONFLICT.code
        return _ask(request, caller, agent, PREVIEW_CHANGED() if is_behind else refused)

    back_url = reverse("agent", args=[agent.pk])
    return answered(request, show, act, lambda: close(request, "Published.", back_url))


def _ask(request: HttpRequest, caller: Caller, agent: Agent, refused: Refused | None) -> HttpResponse:
    publication = publication_of(agent)
    context = {
        "agent": agent,
        "board": agent.board,
        "publication": publication,
        "may_deliver": may_deliver(publication.version) if publication else False,
        "sentences": _sentences(agent) if publication else [],
        "outward": [words.AREAS[area][0] for area in publication.outward] if publication else [],
        "payer": payer_of(agent, caller.workspace),
    }
    return dialog(request, "agents/_publish.html", "agents/publish_page.html", context, refused)


def _sentences(agent: Agent) -> list[str]:
    """Say what happens besides, as things are now."""
    told = []
    if agent.published is None:
        told.append("Rules may use it from now on. It works on no card before a rule that uses it is published.")
    elif agent.draft is None:
        told.append("The version that works is published again, with the account that pays from now on.")
    else:
        told.append(f"New turns use it at once. What runs already goes on with version {agent.published.n}.")
    waiting = activity_of([agent])[agent.pk].waiting
    if agent.state == AgentState.PAUSED:
        told.append("The agent stays paused: nothing starts before it is resumed.")
    elif waiting and agent.needs_publish:
        told.append(f"{waiting} waiting card{'' if waiting == 1 else 's'} can start.")
    return told
