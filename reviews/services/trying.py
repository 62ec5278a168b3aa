"""Looking at the bucket of a work folder at once, when somebody has mended what stood against it."""

from __future__ import annotations

from django.db import transaction

from bakedbrie.lib import clock
from bakedbrie.lib.jobs import Job, poke
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import require_manager
from boards.models import Board
from reviews.access import lock_folder
from reviews.services.marking import begin_marking
from reviews.states import FolderStorage
from workspaces.access import require_capability
from workspaces.caller import Caller


@transaction.atomic
def try_folder_now(caller: Caller, *, board: Board) -> None:
    """Queue the making of the four folders, or the next look into Inbox/ where they are there; refuses NOT_FOUND for a
    board whose work folder is no bucket."""
    require_capability(caller, "reviews")
    require_manager(caller, board)
    folder = lock_folder(board)
    if folder is None or folder.storage != FolderStorage.S3:
        raise NOT_FOUND()
    if folder.ready_at is None:
        begin_marking(folder)
        return
    folder.try_at = clock.now()
    folder.save(update_fields=["try_at", "updated_at"])
    poke(Job.FOLDER_LOOK, folder.pk)
