"""Agents: drafted, published, paused, resumed, retired, by whom they may be, and never changed behind a turn's back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection

from agents.access import get_agent
from agents.models import Agent, AgentVersion
from agents.rules import AREAS
from agents.selectors import agents_of, versions_of
from agents.services.agents import limit_draft, pause_agent, publish_agent, resume_agent, retire, write_draft
from agents.states import AgentState
from bakedbrie.lib.jobs import Job
from bakedbrie.lib.refusals import Refused
from boards.models import BoardEvent
from boards.services.boards import set_archived
from boards.services.members import add_board_member
from boards.states import EventKind
from tests.agents.conftest import Desk, rung
from tests.factories.agents import make_agent
from tests.factories.boards import make_board
from tests.factories.workspaces import token_caller
from tests.support.cast import token_of
from tests.support.races import at_once, codes
from workspaces.caller import Caller
from workspaces.models import Actor
from workspaces.states import ActorKind, Preset

pytestmark = pytest.mark.django_db

Act = Callable[[Caller, Desk], object]
ACTS: dict[str, Act] = {
    "draft": lambda caller, desk: write_draft(caller, board=desk.board, name="New", instructions="Do it."),
    "edit": lambda caller, desk: write_draft(caller, board=desk.board, agent=desk.agent, instructions="Do it."),
    "publish": lambda caller, desk: publish_agent(caller, agent=desk.agent),
    "limit": lambda caller, desk: limit_draft(caller, agent=desk.agent, max_turns=3),
    "pause": lambda caller, desk: pause_agent(caller, agent=desk.agent),
    "resume": lambda caller, desk: resume_agent(caller, agent=desk.agent),
    "retire": lambda caller, desk: retire(caller, agent=desk.agent),
}


@pytest.mark.requirement("A001", "A002", "A003", "A013")
def test_a_new_agent_is_a_draft_of_its_board(alice: Caller) -> None:
    board = make_board(alice)

    agent = make_agent(alice, board, permissions={"read_files": "allowed", "web": "ask"}, is_published=False)

    assert (agent.board_id, agent.name, agent.state, agent.revision) == (board.pk, "Researcher", AgentState.DRAFT, 1)
    assert (agent.published, agent.draft and agent.draft.n) == (None, 1)
    assert agent.draft is not None
    assert list(agent.draft.permissions) == list(AREAS)
    assert {area for area, verdict in agent.draft.permissions.items() if verdict != "off"} == {"read_files", "web"}
    assert (agent.actor.kind, agent.actor.name, agent.actor.workspace_id) == (
        ActorKind.AGENT,
        "Researcher",
        alice.workspace.pk,
    )


@pytest.mark.requirement("A014", "A015", "A025")
def test_editing_leaves_the_published_version_until_it_is_published(desk: Desk) -> None:
    before = AgentVersion.objects.get(agent=desk.agent)

    agent = write_draft(desk.caller, board=desk.board, agent=desk.agent, name="Writer", instructions="Write.")
    again = write_draft(desk.caller, board=desk.board, agent=agent, instructions="Write it.")
    drafted = desk.fresh_agent()
    published = publish_agent(desk.caller, agent=again)

    assert (drafted.published_id, drafted.name) == (before.pk, "Researcher")
    assert (published.name, published.actor.name, published.draft) == ("Writer", "Writer", None)
    assert [(version.n, version.instructions) for version in versions_of(published)] == [
        (2, "Write it."),
        (1, before.instructions),
    ]
    assert Actor.objects.get(pk=published.actor_id).name == "Writer"


def test_what_is_not_given_stays(desk: Desk) -> None:
    write_draft(desk.caller, board=desk.board, agent=desk.agent, permissions={"web": "allowed"})

    agent = write_draft(desk.caller, board=desk.board, agent=desk.agent, permissions={"read_files": "ask"})

    assert agent.draft is not None
    assert (agent.draft.name, agent.draft.instructions) == ("Researcher", desk.agent.published.instructions)  # type: ignore[union-attr]  # it is published
    assert {area for area, verdict in agent.draft.permissions.items() if verdict != "off"} == {"web", "read_files"}


@pytest.mark.requirement("A022")
@pytest.mark.parametrize("area", ["email", "other_apps", "deliver"])
@pytest.mark.parametrize("verdict", ["ask", "allowed"])
def test_sending_outside_is_confirmed_before_it_is_published(alice: Caller, area: str, verdict: str) -> None:
    agent = make_agent(alice, make_board(alice), permissions={area: verdict}, is_published=False)

    with pytest.raises(Refused) as refused:
        publish_agent(alice, agent=agent)

    assert (refused.value.code, refused.value.details) == ("CONFIRMATION_NEEDED", {"confirm": [area]})
    assert Agent.objects.get().state == AgentState.DRAFT
    assert publish_agent(alice, agent=agent, confirm_outward=True).state == AgentState.PUBLISHED


def test_an_agent_that_stays_inside_needs_no_confirmation(alice: Caller) -> None:
    agent = make_agent(alice, make_board(alice), permissions={"read_files": "allowed", "create_images": "ask"})

    assert agent.state == AgentState.PUBLISHED


def test_without_a_draft_there_is_nothing_to_publish(desk: Desk) -> None:
    with pytest.raises(Refused) as refused:
        publish_agent(desk.caller, agent=desk.agent)

    assert refused.value.code == "NO_DRAFT"


def test_a_change_that_somebody_else_made_first_is_not_overwritten(desk: Desk) -> None:
    revision = desk.agent.revision
    write_draft(desk.caller, board=desk.board, agent=desk.agent, instructions="Mine.", expected_revision=revision)

    with pytest.raises(Refused) as editing:
        write_draft(desk.caller, board=desk.board, agent=desk.agent, name="X", expected_revision=revision)
    with pytest.raises(Refused) as publishing:
        publish_agent(desk.caller, agent=desk.agent, expected_revision=revision)

    assert (editing.value.code, publishing.value.code) == ("REVISION_CONFLICT", "REVISION_CONFLICT")
    assert editing.value.details == {"current_revision": revision + 1}
    assert desk.fresh_agent().published_id == desk.agent.published_id


@pytest.mark.django_db(transaction=True)
def test_of_two_edits_at_once_one_is_refused(desk: Desk) -> None:
    revision = desk.agent.revision

    def edit() -> Agent:
        return write_draft(
            desk.caller, board=desk.board, agent=desk.agent, instructions="New.", expected_revision=revision
        )

    assert codes(at_once(edit, edit)) == ["REVISION_CONFLICT", "done"]
    assert AgentVersion.objects.filter(agent=desk.agent).count() == 2


@pytest.mark.requirement("A016", "A017")
def test_pause_and_resume(desk: Desk) -> None:
    paused = pause_agent(desk.caller, agent=desk.agent).state
    connection.run_on_commit.clear()

    resumed = resume_agent(desk.caller, agent=desk.agent).state

    assert (paused, resumed) == (AgentState.PAUSED, AgentState.PUBLISHED)
    assert rung() == [(Job.WAKE_TURNS, (desk.caller.workspace.pk,))]


def test_publishing_a_paused_agent_leaves_it_paused(desk: Desk) -> None:
    pause_agent(desk.caller, agent=desk.agent)
    write_draft(desk.caller, board=desk.board, agent=desk.agent, instructions="New.")

    agent = publish_agent(desk.caller, agent=desk.agent)

    assert (agent.state, agent.published and agent.published.n) == (AgentState.PAUSED, 2)


@pytest.mark.requirement("A018")
def test_a_retired_agent_keeps_its_history_and_takes_no_change(desk: Desk) -> None:
    retire(desk.caller, agent=desk.agent)

    answers = [refusal_of(act, desk.caller, desk) for name, act in ACTS.items() if name != "draft"]

    assert answers == ["AGENT_RETIRED"] * 6
    assert [version.n for version in versions_of(desk.agent)] == [1]


@pytest.mark.parametrize(("act", "state"), [("resume", "published"), ("pause", "paused"), ("resume", "draft")])
def test_a_state_that_does_not_allow_it_refuses(desk: Desk, act: str, state: str) -> None:
    Agent.objects.filter(pk=desk.agent.pk).update(state=state)
    desk.agent.refresh_from_db()

    assert refusal_of(ACTS[act], desk.caller, desk) == "AGENT_STATE"


@pytest.mark.parametrize("act", ACTS)
def test_only_board_managers_change_agents(desk: Desk, mia: Caller, vic: Caller, act: str) -> None:
    for caller in (mia, vic):
        add_board_member(desk.caller, board=desk.board, member=caller.member)
    reader = token_caller(token_of(desk.caller, Preset.READ_ONLY))
    before = desk.fresh_agent().revision

    answers = [refusal_of(ACTS[act], caller, desk) for caller in (mia, vic, reader)]

    assert answers == ["NOT_BOARD_MANAGER", "FORBIDDEN", "TOKEN_READ_ONLY"]
    assert (desk.fresh_agent().revision, AgentVersion.objects.count()) == (before, 1)


def test_an_archived_board_takes_no_draft(desk: Desk) -> None:
    set_archived(desk.caller, board=desk.board, is_archived=True)

    assert [refusal_of(ACTS[act], desk.caller, desk) for act in ("draft", "edit", "publish")] == ["BOARD_ARCHIVED"] * 3


@pytest.mark.requirement("A001")
def test_an_agent_is_not_written_on_another_board(desk: Desk) -> None:
    other = make_board(desk.caller, name="Other")

    with pytest.raises(Refused) as refused:
        write_draft(desk.caller, board=other, agent=desk.agent, instructions="New.")

    assert refused.value.code == "NOT_FOUND"
    assert list(agents_of(other)) == []


def test_a_new_agent_needs_a_name_and_instructions(desk: Desk) -> None:
    with pytest.raises(Refused) as refused:
        write_draft(desk.caller, board=desk.board, name="Named")

    assert (refused.value.code, list(refused.value.details["fields"])) == ("INVALID_INPUT", ["instructions"])  # type: ignore[call-overload]  # fields is a table


@pytest.mark.requirement("W002")
def test_an_agent_of_a_closed_board_is_not_there(desk: Desk, charlie: Caller, mia: Caller) -> None:
    for caller, agent_id in ((charlie, str(desk.agent.pk)), (mia, str(desk.agent.pk)), (desk.caller, "nonsense")):
        with pytest.raises(Refused) as refused:
            get_agent(caller, agent_id)
        assert refused.value.code == "NOT_FOUND"

    assert get_agent(desk.caller, str(desk.agent.pk)) == desk.agent


def test_every_change_is_told(desk: Desk) -> None:
    write_draft(desk.caller, board=desk.board, agent=desk.agent, instructions="New.")
    publish_agent(desk.caller, agent=desk.agent)
    pause_agent(desk.caller, agent=desk.agent)

    events = BoardEvent.objects.filter(kind=EventKind.AGENT_CHANGED, board=desk.board).order_by("pk")
    assert [event.data["change"] for event in events] == ["created", "published", "drafted", "published", "paused"]


def refusal_of(act: Act, caller: Caller, desk: Desk) -> str:
    with pytest.raises(Refused) as refused:
        act(caller, desk)
    return refused.value.code


@pytest.mark.requirement("A021")
def test_how_often_it_may_work_is_drafted_and_published_like_the_rest(desk: Desk) -> None:
    drafted = limit_draft(desk.caller, agent=desk.fresh_agent(), max_turns=3)
    assert drafted.draft is not None
    assert drafted.published is not None
    assert (drafted.draft.max_turns, drafted.published.max_turns, drafted.revision) == (3, 50, desk.agent.revision + 1)

    publish_agent(desk.caller, agent=drafted)
    again = write_draft(desk.caller, board=desk.board, agent=desk.fresh_agent(), instructions="Shorter.")

    assert again.draft is not None
    assert (again.draft.n, again.draft.max_turns, again.draft.instructions) == (3, 3, "Shorter.")
