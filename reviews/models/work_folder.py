"""The work folder of a board: where its files wait for a person, and what turns its reviews on."""

from __future__ import annotations

from django.db import models

from bakedbrie.lib.models import Dated
from boards.models import Board
from reviews.states import FolderStorage, InboxMode
from workspaces.models import Actor, Member


class WorkFolder(Dated):
    """``reviewer``, if there is one, is the only person who decides. ``set_by`` is on whose behalf Inbox/ is read."""

    board = models.OneToOneField(Board, on_delete=models.CASCADE, related_name="work_folder")
    storage = models.CharField(max_length=10, choices=[(one.value, one.value) for one in FolderStorage])
    reviewer = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    inbox = models.CharField(
        max_length=10, choices=[(one.value, one.value) for one in InboxMode], default=InboxMode.ATTACH
    )
    set_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.storage} folder"
