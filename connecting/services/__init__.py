"""What changes rows."""

from __future__ import annotations
