"""One step of a file in a work folder: claim it, do it once, settle.

Safe to call any number of times and by several processes at once: only the claim's winner does anything.
"""

from __future__ import annotations

import uuid

from bakedbrie.lib import log_context
from boards.models import Board, Card
from reviews.calls import bucket, hosted, inbox
from reviews.services.folder_steps import claim_step, settle_step
from reviews.services.inbox import MakeCard, NoCard
from reviews.services.marking import claim_marking, settle_marking
from reviews.states import FolderArea, FolderCode, FolderStorage, Phase
from workspaces.caller import Caller


def _no_card(caller: Caller, board: Board, title: str) -> Card:
    raise NoCard(FolderCode.NAMES_NO_CARD)


def run_step(step_id: uuid.UUID, make_card: MakeCard = _no_card) -> None:
    """Do a queued step to its end; do nothing when it is not queued, or not needed any more.

    ``make_card`` makes a card for a file of Inbox/ that names none.
    """
    claimed = claim_step(step_id)
    if claimed is None:
        _make_folders(step_id)
        return
    log_context.bind(workspace=claimed.file.folder.board.workspace_id)
    if claimed.file.area == FolderArea.INBOX and claimed.step.phase == Phase.COPY:
        inbox.take(claimed, make_card)
        return
    act = hosted.act if claimed.file.storage == FolderStorage.HOSTED else bucket.act
    settle_step(step_id, claimed.attempt, act(claimed))


def _make_folders(step_id: uuid.UUID) -> None:
    marking = claim_marking(step_id)
    if marking is not None:
        log_context.bind(workspace=marking.folder.board.workspace_id)
        settle_marking(marking, bucket.make_folders(marking.folder.destination))
