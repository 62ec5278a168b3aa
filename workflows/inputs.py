"""What the tools, the REST bodies and the forms of this app take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from bakedbrie.lib.paging import PageInput
from bakedbrie.lib.toolkit.inputs import ActionInput, Id, Input, Name, Title
from boards.inputs import Brief, Description

Hash = Annotated[str, Field(max_length=200, description="The preview_hash that preview_move gave you.")]


class CreateBoardIn(Input):
    name: Name
    description: Description = ""


class BoardIn(Input):
    board_id: Id


class ReadCardIn(Input):
    card_id: Id
    history_cursor: Annotated[str, Field(max_length=400, description="next_cursor of the history before.")] | None = (
        None
    )


class CreateCardIn(Input):
    board_id: Id
    title: Title
    brief: Brief = ""
    stage_id: (
        Annotated[str, Field(max_length=64, description="A column of the board; the first one if absent.")] | None
    ) = None
    owner: (
        Annotated[
            str, Field(max_length=64, description="The id of a person or agent, as in a card's owner; you if absent.")
        ]
        | None
    ) = None


class PreviewMoveIn(Input):
    card_id: Id
    stage_id: Id


class MoveCardIn(Input):
    card_id: Id
    stage_id: Id
    preview_hash: Hash | None = None


class ManageTurnIn(ActionInput):
    action: Literal["read", "stop", "run_again"]
    turn_id: Id
    confirm: Annotated[bool, Field(description="The user agrees that running it again may cost twice.")] | None = None

    needs: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(("read", "stop", "run_again"), ("turn_id",))
    takes: ClassVar[Mapping[str, tuple[str, ...]]] = {"run_again": ("confirm",)}


class ManageAgentIn(ActionInput):
    action: Literal["list", "read", "versions", "pause", "resume", "retire"]
    board_id: Id | None = None
    agent_id: Id | None = None

    needs: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "list": ("board_id",),
        "read": ("agent_id",),
        "versions": ("agent_id",),
        "pause": ("agent_id",),
        "resume": ("agent_id",),
        "retire": ("agent_id",),
    }


class AuthorWorkflowDraftIn(Input):
    board_id: Id
    rule_id: Annotated[str, Field(max_length=64, description="The rule to change; a new one if absent.")] | None = None
    from_stage_id: Annotated[str, Field(max_length=64, description="Cards that enter this column are worked on.")]
    agent_id: Annotated[str, Field(max_length=64, description="The agent that works on them.")]
    to_stage_id: Annotated[str, Field(max_length=64, description="Where a card goes when the agent is finished.")]


class PublishWorkflowIn(Input):
    action: Literal["publish", "pause"]
    rule_id: Id


class TriggersPageIn(PageInput):
    board_id: Id | None = Field(default=None, description="One board; all that you can open if absent.")


class ListTriggersIn(Input):
    board_id: Annotated[str, Field(max_length=64, description="One board; all that you can open if absent.")] | None = (
        None
    )
