"""Agents: draft, publish, pause, resume, retire. What was published once is never changed."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import Max

from agents.access import lock_agent
from agents.models import Agent, AgentVersion
from agents.refusals import AGENT_RETIRED, AGENT_STATE, CONFIRMATION_NEEDED, NO_DRAFT
from agents.rules import full_permissions, outward_permissions
from agents.states import AGENT, AgentState
from bakedbrie.lib import clock
from bakedbrie.lib.jobs import Job, poke
from bakedbrie.lib.refusals import INVALID_INPUT, NOT_FOUND, REVISION_CONFLICT
from boards.access import lock_board, require_manager
from boards.models import Board
from boards.services.events import record_event
from boards.states import EventKind
from workspaces.caller import Caller
from workspaces.services.actors import add_agent_actor, rename_actor, retire_actor


@transaction.atomic
def write_draft(
    caller: Caller,
    *,
    board: Board,
    agent: Agent | None = None,
    name: str | None = None,
    instructions: str | None = None,
    permissions: Mapping[str, str] | None = None,
    expected_revision: int | None = None,
) -> Agent:
    """Write a new agent's draft, or the draft of an existing one. What is not given stays as it is.

    A published version goes on working until the draft is published.
    """
    require_manager(caller, board)
    board = lock_board(board)
    if agent is None:
        return _add_agent(caller, board, name, instructions, permissions)
    agent = _lock_for_change(agent, expected_revision)
    if agent.board_id != board.pk:
        raise NOT_FOUND()
    draft = agent.draft or _next_draft(caller, agent)
    draft.name = draft.name if name is None else name
    draft.instructions = draft.instructions if instructions is None else instructions
    if permissions is not None:
        draft.permissions = full_permissions({**draft.permissions, **permissions})
    draft.save()
    if agent.published_id is None:
        _rename(agent, draft.name)
    _count_change(caller, agent, "drafted", draft=draft)
    return agent


@transaction.atomic
def limit_draft(caller: Caller, *, agent: Agent, max_turns: int) -> Agent:
    """Write into the draft how often the agent may work on a card in one round. It counts once it is published."""
    require_manager(caller, agent.board)
    lock_board(agent.board)
    agent = _lock_for_change(agent, None)
    draft = agent.draft or _next_draft(caller, agent)
    draft.max_turns = max_turns
    draft.save()
    _count_change(caller, agent, "drafted", draft=draft)
    return agent


@transaction.atomic
def publish_agent(
    caller: Caller, *, agent: Agent, expected_revision: int | None = None, confirm_outward: bool = False
) -> Agent:
    """Make the draft the live version. After a binding there may be none: the live version is published again.

    Refuses CONFIRMATION_NEEDED, naming them, while the version may send outside and nobody confirmed it (A022).
    """
    require_manager(caller, agent.board)
    lock_board(agent.board)
    agent = _lock_for_change(agent, expected_revision)
    version = agent.draft or (agent.published if agent.needs_publish else None)
    if version is None:
        raise NO_DRAFT()
    outward = outward_permissions(version.permissions)
    if outward and not confirm_outward:
        raise CONFIRMATION_NEEDED(
            fix="Tell the user that this agent may do what 'confirm' names; if they agree, send confirm_outward: true.",
            confirm=outward,
        )
    if version.published_at is None:
        version.published_at = clock.now()
        version.save(update_fields=["published_at", "updated_at"])
    _rename(agent, version.name)
    state = AgentState.PUBLISHED if agent.state == AgentState.DRAFT else agent.state
    _count_change(caller, agent, "published", state=state, published=version, draft=None, needs_publish=False)
    poke(Job.WAKE_TURNS, caller.workspace.pk)
    return agent


@transaction.atomic
def pause_agent(caller: Caller, *, agent: Agent) -> Agent:
    """Start nothing new with this agent; its cards wait, and what runs settles."""
    return _change_state(caller, agent, AgentState.PAUSED, "paused")


@transaction.atomic
def resume_agent(caller: Caller, *, agent: Agent) -> Agent:
    """Let the agent work again, and wake the cards that waited for it."""
    if agent.state == AgentState.DRAFT:
        raise AGENT_STATE(state=agent.state)
    agent = _change_state(caller, agent, AgentState.PUBLISHED, "resumed")
    poke(Job.WAKE_TURNS, caller.workspace.pk)
    return agent


@transaction.atomic
def retire(caller: Caller, *, agent: Agent) -> Agent:
    """Retire an agent for good. Who uses it is looked at by `workflows.services.agents.retire_agent`."""
    retired = _change_state(caller, agent, AgentState.RETIRED, "retired")
    retire_actor(retired.actor)
    return retired


def delete_agents(board: Board) -> None:
    """Delete the agents of a locked board that goes as a whole; none of them ever worked. Their actors retire."""
    agents = Agent.objects.filter(board=board)
    for agent in agents.select_related("actor"):
        retire_actor(agent.actor)
    agents.update(state=AgentState.DRAFT, published=None, draft=None)  # what is pointed at cannot be deleted
    agents.delete()


def _add_agent(
    caller: Caller,
    board: Board,
    name: str | None,
    instructions: str | None,
    permissions: Mapping[str, str] | None,
) -> Agent:
    given = {"name": name, "instructions": instructions}
    missing = {field: ["needed for a new agent"] for field, value in given.items() if not value}
    if not name or not instructions:
        raise INVALID_INPUT(fields=missing)
    actor = add_agent_actor(caller.workspace, board_id=board.pk, name=name)
    agent = Agent.objects.create(board=board, actor=actor, name=name)
    agent.draft = AgentVersion.objects.create(
        agent=agent,
        n=1,
        name=name,
        instructions=instructions,
        permissions=full_permissions(permissions or {}),
        written_by=caller.actor,
    )
    agent.save(update_fields=["draft", "updated_at"])
    _tell(caller, agent, "created")
    return agent


def _next_draft(caller: Caller, agent: Agent) -> AgentVersion:
    """Return a new version, not saved yet, that begins as a copy of the published one."""
    assert agent.published is not None  # an agent without a draft was published
    last = AgentVersion.objects.filter(agent=agent).aggregate(n=Max("n"))["n"]
    return AgentVersion(
        agent=agent,
        n=last + 1,
        name=agent.published.name,
        instructions=agent.published.instructions,
        permissions=agent.published.permissions,
        max_turns=agent.published.max_turns,
        written_by=caller.actor,
    )


def _lock_for_change(agent: Agent, expected_revision: int | None) -> Agent:
    agent = lock_agent(agent)
    if agent.state == AgentState.RETIRED:
        raise AGENT_RETIRED()
    if expected_revision is not None and expected_revision != agent.revision:
        raise REVISION_CONFLICT(current_revision=agent.revision)
    return agent


def _change_state(caller: Caller, agent: Agent, to: AgentState, change: str) -> Agent:
    require_manager(caller, agent.board)
    agent = _lock_for_change(agent, None)
    if not AGENT.allows(AgentState(agent.state), to):
        raise AGENT_STATE(state=agent.state)
    _count_change(caller, agent, change, state=to)
    return agent


def _count_change(caller: Caller, agent: Agent, change: str, **fields: object) -> None:
    """Save the fields of a locked agent and count the change."""
    for field, value in fields.items():
        setattr(agent, field, value)
    agent.revision += 1
    agent.save(update_fields=[*fields, "revision", "updated_at"])
    _tell(caller, agent, change)


def _tell(caller: Caller, agent: Agent, change: str) -> None:
    record_event(
        agent.board,
        EventKind.AGENT_CHANGED,
        actor=caller.actor,
        agent=str(agent.pk),
        name=agent.name,
        change=change,
    )


def _rename(agent: Agent, name: str) -> None:
    if agent.name != name:
        agent.name = name
        agent.save(update_fields=["name", "updated_at"])
        rename_actor(agent.actor, name)
