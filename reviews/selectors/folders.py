"""Which work folder counts for a board now, and what is in it."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from boards.models import Board
from reviews.access import find_folder
from reviews.models import FolderFile, WorkFolder
from reviews.states import FolderStorage
from workspaces import capabilities
from workspaces.models import Workspace


def folder_of(board: Board) -> WorkFolder | None:
    """Return the board's work folder, or None: none is set, or the capability it needs is off."""
    if "reviews" not in capabilities.effective(board.workspace.capabilities):
        return None  # without a query: it is asked for at the end of every turn
    folder = find_folder(board)
    return folder if folder is not None and counts(folder, board.workspace) else None


def counts(folder: WorkFolder, workspace: Workspace) -> bool:
    """Whether a folder turns reviews on now."""
    on = capabilities.effective(workspace.capabilities)
    if folder.storage == FolderStorage.NONE or "reviews" not in on:
        return False
    return folder.storage != FolderStorage.HOSTED or "hosted_work_folder" in on


def held_steps() -> Q:
    """Steps that wait for the end of a pause: while work is paused, nothing is written to a bucket."""
    in_a_bucket = Q(file__isnull=True) | Q(file__storage=FolderStorage.S3)
    return in_a_bucket & Q(folder__board__workspace__dispatch_paused=True)


def files_in(board: Board, area: str | None = None) -> QuerySet[FolderFile]:
    """Return the files that are in the work folder of a board, or on their way into it."""
    files = FolderFile.objects.filter(folder__board=board, gone_at__isnull=True, unwanted_at__isnull=True)
    return files.filter(area=area) if area else files
