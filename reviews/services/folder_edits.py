"""What people changed in a bucket becomes part of the card: a newer result, or a newer version of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import transaction

from bakedbrie.lib import storage
from boards.access import lock_card
from boards.contents import round_contents
from boards.models import Card, CardFile, Iteration
from boards.services.files import replace_file
from boards.services.rounds import keep_result
from reviews.access import lock_review
from reviews.models import FolderFile, Review
from reviews.services.folder_steps import go_on, lock_file, save
from reviews.services.reviews import replace_contents
from reviews.states import FolderArea
from workspaces.models import Actor, Workspace
from workspaces.services.actors import automation

MOST_TEXT = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Edit:
    """A file of the bucket that differs from what was put there: its text if it is the result, else where its bytes
    were stored."""

    file: FolderFile
    etag: str
    text: str = field(default="", repr=False)
    stored: storage.Stored | None = None


def folder_actor(workspace: Workspace) -> Actor:
    """Return who stands in history for what is taken from a work folder."""
    return automation(workspace, "Work folder")


@transaction.atomic
def take_edits(card: Card, iteration: Iteration, edits: Sequence[Edit], review: Review | None = None) -> None:
    """Keep every edit on the card, once, and tell its review.

    What another check has kept meanwhile is left out, and so is all that comes after a decision: what was decided on
    is not what lies there now.
    """
    locked = lock_card(card)
    is_late = review is not None and not lock_review(review).is_open
    actor = folder_actor(locked.board.workspace)
    for edit in edits:
        file = None if is_late else lock_file(edit.file.pk)
        if file is None or not _is_as_read(file, edit.file):
            if edit.stored is not None:
                storage.delete(edit.stored.key)
            continue
        if edit.stored is None:
            _keep_text(locked, iteration, file, edit.text, actor)
        else:
            _keep_bytes(locked, file, edit.stored, actor)
        file.etag = edit.etag
        file.save(update_fields=["result", "file", "bytes", "sha256", "etag", "updated_at"])
    if review is not None:
        replace_contents(review, round_contents(locked, iteration))


def _is_as_read(file: FolderFile, read: FolderFile) -> bool:
    """Whether a locked file still waits for a review, where it was read from."""
    waits = file.area == FolderArea.NEEDS_REVIEW and file.unwanted_at is None
    return waits and (file.key, file.etag) == (read.key, read.etag)


def keep_etag(file: FolderFile, etag: str) -> None:
    """Note how the bucket marks bytes that are still the same."""
    FolderFile.objects.filter(pk=file.pk, key=file.key, etag=file.etag).update(etag=etag)


@transaction.atomic
def put_back(file: FolderFile) -> None:
    """Write a file again that was taken out of the bucket by hand."""
    locked = lock_file(file.pk)
    if locked is None or locked.key != file.key or not locked.is_settled:
        return
    locked.key = locked.etag = ""
    save(locked)
    go_on(locked)


def _keep_text(card: Card, iteration: Iteration, file: FolderFile, text: str, actor: Actor) -> None:
    result = keep_result(card=card, iteration=iteration, made_by=actor, markdown=text)
    file.result, file.sha256, file.bytes = result, result.sha256, len(text.encode())


def _keep_bytes(card: Card, file: FolderFile, stored: storage.Stored, actor: Actor) -> None:
    old = CardFile.objects.filter(pk=file.file_id).first() if file.file_id else None
    made = replace_file(actor, card=card, old=old, name=file.name, stored=stored)
    file.file, file.sha256, file.bytes = made, made.sha256, made.bytes
