"""Lines for the person at the terminal."""

from __future__ import annotations

import contextlib
import sys


def say(line: str) -> None:
    """Print one line; a terminal that was closed meanwhile must not stop the order of the end."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def report(part: str, what: str) -> None:
    """Print one line about one part."""
    say(f"  {part:<10} {what}")
