"""The tools of this app."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Tool
from workspaces.caller import Caller

TOOLS: tuple[Tool[Caller], ...] = ()
