"""The one door for HTTP to the outside: checked addresses, one deadline, a capped answer, honest errors."""

from __future__ import annotations
