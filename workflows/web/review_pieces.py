"""What a review is about, as it will be seen: on its own page, and beside others that are alike."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.core import signing

from bakedbrie.lib import clock
from bakedbrie.lib.web.diff import changed_lines
from boards.contents import Content
from boards.previews import PreviewKind
from boards.services.previews import preview_of
from reviews.models import Review
from workflows.selectors.review_page import ReviewSeen
from workspaces.caller import Caller

_OPENED = "review opened"  # the salt of when a page was opened
_OPEN_AT_MOST = timedelta(days=1)
_SHOWN_ELSEWHERE = frozenset({PreviewKind.PDF, PreviewKind.NONE})


def opened_now(caller: Caller, review: Review) -> str:
    """Return this moment under our signature, for the form of this review to bring back from this member."""
    return signing.dumps([*_whose(caller, review), clock.now().isoformat()], salt=_OPENED)


def opened_at(caller: Caller, review: Review, signed: str) -> datetime | None:
    """Return when the page was opened, as it says under our signature.

    What was tampered with says nothing, nor does a page of another review, of somebody else, or of another day.
    """
    try:
        *whose, moment = signing.loads(signed, salt=_OPENED, max_age=_OPEN_AT_MOST)
        return datetime.fromisoformat(moment) if whose == _whose(caller, review) else None
    except (signing.BadSignature, TypeError, ValueError):
        return None


def _whose(caller: Caller, review: Review) -> list[str]:
    return [str(caller.member.pk), str(review.pk)]


def piece_of(content: Content, caller: Caller) -> dict[str, Any]:
    """Return one thing as it will be seen: a result as its Markdown, a file as its preview."""
    shows_files = content.file is not None and content.file.removed_at is None and "media" in caller.capabilities
    preview = preview_of(content.file) if content.file is not None and shows_files else None
    return {"content": content, "file": content.file if shows_files else None, "preview": preview}


def changes_in(seen: ReviewSeen) -> list[object]:
    """Return the lines of the result that differ from what was reviewed before on this card."""
    now = next((content.result for content in seen.contents if content.result is not None), None)
    if now is None or seen.before is None or seen.before.pk == now.pk:
        return []
    return list(changed_lines(seen.before.markdown, now.markdown))


def is_shown_whole(piece: dict[str, Any]) -> bool:
    """Whether the page shows all of it, and not a beginning, or only a link."""
    preview = piece["preview"]
    if preview is None:
        return piece["content"].result is not None
    return preview.kind not in _SHOWN_ELSEWHERE and not preview.is_cut
