"""Ready configuration of assistants and programs, to copy: the same lines as in docs/assistants.md."""

from __future__ import annotations

import json
from dataclasses import dataclass

VARIABLE = "BAKEDBRIE_TOKEN"


@dataclass(frozen=True, kw_only=True)
class Setup:
    """``name`` says whose, ``where`` what to do with ``text``."""

    key: str
    name: str
    where: str
    text: str


def setups(site: str, raw: str = "") -> list[Setup]:
    """Return what connects each to ``site``; with ``raw`` the token itself stands where nothing else reads it."""
    mcp = f"{site}/mcp"
    in_shell = raw or f"${VARIABLE}"
    header = f"Authorization: Bearer {in_shell}"
    cursor = {"url": mcp, "headers": {"Authorization": f"Bearer {raw or f'${{env:{VARIABLE}}}'}"}}
    asked = {"type": "promptString", "id": "bakedbrie-token", "description": "BakedBrie token", "password": True}
    code = {"type": "http", "url": mcp, "headers": {"Authorization": "Bearer ${input:bakedbrie-token}"}}
    return [
        Setup(
            key="claude-code",
            name="Claude Code",
            where="Run this once.",
            text=f'claude mcp add --transport http bakedbrie {mcp} --header "{header}"',
        ),
        Setup(
            key="codex",
            name="Codex",
            where=f"In ~/.codex/config.toml, with the token exported as {VARIABLE} in the shell that starts it.",
            text=f'[mcp_servers.bakedbrie]\nurl = "{mcp}"\nbearer_token_env_var = "{VARIABLE}"',
        ),
        Setup(
            key="cursor",
            name="Cursor",
            where="In .cursor/mcp.json.",
            text=json.dumps({"mcpServers": {"bakedbrie": cursor}}),
        ),
        Setup(
            key="vs-code",
            name="VS Code",
            where="In .vscode/mcp.json. VS Code asks for the token once and keeps it out of the file.",
            text=json.dumps({"inputs": [asked], "servers": {"bakedbrie": code}}),
        ),
        Setup(
            key="curl",
            name="curl",
            where="The REST API. The token goes through the standard input, out of sight of the list of processes.",
            text=f"printf 'Authorization: Bearer %s' \"{in_shell}\" | curl -sS -H @- {site}/api/v1/whoami",
        ),
    ]
