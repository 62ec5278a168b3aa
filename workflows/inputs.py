"""What the tools, the REST bodies and the forms of this app take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from agents.inputs import MOST_INSTRUCTIONS, Permissions
from agents.rules import MOST_TURNS
from bakedbrie.lib.paging import MOST_ROWS, PageInput
from bakedbrie.lib.toolkit.inputs import ActionInput, Id, Input, Name, Title
from boards.inputs import Brief, Description, Guidelines

Hash = Annotated[str, Field(max_length=200, description="The preview_hash that preview_move gave you.")]


Review = Annotated[
    Literal["folder", "none"], Field(description="none: nobody reviews what was made; needs api_workflow.")
]
Approval = Annotated[
    Literal["deliver", "finish", "return"],
    Field(description="After an approval: next column and delivery, Done without delivery, or the agent once more."),
]


class CreateBoardIn(Input):
    name: Name
    description: Description = ""


class BeginBoardIn(Input):
    """What the page of templates takes; without a name the template's is used, without an account cards wait.

    ``reviewed`` switches reviews on, for the board and all later ones.
    """

    template: Literal["blog", "support", "research", "releases"]
    name: Name | Literal[""] = ""
    account: Id | Literal[""] = ""
    reviewed: bool = False


class SetupAgentIn(Input):
    name: Name
    instructions: Annotated[str, Field(min_length=1, max_length=MOST_INSTRUCTIONS)] = Field(
        description="What it does on each card, in plain words."
    )
    permissions: Permissions | None = None
    max_turns: int | None = Field(default=None, ge=1, le=MOST_TURNS)


class SetupRuleIn(Input):
    """Columns and agent by their names in this call."""

    from_column: Name = Field(description="Cards that enter this column are worked on.")
    agent: Name
    to_column: Name = Field(description="Where a card goes when the agent is finished.")


class SetupBoardIn(Input):
    name: Name
    description: Description = ""
    guidelines: Guidelines = Field(default="", description="What every agent of the board is told.")
    columns: list[Name] = Field(
        default_factory=lambda: ["Doing"], max_length=20, description="The columns between To do and Done, in order."
    )
    agents: list[SetupAgentIn] = Field(default_factory=list, max_length=20)
    rules: list[SetupRuleIn] = Field(default_factory=list, max_length=20)

    @model_validator(mode="after")
    def _names_fit_together(self) -> Self:
        columns = ["To do", *self.columns, "Done"]
        agents = [agent.name for agent in self.agents]
        problems = [f"columns: {name} stands twice" for name in _doubles(columns)]
        problems += [f"agents: {name} stands twice" for name in _doubles(agents)]
        for n, rule in enumerate(self.rules):
            for field, named, known in (
                ("from_column", rule.from_column, columns),
                ("agent", rule.agent, agents),
                ("to_column", rule.to_column, columns),
            ):
                if named not in known:
                    problems.append(f"rules.{n}.{field}: there is no {named} in this call")
        if problems:
            raise ValueError("; ".join(problems))
        return self


class UndoSetupIn(Input):
    setup_id: Id


def _doubles(names: Sequence[str]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)


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
    review: Review | None = None
    on_approval: Approval | None = None


class PublishWorkflowIn(Input):
    action: Literal["publish", "pause"]
    rule_id: Id


class TriggersPageIn(PageInput):
    board_id: Id | None = Field(default=None, description="One board; all that you can open if absent.")


class ListResultsIn(PageInput):
    board_id: Id | None = Field(default=None, description="One board; all that you can open if absent.")
    limit: int = Field(default=20, ge=1, le=MOST_ROWS, description="Cards per page.")


class OutputFormIn(Input):
    form: Literal["link", "source"] = Field(default="link", alias="as")


class OutputIn(OutputFormIn):
    output_id: Id


class ListTriggersIn(Input):
    board_id: Annotated[str, Field(max_length=64, description="One board; all that you can open if absent.")] | None = (
        None
    )
