"""docs/tools.md, from the catalogue of tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bakedbrie.api.catalog import REQUEST_ID, TOOLS, described
from bakedbrie.lib.toolkit.tool import Effect, Tool
from bakedbrie.reference.examples import EXAMPLES, serves
from workspaces.caller import Caller

HEAD = """# Tools

Every tool, by name. `manage.py render_docs` writes this page from the catalogue; do not edit it by hand. An assistant
calls a tool over MCP, a program with `POST /api/v1/tools/{name}` and the arguments as JSON (see [REST](rest.md)).

Every tool also takes `request_id`: a write or a send that is repeated with the same id and the same arguments happens
once. A tool is listed while its capabilities are on; a tool that is off answers `CAPABILITY_OFF`. Cards, boards and
what belongs to them open for members of the board, and for owners and admins of the workspace; anything else answers
`NOT_FOUND`. A read_only token does what reads and nothing else. What the codes mean: [Refusals](refusals.md).
"""

WORDS = {"string": "text", "integer": "whole number", "boolean": "true or false"}
MOST_OF_AN_ID = 64
EFFECTS = {
    Effect.READ: "reads",
    Effect.WRITE: "writes",
    Effect.SEND: "sends something outside while the caller waits",
}


def render_tools() -> str:
    return "\n".join([HEAD, *(line for name in sorted(TOOLS) for line in _section(TOOLS[name]))]).rstrip() + "\n"


def _section(tool: Tool[Caller]) -> Iterator[str]:
    yield f"## {tool.name}"
    yield ""
    yield f"{tool.title}. {tool.description}"
    yield ""
    yield f"- Effect: {_effect(tool)}."
    yield f"- Capabilities: {', '.join(f'`{name}`' for name in tool.capabilities) or 'none, always listed'}."
    yield f"- For: {serves(tool)}."
    yield ""
    yield from _arguments(described(tool.name)["inputSchema"])
    yield "```"
    yield f"POST /api/v1/tools/{tool.name}"
    yield json.dumps(EXAMPLES[tool.name], ensure_ascii=False)
    yield "```"
    yield ""


def _effect(tool: Tool[Caller]) -> str:
    effect = EFFECTS[tool.effect]
    if tool.reads:
        effect += f"; only reads with {', '.join(f'`{action}`' for action in sorted(tool.reads))}"
    return effect + ("; it may take something away for good" if tool.is_destructive else "")


def _arguments(schema: dict[str, Any]) -> Iterator[str]:
    properties = {name: node for name, node in schema["properties"].items() if name != REQUEST_ID}
    if not properties:
        yield "It takes no arguments."
        yield ""
        return
    yield "| argument | type | |"
    yield "|---|---|---|"
    needed = schema.get("required", [])
    for name, node in properties.items():
        yield f"| `{name}` | {_type(node)} | {_about(node, is_needed=name in needed)} |"
    yield ""


def _type(node: dict[str, Any]) -> str:
    if "enum" in node:
        return ", ".join(f"`{choice}`" for choice in node["enum"])
    if node.get("type") == "array":
        return f"list of {_type(node['items'])}"
    if node.get("type") == "object":
        return "object with " + ", ".join(f"`{name}`" for name in node.get("properties", {}))
    return WORDS[node["type"]]


def _about(node: dict[str, Any], *, is_needed: bool) -> str:
    words = ["Needed."] if is_needed else []
    if node.get("description"):
        words.append(node["description"].replace("|", "\\|"))
    if limits := _limits(node):
        words.append(f"{limits[0].upper()}{limits[1:]}.")
    return " ".join(words)


def _limits(node: dict[str, Any]) -> str:
    low, high = node.get("minimum"), node.get("maximum")
    if low is not None and high is not None:
        return f"from {low:,} to {high:,}"
    if low is not None:
        return f"at least {low:,}"
    longest = node.get("maxLength")
    return f"at most {longest:,} characters" if longest and longest > MOST_OF_AN_ID else ""
