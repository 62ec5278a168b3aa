"""One step of a file in a work folder: claim it, do it once, settle.

Safe to call any number of times and by several processes at once: only the claim's winner does anything.
"""

from __future__ import annotations

import uuid

from bakedbrie.lib import log_context
from reviews.calls import hosted
from reviews.services.folder_steps import claim_step, settle_step


def run_step(step_id: uuid.UUID) -> None:
    """Do a queued step to its end; do nothing when it is not queued, or not needed any more."""
    claimed = claim_step(step_id)
    if claimed is None:
        return
    log_context.bind(workspace=claimed.file.folder.board.workspace_id)
    settle_step(step_id, claimed.attempt, hosted.act(claimed))
