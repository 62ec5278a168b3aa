"""Addresses of one file of a hosted work folder that need no session and no token, for a few minutes."""

from __future__ import annotations

from django.conf import settings
from django.core import signing

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from boards.services.file_links import LIFETIME, FileLink
from reviews.access import get_hosted_file
from reviews.models import FolderFile
from workspaces.access import caller_from_subject
from workspaces.caller import Caller
from workspaces.refusals import LINK_EXPIRED

PATH = "/downloads/folders/"
_SALT = "reviews.folder-file-link"


def make_link(caller: Caller, *, file: FolderFile) -> FileLink:
    """Return an address for a file that came from `reviews.access`. It is signed, and names its maker."""
    signed = signing.dumps([str(file.pk), str(caller.subject)], salt=_SALT)
    return FileLink(url=f"{settings.APP_URL}{PATH}{signed}/", expires_at=clock.now() + LIFETIME)


def open_link(signed: str) -> FolderFile:
    """Return the file while its maker may still open it.

    Expired, made up, removed and not to be opened any more answer alike.
    """
    try:
        file_id, subject = signing.loads(signed, salt=_SALT, max_age=LIFETIME)
        return get_hosted_file(caller_from_subject(subject), file_id)
    except (signing.BadSignature, Refused):
        raise LINK_EXPIRED(
            "This download link has expired, or its file is not there any more.", fix="Make a new link."
        ) from None
