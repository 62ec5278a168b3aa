"""Every decision a person makes, and the folder a board's files wait in."""

from __future__ import annotations

from reviews.models.folder_file import FolderFile, FolderStep
from reviews.models.review import Decision, Review, ReviewFile
from reviews.models.work_folder import WorkFolder

__all__ = ["Decision", "FolderFile", "FolderStep", "Review", "ReviewFile", "WorkFolder"]
