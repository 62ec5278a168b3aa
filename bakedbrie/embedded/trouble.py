"""What stops the embedded install: one plain sentence for the person at the terminal."""

from __future__ import annotations


class Trouble(Exception):
    """Shown as it is, without a traceback."""
