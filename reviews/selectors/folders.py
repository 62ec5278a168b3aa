"""Which work folder counts for a board now."""

from __future__ import annotations

from boards.models import Board
from reviews.models import WorkFolder
from reviews.states import FolderStorage
from workspaces import capabilities


def folder_of(board: Board) -> WorkFolder | None:
    """Return the board's work folder, or None: none is set, or the capability it needs is off."""
    folder = WorkFolder.objects.select_related("reviewer__user").filter(board=board).first()
    if folder is None:
        return None
    on = capabilities.effective(board.workspace.capabilities)
    if "reviews" not in on or (folder.storage == FolderStorage.HOSTED and "hosted_work_folder" not in on):
        return None
    return folder
