"""Addresses of one file that need no session and no token, for a few minutes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from boards.access import get_file
from boards.models import CardFile
from workspaces.access import caller_from_subject
from workspaces.caller import Caller
from workspaces.refusals import LINK_EXPIRED

PATH = "/downloads/"
LIFETIME = timedelta(minutes=5)
_SALT = "boards.file-link"


@dataclass(frozen=True, kw_only=True)
class FileLink:
    url: str
    expires_at: datetime


def make_link(caller: Caller, *, file: CardFile) -> FileLink:
    """Return an address for a file that came from `boards.access`. It is signed, and names its maker."""
    signed = signing.dumps([str(file.pk), str(caller.subject)], salt=_SALT)
    return FileLink(url=f"{settings.APP_URL}{PATH}{signed}/", expires_at=clock.now() + LIFETIME)


def open_link(signed: str) -> CardFile:
    """Return the file while its maker may still open it.

    Expired, made up, removed and not to be opened any more answer alike.
    """
    try:
        file_id, subject = signing.loads(signed, salt=_SALT, max_age=LIFETIME)
        caller = caller_from_subject(subject)
        return get_file(caller, file_id)
    except (signing.BadSignature, Refused):
        raise LINK_EXPIRED(
            "This download link has expired, or its file is not there any more.",
            fix="Make a new link, or download the file from its card.",
        ) from None
