"""Every tool there is, and which of them a token is shown."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import agents.tools
import boards.tools
import reviews.tools
import workflows.tools
import workspaces.tools
from bakedbrie.api import read_docs, whoami
from bakedbrie.lib.toolkit.schema import input_schema
from bakedbrie.lib.toolkit.tool import Effect, Tool
from workspaces.caller import Caller
from workspaces.states import Preset

REQUEST_ID = "request_id"


def _checked(*tools: Tool[Caller]) -> dict[str, Tool[Caller]]:
    """Names differ by more than case: some clients fold them."""
    twice = [name for name, count in Counter(tool.name.lower() for tool in tools).items() if count > 1]
    if twice:
        raise ValueError(f"Tools defined twice: {', '.join(sorted(twice))}.")
    return {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}


TOOLS: dict[str, Tool[Caller]] = _checked(
    whoami.TOOL,
    read_docs.TOOL,
    *workspaces.tools.TOOLS,
    *boards.tools.TOOLS,
    *agents.tools.TOOLS,
    *reviews.tools.TOOLS,
    *workflows.tools.TOOLS,
)


def tools_for(caller: Caller) -> list[Tool[Caller]]:
    """Return what this token is shown: it depends on nothing but the token and the workspace's capabilities.

    The ten base tools are always there (W051), the others while all their capabilities are on (W052). A read_only
    token is spared what only writes; what it calls all the same is refused by the door. A runner token sees what
    serves the runner.
    """
    shown = [tool for tool in TOOLS.values() if caller.capabilities.issuperset(tool.capabilities)]
    if caller.preset is Preset.RUNNER:
        return [tool for tool in shown if tool.serves_runner]
    if caller.preset is Preset.READ_ONLY:
        return [tool for tool in shown if tool.is_base or tool.only_reads or tool.reads]
    return shown


@cache
def described(name: str) -> dict[str, Any]:
    """Return one tool as MCP and REST list it."""
    tool = TOOLS[name]
    schema = input_schema(tool.input)
    request_id: dict[str, Any] = {"type": "string", "maxLength": 100}
    if not tool.only_reads:
        request_id["description"] = "Repeating the same call with the same id is safe."
    schema["properties"] = {**schema["properties"], REQUEST_ID: request_id}
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema,
        "annotations": {
            "readOnlyHint": tool.only_reads,
            "destructiveHint": tool.is_destructive,
            "idempotentHint": tool.only_reads,
            "openWorldHint": tool.effect is Effect.SEND,
        },
    }
