"""What this app offers to MCP and REST."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Tool
from reviews.tools.folders import SET_WORK_FOLDER
from workspaces.caller import Caller

TOOLS: tuple[Tool[Caller], ...] = (SET_WORK_FOLDER,)
