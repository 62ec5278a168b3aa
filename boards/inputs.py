"""What the tools and REST bodies of this app take."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from bakedbrie.lib.paging import PageInput
from bakedbrie.lib.toolkit.inputs import ActionInput, Id, Input, Name, Title, is_visible


def _visible(text: str) -> str:
    if not is_visible(text):
        raise ValueError("must contain something that can be seen")
    return text


State = Literal["idle", "waiting", "working", "blocked", "in_review", "done"]
Brief = Annotated[str, Field(max_length=100_000)]
Description = Annotated[str, Field(max_length=1_000)]
GUIDELINES_MOST = 8_000
Guidelines = Annotated[str, Field(max_length=GUIDELINES_MOST)]
CommentText = Annotated[str, Field(min_length=1, max_length=20_000), AfterValidator(_visible)]
Revision = Annotated[
    int, Field(ge=1, description="The revision you read; refused with REVISION_CONFLICT if it changed since.")
]


class ListBoardsIn(PageInput):
    include_archived: bool = Field(default=False, description="Archived boards too.")


class EditBoardIn(Input):
    expected_revision: Revision
    name: Name | None = None
    description: Description | None = None
    guidelines: Guidelines | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.name is None and self.description is None and self.guidelines is None:
            raise ValueError("name, description or guidelines is needed")
        return self


class GuidelinesIn(ActionInput):
    needs: ClassVar = {"read": ("board_id",), "set": ("board_id", "text"), "clear": ("board_id",)}
    takes: ClassVar = {"set": ("expected_revision",), "clear": ("expected_revision",)}

    action: Literal["read", "set", "clear"]
    board_id: Id
    text: Guidelines | None = Field(default=None, description="For set: the whole new text.")
    expected_revision: Revision | None = None


class StagesIn(ActionInput):
    needs: ClassVar = {
        "list": ("board_id",),
        "add": ("board_id", "name"),
        "rename": ("stage_id", "name"),
        "reorder": ("board_id", "stage_ids"),
        "delete": ("stage_id",),
    }
    takes: ClassVar = dict.fromkeys(("add", "rename", "reorder", "delete"), ("expected_revision",))

    action: Literal["list", "add", "rename", "reorder", "delete"]
    board_id: Id | None = Field(default=None, description="For list, add and reorder.")
    stage_id: Id | None = Field(default=None, description="For rename and delete.")
    name: Name | None = Field(default=None, description="For add and rename.")
    stage_ids: list[Id] | None = Field(
        default=None, max_length=100, description="For reorder: every column once, the first one first, Done last."
    )
    expected_revision: Revision | None = None


class SearchCardsIn(PageInput):
    """How the page of the search is asked. Without words it finds nothing."""

    q: str = Field(default="", max_length=200)


class ListCardsIn(PageInput):
    board_id: Id | None = None
    stage_id: Id | None = Field(default=None, description="Only this column, in its own order.")
    owner: Id | None = Field(default=None, description="Only cards of this owner: the id in a card's owner.")
    state: State | None = Field(default=None, description="Only cards whose badge shows this.")
    in_trash: bool = Field(default=False, description="The cards in the trash instead of those on the boards.")

    @model_validator(mode="after")
    def _asks_for_what_can_be(self) -> Self:
        if self.in_trash and self.stage_id is not None:
            raise ValueError("in_trash: a card in the trash is in no column")
        return self


class EditCardIn(Input):
    expected_revision: Revision
    title: Title | None = None
    brief: Brief | None = None
    owner: Id | None = Field(default=None, description="The id of the new owner: a person, an agent or an automation.")

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.title is None and self.brief is None and self.owner is None:
            raise ValueError("title, brief or owner is needed")
        return self


class ReorderCardIn(Input):
    card_id: Id
    before_card_id: Id | None = Field(default=None, description="Put it directly before this card.")
    after_card_id: Id | None = Field(default=None, description="Put it directly after this card.")

    @model_validator(mode="after")
    def _names_one_neighbour(self) -> Self:
        if (self.before_card_id is None) == (self.after_card_id is None):
            raise ValueError("before_card_id: name one neighbour, here or in after_card_id")
        return self


class AddCommentIn(Input):
    card_id: Id
    text: CommentText


class CardIn(Input):
    card_id: Id


class UploadIn(Input):
    name: str = Field(min_length=1, max_length=1_000, description="The file's name; unsafe parts are taken out.")


class AddBoardMemberIn(Input):
    member_id: Id
    is_manager: bool = Field(default=False, description="Whether they manage the board; a viewer cannot.")


class ChangeBoardMemberIn(Input):
    is_manager: bool
