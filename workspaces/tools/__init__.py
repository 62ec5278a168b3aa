"""The tools of this app."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Tool
from workspaces.caller import Caller
from workspaces.tools import dispatch, secrets

TOOLS: tuple[Tool[Caller], ...] = (*secrets.TOOLS, *dispatch.TOOLS)
