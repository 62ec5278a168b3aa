"""The work folder of a board: where its files wait for a person, and what turns its reviews on."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib.models import Dated
from boards.models import Board
from destinations.holding import Holding
from destinations.models import Destination
from reviews.states import FolderStorage, InboxMode
from workspaces.models import Actor, Member


class WorkFolder(Dated):
    """``reviewer``, if there is one, is the only person who decides. ``set_by`` is on whose behalf Inbox/ is read.

    ``ready_at`` says since when the four folders are there; ``try_at`` when a bucket is looked into next.
    """

    holds_destination = Holding(
        rows=Q(),
        board="board",
        named="work folder",
        at_another_place={"ready_at": None, "try_at": None, "code": ""},
    )

    board = models.OneToOneField(Board, on_delete=models.CASCADE, related_name="work_folder")
    storage = models.CharField(max_length=10, choices=[(one.value, one.value) for one in FolderStorage])
    destination = models.ForeignKey(
        Destination, on_delete=models.PROTECT, null=True, blank=True, related_name="work_folders"
    )
    reviewer = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    inbox = models.CharField(
        max_length=10, choices=[(one.value, one.value) for one in InboxMode], default=InboxMode.ATTACH
    )
    set_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    ready_at = models.DateTimeField(null=True, blank=True, editable=False)
    code = models.CharField(max_length=60, blank=True, help_text="What stood against the last look into the bucket.")
    try_at = models.DateTimeField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        return f"work folder of {self.board}"
