"""What a review is about, as it will be seen: on its own page, and beside others that are alike."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core import signing

from bakedbrie.lib import clock
from bakedbrie.lib.web.diff import changed_lines
from boards.contents import Content
from boards.previews import PreviewKind
from boards.services.previews import preview_of
from workflows.selectors.review_page import ReviewSeen
from workspaces.caller import Caller

_OPENED = "review opened"  # the salt of when a page was opened
_SHOWN_ELSEWHERE = frozenset({PreviewKind.PDF, PreviewKind.NONE})


def opened_now() -> str:
    """Return this moment under our signature, for a form to bring back."""
    return signing.dumps(clock.now().isoformat(), salt=_OPENED)


def opened_at(signed: str) -> datetime | None:
    """Return when the page was opened, as it says under our signature; what was tampered with says nothing."""
    try:
        return datetime.fromisoformat(signing.loads(signed, salt=_OPENED))
    except (signing.BadSignature, TypeError, ValueError):
        return None


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
