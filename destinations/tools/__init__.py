"""What this app offers to MCP and REST. Managing destinations reaches other apps: it is in `workflows.tools`."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Tool
from destinations.tools.deliveries import REDELIVER
from workspaces.caller import Caller

TOOLS: tuple[Tool[Caller], ...] = (REDELIVER,)
