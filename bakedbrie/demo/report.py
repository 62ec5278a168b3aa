"""What the demo prints at the end, in plain text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

RULE = "-" * 72


def card_report(card: dict[str, Any]) -> Iterator[str]:
    """Tell the result, the timeline, and what the newest turn used and cost."""
    yield RULE
    yield f"Card      {card['title']}"
    result = card["result"]
    if result:
        yield f"Result    sha256 {result['sha256'][:16]}…"
        yield ""
        yield from (f"    {line}" for line in result["markdown"].splitlines())
    yield ""
    yield "Timeline"
    for event in reversed(card["history"]["events"]):
        yield f"    {event['created_at'][11:19]}  {event['text']}"
    yield ""
    if card["turns"]:
        yield _usage(card["turns"][0])


def _usage(turn: dict[str, Any]) -> str:
    tokens = f"{_count(turn['input_tokens'])} tokens in, {_count(turn['output_tokens'])} out"
    cost = turn["cost"] or "unknown: no price is known for this model"
    return f"Used      {tokens}; cost {cost}"


def _count(tokens: int | None) -> str:
    return "unknown" if tokens is None else f"{tokens:,}"


def connection_report(base_url: str, token: str, sign_in_path: str, board_path: str) -> Iterator[str]:
    """Tell where the web app is and how an assistant connects; the token is the demo's own."""
    mcp = f"{base_url}/mcp"
    cursor = {"mcpServers": {"bakedbrie": {"url": mcp, "headers": {"Authorization": f"Bearer {token}"}}}}
    yield RULE
    yield f"Web       {base_url}{board_path}"
    yield f"Sign in   {base_url}{sign_in_path}   (works once, within an hour)"
    yield ""
    yield "Connect an assistant (this token may do everything you may; keep it to yourself):"
    yield ""
    yield "  Claude Code"
    yield f'    claude mcp add --transport http bakedbrie {mcp} --header "Authorization: Bearer {token}"'
    yield ""
    yield "  Codex (~/.codex/config.toml, with BAKEDBRIE_TOKEN in the environment)"
    yield f"    export BAKEDBRIE_TOKEN={token}"
    yield "    [mcp_servers.bakedbrie]"
    yield f'    url = "{mcp}"'
    yield '    bearer_token_env_var = "BAKEDBRIE_TOKEN"'
    yield ""
    yield "  Cursor (.cursor/mcp.json)"
    yield from (f"    {line}" for line in json.dumps(cursor, indent=2).splitlines())
    yield RULE
