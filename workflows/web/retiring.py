"""Retiring an agent, after saying what ends with it and which rules stand in the way."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from agents.access import get_agent
from agents.activity import activity_of
from agents.models import Agent
from agents.refusals import AGENT_RETIRED
from agents.states import AgentState
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, asked
from boards.access import require_manager
from workflows.inputs import ManageAgentIn
from workflows.selectors.triggers import rules_of
from workflows.services.agents import retire_agent
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def retire(request: HttpRequest, caller: Caller, agent_id: str) -> HttpResponse:
    """GET asks, POST retires, or says what stands in the way."""
    require_capability(caller, "agents")
    agent = get_agent(caller, agent_id)
    require_manager(caller, agent.board)
    question = Question(
        name="retire-agent",
        of=str(agent.pk),
        title=f"Retire “{agent.name}”?",
        text="This cannot be undone. Its history stays: versions, turns and what they cost.",
        points=_consequences(agent),
        button="Retire agent",
        back=("agent", str(agent.pk)),
        back_name=agent.name,
    )
    if request.method != "POST" and agent.state == AgentState.RETIRED:
        raise AGENT_RETIRED()

    def run(_: ManageAgentIn) -> Answer:
        return {"state": retire_agent(caller, agent=agent).state}

    def act() -> None:
        given = {"action": "retire", "agent_id": str(agent.pk)}
        submit(request, caller, name="manage_agent", model=ManageAgentIn, given=given, run=run)

    return asked(request, question, act, "Retired.")


def _consequences(agent: Agent) -> tuple[str, ...]:
    """Say what retiring would do as things are now, and what holds the agent."""
    activity = activity_of([agent])[agent.pk]
    using = [rule for rule in rules_of(agent.board) if rule.agent_id == agent.pk and rule.is_on]
    told = ["It works on no card any more, and no card can be given to it."]
    if activity.working:
        told.append(f"It is at work on {_cards(activity.working)}: the result is kept, and nothing is moved on.")
    if activity.waiting:
        told.append(f"It is to work on {_cards(activity.waiting)} more: that is canceled, and nothing is moved on.")
    told += [f"The rule “{rule}” uses it: pause it first, or have it use another agent." for rule in using]
    return tuple(told)


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"
