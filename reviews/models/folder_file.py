"""The files of a work folder, and the steps that bring each to where it should be."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib.models import Dated, OnceCall
from boards.models import Card, CardFile, Result
from destinations.holding import Holding
from destinations.models import Destination
from reviews.models.review import Review
from reviews.models.work_folder import WorkFolder
from reviews.rules import AREA_NAMES
from reviews.states import FolderArea, FolderStorage, Phase

OPEN = ("queued", "sending")
STANDS_STILL = ("DESTINATION_DISABLED", "CAPABILITY_OFF")
_AREAS = [(area.value, f"{AREA_NAMES[area]}/") for area in FolderArea]


class FolderFile(Dated):
    """One file in one of the four folders. ``area`` and ``unwanted_at`` say where it should be, the keys where it is.

    ``key`` holds the bytes, which were read back and found to be ``sha256``; ``copying_to`` is where a copy may have
    arrived that nobody has read back yet; ``stale_key`` holds bytes that are to go. What is kept is always at ``key``,
    or on the card. ``storage`` is the file's own: the folder may have moved on to another place since.

    A destination is needed while somebody may decide on what lies there, or while a file is on its way; one that its
    bucket does not let go on is no reason to keep a key.
    """

    holds_destination = Holding(
        rows=Q(gone_at=None) & (Q(area=FolderArea.NEEDS_REVIEW, unwanted_at=None) | Q(is_settled=False, code="")),
        board="folder__board",
        named="files in the work folder",
    )

    folder = models.ForeignKey(WorkFolder, on_delete=models.CASCADE, related_name="files")
    storage = models.CharField(max_length=10, choices=[(one.value, one.value) for one in FolderStorage])
    destination = models.ForeignKey(Destination, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    area = models.CharField(max_length=20, choices=_AREAS)
    path = models.CharField(max_length=1100, help_text="Below its folder, unique within the work folder.")
    key = models.CharField(max_length=1100, blank=True, editable=False)
    copying_to = models.CharField(max_length=1100, blank=True, editable=False)
    stale_key = models.CharField(max_length=1100, blank=True, editable=False)
    stale_etag = models.CharField(max_length=200, blank=True, editable=False)
    etag = models.CharField(max_length=200, blank=True, editable=False)
    name = models.CharField(max_length=255)
    media_type = models.CharField(max_length=100)
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    card = models.ForeignKey(Card, on_delete=models.CASCADE, null=True, blank=True, related_name="folder_files")
    review = models.ForeignKey(Review, on_delete=models.CASCADE, null=True, blank=True, related_name="folder_files")
    result = models.ForeignKey(Result, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    file = models.ForeignKey(CardFile, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    has_room = models.BooleanField(default=False, editable=False, help_text="Counted as stored in the workspace.")
    unwanted_at = models.DateTimeField(null=True, blank=True, editable=False)
    gone_at = models.DateTimeField(null=True, blank=True, editable=False)
    is_settled = models.BooleanField(default=False, help_text="It is where it should be; nothing is left to do.")
    code = models.CharField(max_length=60, blank=True, help_text="What stood against the last step.")
    tries = models.PositiveSmallIntegerField(default=0, editable=False)
    try_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["folder", "path"], condition=Q(gone_at__isnull=True), name="folder_file_path_once"
            )
        ]
        indexes = [
            models.Index(fields=["folder", "area", "-id"], name="folder_file_by_area"),
            models.Index(fields=["try_at"], condition=Q(is_settled=False), name="folder_file_unsettled"),
            models.Index(fields=["id"], condition=Q(is_settled=True, code__in=STANDS_STILL), name="folder_file_still"),
        ]

    def __str__(self) -> str:
        return self.path


class FolderStep(OnceCall):
    """One thing done to a file in its storage, or to the folder itself where there is no file. ``key`` is what it
    touches.

    A step that nobody answered stays unknown; the one after it looks before it does anything.
    """

    folder = models.ForeignKey(WorkFolder, on_delete=models.CASCADE, related_name="steps")
    file = models.ForeignKey(FolderFile, on_delete=models.CASCADE, null=True, blank=True, related_name="steps")
    phase = models.CharField(max_length=10, choices=[(phase.value, phase.value) for phase in Phase])
    from_area = models.CharField(max_length=20, blank=True, choices=_AREAS)
    to_area = models.CharField(max_length=20, blank=True, choices=_AREAS)
    key = models.CharField(max_length=1100, blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["file"], condition=Q(state__in=OPEN, file__isnull=False), name="folder_step_one_per_file"
            ),
            models.UniqueConstraint(
                fields=["folder"], condition=Q(state__in=OPEN, file__isnull=True), name="folder_step_one_per_folder"
            ),
        ]
        indexes = [models.Index(fields=["state", "id"], condition=Q(state__in=OPEN), name="folder_step_open")]

    def __str__(self) -> str:
        return f"{self.phase} step"
