"""What the demo prints at the end, in plain text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bakedbrie.lib.money import show_usd

RULE = "-" * 72
WORDS = {
    "waiting": "waits",
    "queued": "waits for a worker",
    "sending": "is writing",
    "cancel_requested": "is being stopped",
    "done": "is finished, the card moves on",
}


def card_report(card: dict[str, Any]) -> Iterator[str]:
    """Tell the result, the timeline, and what the turns used and cost."""
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
    yield from _usage(card["turns"])


def review_report(review: dict[str, Any], base_url: str, *, decides: bool) -> Iterator[str]:
    """Tell what waits for a decision and what an approval leads to, and who decides."""
    yield ""
    yield f"Review    {base_url}/reviews/{review['id']}/"
    yield "Nothing was delivered yet. An approval leads to this:"
    yield from (f"    {sentence}" for sentence in review["sentences"])
    if decides:
        yield f"Nobody is here to decide, so the demo approves as its owner exactly this: {review['intent_hash'][:16]}…"
    else:
        yield "Sign in with the link below, open the review and press Approve. `make demo` shows the receipt later."


def delivery_report(delivery: dict[str, Any], folder: Path | None) -> Iterator[str]:
    """Tell the receipt of a delivery, and where its files lie on this machine."""
    yield ""
    yield f"Delivered to {delivery['destination']}: {delivery['state']} {delivery['code']}".rstrip()
    for file in delivery["files"]:
        yield f"    {file['path']}"
        yield f"    {file['bytes']} bytes, sha256 {file['sha256'][:16]}…, answered {file['http_status']}"
        if folder is not None and file["state"] == "done":
            yield f"    on disk: {folder / file['path']}"


def _usage(turns: list[dict[str, Any]]) -> Iterator[str]:
    """Sum up every turn of the card; what one of them used may not be known."""
    if not turns:
        return
    tokens = f"{_sum(turns, 'input_tokens')} tokens in, {_sum(turns, 'output_tokens')} out"
    times = "" if len(turns) == 1 else f" in {len(turns)} turns"
    costs = [turn["cost_micros"] for turn in turns]
    cost = "unknown: no price is known for this model" if None in costs else show_usd(sum(costs))
    yield f"Used      {tokens}{times}; cost {cost}"


def _sum(turns: list[dict[str, Any]], name: str) -> str:
    counts = [turn[name] for turn in turns]
    known = f"{sum(count for count in counts if count is not None):,}"
    if all(count is None for count in counts):
        return "unknown"
    return known if None not in counts else f"at least {known}"


def at_work(turn: Mapping[str, Any]) -> str:
    """Say who is at work and at what."""
    doing = WORDS.get(turn["state"], f"has ended ({turn['state']})")
    return f"{turn['agent']} {doing}"


def failure_report(card: dict[str, Any]) -> Iterator[str]:
    """Tell why the card was not finished, and what to do about it."""
    if not card["turns"]:
        yield "The agent was not put to work."
        return
    turn = card["turns"][0]
    code = turn["code"] or turn["reason"] or turn["state"]
    yield f"Not done  {code}: {turn['message'] or 'The agent did not end in time; run the demo again.'}"


def connection_report(base_url: str, token: str, sign_in_path: str, board_path: str) -> Iterator[str]:
    """Tell where the web app is and how an assistant connects, ready to paste; the token is the demo's own."""
    mcp = f"{base_url}/mcp"
    cursor = {"mcpServers": {"bakedbrie": {"url": mcp, "headers": {"Authorization": f"Bearer {token}"}}}}
    yield RULE
    yield f"Web       {base_url}{board_path}"
    yield f"Sign in   {base_url}{sign_in_path}   (works once, within an hour)"
    yield ""
    yield "Connect an assistant (this token may do everything you may; keep it to yourself)."
    yield ""
    yield "Claude Code, in a shell:"
    yield ""
    yield f'claude mcp add --transport http bakedbrie {mcp} --header "Authorization: Bearer {token}"'
    yield ""
    yield "Codex, in the shell that starts it:"
    yield ""
    yield f"export BAKEDBRIE_TOKEN={token}"
    yield ""
    yield "and in ~/.codex/config.toml:"
    yield ""
    yield "[mcp_servers.bakedbrie]"
    yield f'url = "{mcp}"'
    yield 'bearer_token_env_var = "BAKEDBRIE_TOKEN"'
    yield ""
    yield "Cursor, in .cursor/mcp.json:"
    yield ""
    yield from json.dumps(cursor, indent=2).splitlines()
    yield RULE


def stopped_report() -> Iterator[str]:
    """Tell how to look at the board after a demo that ends by itself."""
    yield RULE
    yield "BakedBrie stops now; board and card are kept. `make demo` starts it again on them, and prints a link to sign"
    yield "in with and the lines that connect an assistant."
    yield RULE
