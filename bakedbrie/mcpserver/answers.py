"""Reshapes the door's answers into MCP results; what they say was decided and wrapped behind the door."""

from __future__ import annotations

import json

import mcp_types as types

from bakedbrie.mcpserver.door import Answer

STRUCTURED_UP_TO = 4096  # characters
_BROKEN = '{"error":{"code":"INTERNAL_ERROR","message":"Something went wrong on our side."}}'


def tools_result(answer: Answer) -> types.ListToolsResult:
    """Return the tools that the door listed for this token."""
    listed = json.loads(answer.body)["tools"]
    return types.ListToolsResult(tools=[types.Tool.model_validate(tool, by_name=True) for tool in listed])


def call_result(answer: Answer) -> types.CallToolResult:
    """Return success or refusal as JSON text, and as structured content too while it is small.

    A large one travels once: clients that hand both to their model would fill its context with the same list twice.
    """
    is_json = answer.headers.get("content-type", "").startswith("application/json")
    text = answer.body.decode() if is_json else _BROKEN
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(
        content=content,
        structured_content=json.loads(text) if len(text) <= STRUCTURED_UP_TO else None,
        is_error=answer.status >= 400 or not is_json,
    )
