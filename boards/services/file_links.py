"""Addresses of one file or result that need no session and no token, for a few minutes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from boards.access import get_file, get_result
from boards.contents import Content, file_content, result_content
from boards.models import CardFile, Result
from workspaces.access import caller_from_subject
from workspaces.caller import Caller
from workspaces.refusals import LINK_EXPIRED

PATH = "/downloads/"
LIFETIME = timedelta(minutes=5)
_SALT = "boards.file-link"
_RESULT = "result"


@dataclass(frozen=True, kw_only=True)
class FileLink:
    url: str
    expires_at: datetime


def make_link(caller: Caller, *, file: CardFile | Result) -> FileLink:
    """Return an address for a file or result that came from `boards.access`. It is signed, and names its maker."""
    kind = [_RESULT] if isinstance(file, Result) else []
    signed = signing.dumps([str(file.pk), str(caller.subject), *kind], salt=_SALT)
    return FileLink(url=f"{settings.APP_URL}{PATH}{signed}/", expires_at=clock.now() + LIFETIME)


def open_link(signed: str) -> Content:
    """Return what it is while its maker may still open it.

    Expired, made up, removed and not to be opened any more answer alike.
    """
    try:
        made_id, subject, *kind = signing.loads(signed, salt=_SALT, max_age=LIFETIME)
        caller = caller_from_subject(subject)
        if kind == [_RESULT]:
            result = get_result(caller, made_id)
            return result_content(result.card, result)
        return file_content(get_file(caller, made_id))
    except (signing.BadSignature, Refused):
        raise LINK_EXPIRED(
            "This download link has expired, or its file is not there any more.",
            fix="Make a new link, or download the file from its card.",
        ) from None
