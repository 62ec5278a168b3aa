"""What the code of a work folder, or of a file in it, says to people."""

from __future__ import annotations

from collections.abc import Mapping

from destinations.receipts import message_of
from reviews.states import FolderCode

_TEXTS: Mapping[str, str] = {
    FolderCode.ABSENT: "It is not where it was put: somebody took it away.",
    FolderCode.DIFFERS: "Something else lies there now, and it is not written over.",
    FolderCode.NOT_TEXT: "What lies there now is no text.",
    FolderCode.FILE_TOO_LARGE: "It is larger than a file of a card may be.",
    FolderCode.FILE_EMPTY: "It is empty.",
    FolderCode.NAME_UNSAFE: "Its name cannot be used. Give it another one.",
    FolderCode.NAMES_NO_CARD: "It names no card of this board. Put the six characters of a card into its name.",
    FolderCode.MEMBER_REMOVED: "Who set the work folder may not work on this board any more. Have it set again.",
    FolderCode.CONTENT_GONE: "Its bytes are not there any more.",
    FolderCode.OUTCOME_UNKNOWN: "The answer of the service was lost. It is looked at again by itself.",
    FolderCode.STORAGE_UNAVAILABLE: "The storage could not be used. It is tried again by itself.",
    FolderCode.STORAGE_QUOTA_EXCEEDED: "The storage of the workspace is full.",
    "API_UNAVAILABLE": "The service could not be reached.",
    "BUCKET_NOT_FOUND": "There is no such bucket at this address. Correct the destination.",
    "BUCKET_ELSEWHERE": "The bucket is in another region or at another address. Correct the destination.",
    "CAPABILITY_OFF": "Destinations are turned off in this workspace.",
    "DESTINATION_AUTH_FAILED": "The service does not let the destination's key do it. Look at the key.",
    "DESTINATION_DISABLED": "The destination is turned off.",
    "DESTINATION_KEY_UNUSABLE": "The key of the destination cannot be opened. Give it a new one.",
    "RATE_LIMITED": "The service takes no more for the moment.",
}


def folder_message(code: str) -> str:
    """Return the sentence for a code that stands at a folder or a file; empty where none does."""
    return _TEXTS.get(code) or message_of(code)
