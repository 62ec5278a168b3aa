"""What a question of an agent is about, found again on its card."""

from __future__ import annotations

from agents.models import Approval
from agents.services.approvals import READ_FILES
from boards.contents import Content, round_contents
from boards.models import CardFile


def contents_asked(approval: Approval) -> dict[str, Content]:
    """Return what is there now by its sha256, so that nothing is shown under a hash that it does not have."""
    if approval.area != READ_FILES:
        return {content.sha256: content for content in round_contents(approval.card, approval.turn.iteration)}
    files = CardFile.objects.filter(card=approval.card_id, removed_at__isnull=True).order_by("pk")
    return {file.sha256: _as_it_is(file) for file in files}


def _as_it_is(file: CardFile) -> Content:
    return Content(name=file.name, media_type=file.media_type, bytes=file.bytes, sha256=file.sha256, file=file)
