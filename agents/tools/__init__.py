"""What this app offers to MCP and REST."""

from __future__ import annotations

from agents.tools.agents import CREATE_AGENT_DRAFT, PUBLISH_AGENT
from agents.tools.ai_accounts import BIND_AI_ACCOUNT, CHECK_AI_ACCOUNT, CONNECT_AI_ACCOUNT, LIST_AI_ACCOUNTS
from bakedbrie.lib.toolkit.tool import Tool
from workspaces.caller import Caller

TOOLS: tuple[Tool[Caller], ...] = (
    CREATE_AGENT_DRAFT,
    PUBLISH_AGENT,
    LIST_AI_ACCOUNTS,
    CONNECT_AI_ACCOUNT,
    BIND_AI_ACCOUNT,
    CHECK_AI_ACCOUNT,
)
