"""The work folder of a board: set with everything said first that will change, since it is what turns reviews on."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from agents.refusals import CONFIRMATION_NEEDED
from boards.access import lock_board, require_manager
from boards.models import Board
from boards.selectors.boards import is_shared
from boards.services.events import record_event
from boards.states import EventKind
from destinations.access import get_destination
from destinations.models import Destination
from destinations.services.destinations import lock_on, target_of
from destinations.states import DestinationKind
from reviews.access import find_folder, get_reviewer, lock_folder
from reviews.inputs import ANYONE, WorkFolderIn
from reviews.models import WorkFolder
from reviews.refusals import WORK_FOLDER_TYPE
from reviews.services.marking import begin_again
from reviews.states import FolderStorage, InboxMode
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.models import Member
from workspaces.services.audit import record_audit

ANYBODY = "anyone who opens the board"
NOT_THEIR_OWN = (
    "What the reviewer made, or started an agent on, they cannot approve themselves while the board is shared, and "
    "nobody else decides: it waits until a board manager names another reviewer, or nobody."
)


@dataclass(frozen=True, kw_only=True)
class FolderPlan:
    """What a work folder should be; None leaves a part as it is. ``is_open_to_all`` names no reviewer any more."""

    storage: FolderStorage | None = None
    destination: Destination | None = None
    reviewer: Member | None = None
    is_open_to_all: bool = False
    inbox: InboxMode | None = None


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a work folder is, as far as people choose it."""

    storage: FolderStorage
    destination: Destination | None
    reviewer: Member | None
    inbox: InboxMode

    def told(self) -> dict[str, str]:
        place = (
            {"destination": self.destination.name, "target": target_of(self.destination)} if self.destination else {}
        )
        return {
            "storage": self.storage.value,
            **place,
            "reviewer": self.reviewer.actor.name if self.reviewer else ANYBODY,
            "inbox": self.inbox.value,
        }


def plan_from(caller: Caller, *, board: Board, given: WorkFolderIn) -> FolderPlan:
    """Return what a door was given, with the reviewer looked up."""
    names_one = given.reviewer_id is not None and given.reviewer_id != ANYONE
    destination = get_destination(caller, given.destination_id) if given.destination_id else None
    storage = FolderStorage(given.storage) if given.storage else None
    return FolderPlan(
        storage=FolderStorage.S3 if destination else storage,
        destination=destination,
        reviewer=get_reviewer(caller, board, given.reviewer_id) if names_one else None,
        is_open_to_all=given.reviewer_id == ANYONE,
        inbox=InboxMode(given.inbox) if given.inbox else None,
    )


@transaction.atomic
def set_work_folder(caller: Caller, *, board: Board, plan: FolderPlan, confirm: bool = False) -> WorkFolder:
    """Set the folder, the reviewer or what becomes of Inbox/; once more changes nothing.

    Refuses CONFIRMATION_NEEDED, naming the board and what changes, until somebody confirmed it.
    """
    require_capability(caller, "reviews")
    require_manager(caller, board)
    board = lock_board(board)
    folder = lock_folder(board)
    before = _shape_of(folder)
    after = _planned(before, plan)
    if after.destination is not None and after.destination != before.destination:
        require_capability(caller, "destinations")
        _require_bucket(lock_on(after.destination))
    if after.storage is FolderStorage.HOSTED and before.storage is not FolderStorage.HOSTED:
        require_capability(caller, "hosted_work_folder")
    if folder is not None and after == before:
        return folder
    if not confirm:
        raise CONFIRMATION_NEEDED(
            fix=(
                "Show the user 'before' and 'after' of the board's work folder, and 'reviewer_note' where there is "
                "one; if they agree, send confirm: true."
            ),
            confirm=["sets_work_folder"],
            **_told_of_reviewer(board, before, after),
            untrusted_data={"board": board.name, "before": before.told(), "after": after.told()},
        )
    written = _write(caller, board, folder, after)
    record_audit(caller, "work_folder.set", **_audited(board, before, after))
    return written


def add_hosted_folder(caller: Caller, *, board: Board) -> WorkFolder | None:
    """Give a new board a folder in our storage, while that is on; in the transaction that makes the board."""
    if not {"reviews", "hosted_work_folder"} <= caller.capabilities:
        return None
    shape = Shape(storage=FolderStorage.HOSTED, destination=None, reviewer=None, inbox=InboxMode.ATTACH)
    return _write(caller, board, None, shape)


def _audited(board: Board, before: Shape, after: Shape) -> dict[str, str]:
    return {
        "board": str(board.pk),
        "name": board.name,
        "storage": after.storage.value,
        "bucket": after.destination.name if after.destination else "",
        "before": before.storage.value,
        "reviewer": after.reviewer.actor.name if after.reviewer else "",
    }


def _told_of_reviewer(board: Board, before: Shape, after: Shape) -> dict[str, str]:
    """Say what naming one reviewer means for what they make themselves."""
    is_new = after.reviewer is not None and after.reviewer != before.reviewer
    return {"reviewer_note": NOT_THEIR_OWN} if is_new and is_shared(board) else {}


def _require_bucket(destination: Destination) -> None:
    if destination.kind != DestinationKind.S3:
        raise WORK_FOLDER_TYPE()


def _shape_of(folder: WorkFolder | None) -> Shape:
    if folder is None:
        return Shape(storage=FolderStorage.NONE, destination=None, reviewer=None, inbox=InboxMode.ATTACH)
    return Shape(
        storage=FolderStorage(folder.storage),
        destination=folder.destination,
        reviewer=folder.reviewer,
        inbox=InboxMode(folder.inbox),
    )


def _planned(before: Shape, plan: FolderPlan) -> Shape:
    storage = plan.storage or before.storage
    return Shape(
        storage=storage,
        destination=(plan.destination or before.destination) if storage is FolderStorage.S3 else None,
        reviewer=None if plan.is_open_to_all else plan.reviewer or before.reviewer,
        inbox=plan.inbox or before.inbox,
    )


def _write(caller: Caller, board: Board, folder: WorkFolder | None, shape: Shape) -> WorkFolder:
    row = folder or WorkFolder(board=board)
    is_elsewhere = (row.storage, row.destination) != (shape.storage, shape.destination)
    row.storage, row.destination, row.reviewer, row.inbox = (
        shape.storage,
        shape.destination,
        shape.reviewer,
        shape.inbox,
    )
    row.set_by = caller.actor
    if is_elsewhere:
        row.ready_at, row.code, row.try_at = None, "", None
    row.save()
    if is_elsewhere:
        begin_again(row)
    record_event(board, EventKind.BOARD_CHANGED, actor=caller.actor, fields=["work_folder"])
    return find_folder(board) or row
