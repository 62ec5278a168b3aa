"""The log files of the parts: their last line, and no file that grows for ever."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bakedbrie.env import WrongSettings

LIMIT_BYTES = 10_000_000
TAIL_BYTES = 4_000


def last_line(path: Path) -> str:
    """Return the last line that holds anything, or nothing."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def wrong_settings_in(path: Path) -> str:
    """Return what a command said that stopped at its settings, with every one that is wrong; else nothing."""
    text = path.read_text(errors="replace").strip()
    return text if text.startswith(WrongSettings.HEAD) else ""


def put_aside(folder: Path) -> None:
    """Copy each long log to a file with ``.1`` behind its name, and empty it.

    Everybody appends, so the file itself stays and nobody must open it again; lines of that very moment may be lost.
    """
    for path in folder.glob("*.log"):
        if path.stat().st_size > LIMIT_BYTES:
            shutil.copyfile(path, path.with_name(f"{path.name}.1"))
            os.truncate(path, 0)
