"""A secret that is made once and kept in a file for its owner's eyes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from bakedbrie.embedded.trouble import Trouble


def kept_secret(path: Path, make: Callable[[], str]) -> str:
    """Return what ``path`` holds; make and keep it first where there is nothing yet."""
    if not path.exists():
        keep_secret(path, make())
    try:
        secret = path.read_text().strip()
    except OSError as error:
        raise Trouble(f"{path} cannot be read: {error.strerror}.") from None
    if not secret:
        raise Trouble(f"{path} is empty. Put the key back from a backup: without it, sealed secrets stay shut.")
    return secret


def keep_secret(path: Path, secret: str) -> None:
    """Write it whole or not at all: a crash in the middle must not leave half a key."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.unlink(missing_ok=True)  # a file that is there keeps the owner and the rights it has
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secret + "\n")
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(path)
