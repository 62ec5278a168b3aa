"""The only code of this app that talks to the outside."""

from __future__ import annotations
