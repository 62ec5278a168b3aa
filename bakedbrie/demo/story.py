"""The demo's story, told to the public API: account, board, agent, rule, and a card that goes to work.

Each step looks for what an earlier run left and uses it, so that a second run doubles nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bakedbrie.demo.account import DemoAccount
from bakedbrie.demo.bucket import DemoBucket
from bakedbrie.demo.client import ApiClient

FILES = Path(__file__).parent / "files"
BOARD = "Product updates"
AGENT = "Update writer"
DESTINATION = "Finished work"
CARD = "Tell customers about faster invoice exports"
INSTRUCTIONS = "Summarize in two short sentences what changed for customers, what is better now and what is still open."
ENDED = frozenset({"done", "refused", "failed", "unknown", "canceled"})


def ensure_account(client: ApiClient, account: DemoAccount) -> str:
    """Return the id of the demo's AI account, connected through a secret drop the first time."""
    for known in client.tool("list_ai_accounts")["ai_accounts"]:
        if known["label"] == account.label and not known["trouble"]:
            return str(known["id"])
    drop = client.tool("prepare_secret", kind=account.provider, purpose="ai_account", env_var="DEMO_MODEL_KEY")
    client.send("POST", f"/api/v1/drops/{drop['drop_id']}", account.key.encode().hex().encode(), "text/plain")
    connected = client.tool(
        "connect_ai_account",
        kind="api_key",
        provider=account.provider,
        label=account.label,
        credential={"drop_id": drop["drop_id"]},
        **account.settings,
    )
    return str(connected["ai_account"]["id"])


def ensure_board(client: ApiClient) -> dict[str, Any]:
    """Return the demo's board as read_board tells it."""
    boards = client.tool("list_boards")["boards"]
    found = next((board["id"] for board in boards if board["name"] == BOARD), None)
    board_id = found or client.tool("create_board", name=BOARD)["board"]["id"]
    board: dict[str, Any] = client.tool("read_board", board_id=board_id)["board"]
    return board


def ensure_agent(client: ApiClient, board: dict[str, Any], *, delivers: bool = False) -> str:
    """Return the id of a published agent with the demo's instructions, which reads files and, if told so, delivers."""
    permissions = {"read_files": "allowed", "deliver": "allowed" if delivers else "off"}
    found = next((agent["id"] for agent in board["agents"] if agent["name"] == AGENT), None)
    if found:
        agent = client.tool("manage_agent", action="read", agent_id=found)["agent"]
        live = agent["published"]
        is_same = live and live["instructions"] == INSTRUCTIONS and permissions.items() <= live["permissions"].items()
        if is_same and not agent["needs_publish"]:
            return str(found)
    draft = client.tool(
        "create_agent_draft",
        board_id=board["id"],
        **({"agent_id": found} if found else {"name": AGENT}),
        instructions=INSTRUCTIONS,
        permissions=permissions,
    )
    agent_id = draft["agent"]["id"]
    client.tool("publish_agent", agent_id=agent_id, confirm_outward=delivers)
    return str(agent_id)


def ensure_destination(client: ApiClient, bucket: DemoBucket, board: dict[str, Any]) -> str:
    """Let finished cards of the board go to the demo's bucket, connected the first time; return its id."""
    known = client.tool("manage_destination", action="list")["destinations"]
    ours = [one for one in known if one["name"] == DESTINATION and one["state"] != "off"]
    for one in ours:
        if one["config"]["endpoint"] == bucket.endpoint:
            client.tool(
                "manage_destination", action="set_default", destination_id=one["id"], board_id=board["id"], confirm=True
            )
            return str(one["id"])
    drop = client.tool("prepare_secret", kind="s3", purpose="destination", env_var="DEMO_BUCKET_KEY")
    client.send("POST", f"/api/v1/drops/{drop['drop_id']}", bucket.secret.encode().hex().encode(), "text/plain")
    created = client.tool(
        "manage_destination",
        action="create",
        type="s3",
        name=DESTINATION,
        config=bucket.config,
        credential={"drop_id": drop["drop_id"]},
        board_id=board["id"],
        confirm=True,
    )
    return str(created["destination"]["id"])


def ensure_work_folder(client: ApiClient, board: dict[str, Any], destination_id: str) -> None:
    """Let what agents make on the board wait in the bucket until somebody decides; once more changes nothing."""
    client.tool("set_work_folder", board_id=board["id"], destination_id=destination_id, confirm=True)


def open_review(client: ApiClient, board_id: str, card_id: str) -> dict[str, Any] | None:
    """Return the review that waits for a decision on the card, as get_review shows it."""
    waiting = client.tool("list_reviews", board_id=board_id, state="open")["reviews"]
    found = next((review["id"] for review in waiting if review["card_id"] == card_id), None)
    shown: dict[str, Any] | None = client.tool("get_review", review_id=found)["review"] if found else None
    return shown


def approve(client: ApiClient, review: dict[str, Any]) -> None:
    """Approve exactly what was shown."""
    client.tool("decide_review", review_id=review["id"], intent_hash=review["intent_hash"], decision="approve")


def wait_for_delivery(client: ApiClient, card_id: str, *, patience_s: float) -> dict[str, Any] | None:
    """Return the card's newest delivery once it has ended, or as it is when patience runs out; None without one."""
    started = time.monotonic()
    while True:
        deliveries = client.send("GET", f"/api/v1/cards/{card_id}/deliveries?limit=1")["deliveries"]
        newest: dict[str, Any] | None = deliveries[0] if deliveries else None
        is_over = newest is None or newest["state"] not in {"pending", "sending"}
        if is_over or time.monotonic() - started > patience_s:
            return newest
        time.sleep(0.5)


def ensure_rule(client: ApiClient, board: dict[str, Any], agent_id: str) -> None:
    """Publish the rule Doing -> agent -> Done, unless it is there."""
    if board["rules"]:
        return
    _, doing, done = (stage["id"] for stage in board["stages"])
    draft = client.tool(
        "author_workflow_draft",
        board_id=board["id"],
        from_stage_id=doing,
        agent_id=agent_id,
        to_stage_id=done,
    )
    client.tool("publish_workflow", rule_id=draft["rule"]["id"], action="publish")


def ensure_card(client: ApiClient, board: dict[str, Any]) -> str:
    """Return the demo's card, created with its brief and files the first time."""
    cards = client.tool("list_cards", board_id=board["id"])["cards"]
    found = next((card["id"] for card in cards if card["title"] == CARD), None)
    if found:
        return str(found)
    brief = (FILES / "brief.md").read_text()
    card_id = client.tool("create_card", board_id=board["id"], title=CARD, brief=brief)["card"]["id"]
    for name in ("feedback.csv", "release-notes.md"):
        client.upload(card_id, FILES / name)
    return str(card_id)


def put_to_work(client: ApiClient, board: dict[str, Any], card_id: str) -> None:
    """Move a new card into the rule's column, or run the agent again where an earlier run failed."""
    card = client.tool("read_card", card_id=card_id)["card"]
    newest = card["turns"][0] if card["turns"] else None
    if newest is None:
        doing = board["stages"][1]["id"]
        preview = client.tool("preview_move", card_id=card_id, stage_id=doing)
        client.tool("move_card", card_id=card_id, stage_id=doing, preview_hash=preview["preview_hash"])
    elif newest["state"] in ENDED - {"done"}:
        client.tool("manage_turn", action="run_again", turn_id=newest["id"], confirm=True)


def was_cut_short(card: dict[str, Any]) -> bool:
    """Whether the newest turn ended because the answer filled the account's room for answers."""
    return bool(card["turns"]) and card["turns"][0]["code"] == "AI_CUT_SHORT"


def wait_for_end(
    client: ApiClient, card_id: str, *, patience_s: float, on_tick: Callable[[float, dict[str, Any]], None]
) -> dict[str, Any]:
    """Read the card until its newest turn ended and the card went on, or patience runs out; return the card."""
    started = time.monotonic()
    while True:
        card: dict[str, Any] = client.tool("read_card", card_id=card_id)["card"]
        turn = card["turns"][0] if card["turns"] else {"state": "queued", "agent": AGENT}
        waited = time.monotonic() - started
        if (turn["state"] in ENDED and turn["finished_at"]) or waited > patience_s:
            return card
        on_tick(waited, turn)
        time.sleep(0.5)
