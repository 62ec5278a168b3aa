"""Which files belong into which of the four folders: rows only; their steps do the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import QuerySet

from bakedbrie.lib import clock
from bakedbrie.lib.slugs import card_hash, slug
from boards.contents import Content
from boards.models import Card
from boards.services.files import free_name
from reviews.models import FolderFile, Review, WorkFolder
from reviews.services.folder_steps import go_on
from reviews.states import FolderArea


def place(folder: WorkFolder, *, card: Card, review: Review, contents: Sequence[Content]) -> list[FolderFile]:
    """Put what is reviewed into Needs review/, in the transaction that opens the review, with the card locked."""
    return put(folder, card=card, n=review.n, contents=contents, review=review)


@transaction.atomic(savepoint=False)
def advance(review: Review, area: FolderArea | None) -> None:
    """Let the files of a review go on to another of the four folders, or out of the work folder; the card is locked."""
    send(_of_review(review), area)


@transaction.atomic(savepoint=False)
def approve(review: Review, contents: Iterable[Content]) -> None:
    """Let go on to Approved/ what was decided on, and out of the work folder what is not among it: a file that was
    taken off the card meanwhile. The card is locked."""
    decided = {(content.file.pk if content.file else None, content.sha256) for content in contents}
    files = list(_of_review(review))
    send([file for file in files if (file.file_id, file.sha256) in decided], FolderArea.APPROVED)
    send([file for file in files if (file.file_id, file.sha256) not in decided], None)


def _of_review(review: Review) -> QuerySet[FolderFile]:
    rows = FolderFile.objects.select_for_update(of=("self",), no_key=True)
    files = rows.select_related("folder__board").filter(review=review, gone_at__isnull=True, unwanted_at__isnull=True)
    return files.order_by("pk")


@transaction.atomic(savepoint=False)
def put(
    folder: WorkFolder, *, card: Card, n: int, contents: Sequence[Content], review: Review | None = None
) -> list[FolderFile]:
    """Put what round ``n`` of a card made into Needs review/, each file under a name of its own.

    Runs in the transaction that opens the review, with the card locked.
    """
    live = FolderFile.objects.filter(folder=folder, gone_at__isnull=True)
    taken = {path.casefold() for path in live.values_list("path", flat=True)}
    top = f"{slug(card.title)}-{card_hash(card.pk)}-{n}"
    files = []
    for content in contents:
        path = free_name(f"{top}/{content.name}", taken)
        taken.add(path.casefold())
        file = FolderFile.objects.create(
            folder=folder,
            storage=folder.storage,
            destination=folder.destination,
            area=FolderArea.NEEDS_REVIEW,
            path=path,
            name=content.name,
            media_type=content.media_type,
            bytes=content.bytes,
            sha256=content.sha256,
            card=card,
            review=review,
            result=content.result,
            file=content.file,
        )
        go_on(file)
        files.append(file)
    return files


@transaction.atomic(savepoint=False)
def send(files: Iterable[FolderFile], area: FolderArea | None) -> None:
    """Let files go on to another of the four folders, or out of the work folder. They come locked."""
    for file in files:
        if area is None:
            file.unwanted_at = file.unwanted_at or clock.now()
        else:
            file.area = area
        file.try_at = None
        go_on(file)
