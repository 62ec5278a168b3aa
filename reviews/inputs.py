"""What the tools, the REST bodies and the forms of this app take."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from bakedbrie.lib.paging import PageInput
from bakedbrie.lib.toolkit.inputs import Id, Input

ANYONE = "anyone"


class WorkFolderIn(Input):
    """What is left out stays as it is."""

    destination_id: Id | None = Field(default=None, description="A destination of kind s3: a bucket of the user's own.")
    storage: Literal["hosted", "none"] | None = Field(
        default=None,
        description="hosted: BakedBrie storage, while hosted_work_folder is on. none: no work folder, and no reviews.",
    )
    reviewer_id: Id | None = Field(
        default=None,
        description=f'The member_id of the only person who decides, or "{ANYONE}": whoever opens the board.',
    )
    inbox: Literal["attach", "card", "off"] | None = Field(
        default=None,
        description=(
            "What becomes of a file that people drop into Inbox/: attach it to the card it names, make a card for one "
            "that names none, or leave it alone."
        ),
    )
    confirm: bool | None = Field(default=None, description="The user agrees to the change that 'confirm' named.")

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.storage is not None and self.destination_id is not None:
            raise ValueError("storage: not taken beside destination_id")
        if (self.destination_id, self.storage, self.reviewer_id, self.inbox) == (None,) * 4:
            raise ValueError("destination_id, storage, reviewer_id or inbox is needed")
        return self


class FolderFilesIn(PageInput):
    folder: Literal["inbox", "needs_review", "approved", "done"] | None = Field(
        default=None, description="One of the four folders; all of them if absent."
    )


class SetWorkFolderIn(WorkFolderIn):
    board_id: Id


class ListReviewsIn(PageInput):
    board_id: Id | None = Field(default=None, description="One board; all that you can open if absent.")
    state: Literal["open", "approved", "rejected", "changes_requested", "canceled"] = Field(default="open")


class ReviewIn(Input):
    review_id: Id


class DecisionIn(Input):
    intent_hash: str = Field(max_length=200, description="From get_review.")
    decision: Literal["approve", "reject", "request_changes"]
    note: str = Field(default="", max_length=20_000, description="request_changes needs it.")


class DecideReviewIn(DecisionIn, ReviewIn):
    pass
