"""pause_workspace_dispatch and resume_workspace_dispatch."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from workspaces.caller import Caller
from workspaces.inputs import PauseDispatchIn, ResumeDispatchIn
from workspaces.serializers import DispatchSerializer
from workspaces.services.dispatch import pause_dispatch, resume_dispatch


def pause_workspace_dispatch(caller: Caller, given: PauseDispatchIn) -> Answer:
    return DispatchSerializer(pause_dispatch(caller, reason=given.reason)).data


def resume_workspace_dispatch(caller: Caller, _: ResumeDispatchIn) -> Answer:
    return DispatchSerializer(resume_dispatch(caller)).data


TOOLS: tuple[Tool[Caller], ...] = (
    Tool(
        name="pause_workspace_dispatch",
        title="Emergency stop",
        description=(
            "Stop all new work in the workspace: no agent, rule or schedule starts until it is resumed. Work that is "
            "under way finishes. Owners and admins only. Confirm with the user first, and say that all boards wait."
        ),
        input=PauseDispatchIn,
        handler=pause_workspace_dispatch,
        effect=Effect.WRITE,
        capabilities=("dispatch",),
        is_destructive=True,
    ),
    Tool(
        name="resume_workspace_dispatch",
        title="Resume work",
        description=(
            "End the emergency stop. Everything that waited for it starts by itself. Owners and admins only. Confirm "
            "with the user first: waiting work begins at once and may cost money."
        ),
        input=ResumeDispatchIn,
        handler=resume_workspace_dispatch,
        effect=Effect.WRITE,
        capabilities=("dispatch",),
    ),
)
