"""The embedded install under rough treatment."""

from __future__ import annotations
