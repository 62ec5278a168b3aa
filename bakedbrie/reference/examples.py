"""What the page of tools says beside the catalogue: whom a tool serves, and one call that works."""

from __future__ import annotations

from typing import Any

from bakedbrie.lib.toolkit.tool import Effect, Tool
from workspaces.caller import Caller

BOARD = "0195f3a0-1b0a-7000-8000-000000000001"
STAGE = "0195f3a0-1b0a-7000-8000-000000000002"
NEXT_STAGE = "0195f3a0-1b0a-7000-8000-000000000003"
CARD = "0195f3a0-1b0a-7000-8000-000000000004"
OTHER_CARD = "0195f3a0-1b0a-7000-8000-000000000005"
AGENT = "0195f3a0-1b0a-7000-8000-000000000006"
RULE = "0195f3a0-1b0a-7000-8000-000000000007"
TURN = "0195f3a0-1b0a-7000-8000-000000000008"
ACCOUNT = "0195f3a0-1b0a-7000-8000-000000000009"
DESTINATION = "0195f3a0-1b0a-7000-8000-00000000000c"
DELIVERY = "0195f3a0-1b0a-7000-8000-00000000000d"
DROP = "0195f3a0-1b0a-7000-8000-00000000000a"
SETUP = "0195f3a0-1b0a-7000-8000-00000000000b"
MEMBER = "0195f3a0-1b0a-7000-8000-00000000000b"
OUTPUT = "0195f3a0-1b0a-7000-8000-00000000000e"
REVIEW = "0195f3a0-1b0a-7000-8000-0000000000ff"

EXAMPLES: dict[str, dict[str, Any]] = {
    "add_comment": {"card_id": CARD, "text": "The customer called: Friday is fine."},
    "author_workflow_draft": {
        "board_id": BOARD,
        "from_stage_id": STAGE,
        "agent_id": AGENT,
        "to_stage_id": NEXT_STAGE,
    },
    "bind_ai_account": {"account_id": ACCOUNT, "scope": "board", "scope_id": BOARD, "monthly_cap_usd": "20"},
    "check_ai_account": {"account_id": ACCOUNT},
    "connect_ai_account": {
        "kind": "api_key",
        "provider": "anthropic",
        "label": "Our Anthropic key",
        "credential": {"drop_id": DROP},
    },
    "create_agent_draft": {
        "board_id": BOARD,
        "name": "Update writer",
        "instructions": "Write what changed for customers, in three sentences.",
        "permissions": {"read_files": "allowed"},
    },
    "create_board": {"name": "Product updates"},
    "create_card": {"board_id": BOARD, "title": "Faster exports", "brief": "Tell customers what is better now."},
    "list_ai_accounts": {},
    "list_boards": {},
    "list_card_files": {"card_id": CARD},
    "list_cards": {"board_id": BOARD, "state": "blocked"},
    "decide_review": {
        "review_id": REVIEW,
        "intent_hash": "the hash that get_review answered",
        "decision": "request_changes",
        "note": "Say what it costs.",
    },
    "get_output": {"output_id": OUTPUT, "as": "source"},
    "get_review": {"review_id": REVIEW},
    "list_results": {"board_id": BOARD},
    "list_reviews": {"board_id": BOARD},
    "list_triggers": {"board_id": BOARD},
    "manage_agent": {"action": "pause", "agent_id": AGENT},
    "manage_destination": {
        "action": "set_default",
        "destination_id": DESTINATION,
        "board_id": BOARD,
        "confirm": True,
    },
    "manage_board_guidelines": {"action": "set", "board_id": BOARD, "text": "Write for people who are in a hurry."},
    "manage_stages": {"action": "add", "board_id": BOARD, "name": "Ready to send"},
    "manage_turn": {"action": "run_again", "turn_id": TURN, "confirm": True},
    "move_card": {"card_id": CARD, "stage_id": NEXT_STAGE, "preview_hash": "the hash that preview_move answered"},
    "pause_workspace_dispatch": {"reason": "The price list is wrong"},
    "prepare_secret": {"kind": "anthropic", "purpose": "ai_account", "env_var": "ANTHROPIC_API_KEY"},
    "preview_move": {"card_id": CARD, "stage_id": NEXT_STAGE},
    "publish_agent": {"agent_id": AGENT},
    "publish_workflow": {"action": "publish", "rule_id": RULE},
    "read_board": {"board_id": BOARD},
    "read_card": {"card_id": CARD},
    "read_docs": {"query": "who pays for a turn"},
    "redeliver": {"delivery_id": DELIVERY},
    "reorder_card": {"card_id": CARD, "before_card_id": OTHER_CARD},
    "resume_workspace_dispatch": {},
    "set_work_folder": {"board_id": BOARD, "storage": "hosted", "reviewer_id": MEMBER, "confirm": True},
    "setup_board": {
        "name": "Product updates",
        "columns": ["Write", "Check"],
        "agents": [{"name": "Update writer", "instructions": "Write what changed for customers, in three sentences."}],
        "rules": [{"from_column": "Write", "agent": "Update writer", "to_column": "Check"}],
    },
    "undo_setup": {"setup_id": SETUP},
    "whoami": {},
}

# What the other addresses take, by their operationId in the OpenAPI document.
REST_EXAMPLES: dict[str, dict[str, Any]] = {
    "patch_boards_board_id": {"expected_revision": 1, "name": "Product updates"},
    "put_boards_board_id_work_folder": {"storage": "hosted", "confirm": True},
    "patch_cards_card_id": {"expected_revision": 2, "brief": "Tell customers what is better now."},
    "post_approvals_approval_id_answer": {"answer": "once", "input_hash": "5f2b" * 16},
    "post_reviews_review_id_decision": {
        "intent_hash": "5f2b" * 16,
        "decision": "request_changes",
        "note": "Name the price of each.",
    },
    "post_boards_board_id_members": {"member_id": MEMBER, "is_manager": False},
    "patch_boards_board_id_members_member_id": {"is_manager": True},
}

MANAGERS = "managers of the board"
ADMINS = "owners and admins"
MEMBERS = "members, admins and owners"
EVERYBODY = "everybody, with every token but a runner's"

# Whom a tool serves, where that does not follow from its effect.
SERVES: dict[str, str] = {
    "author_workflow_draft": MANAGERS,
    "bind_ai_account": f"{ADMINS}; for a board or an agent {MANAGERS}; a cap: {ADMINS} and whoever added the account",
    "create_agent_draft": MANAGERS,
    "manage_agent": f"reading: {EVERYBODY}; the rest: {MANAGERS}",
    "manage_board_guidelines": f"reading: {EVERYBODY}; writing: {MEMBERS}",
    "manage_destination": f"reading: {EVERYBODY}; connecting, checking: whoever manages a board; naming it for a board "
    f"or card: {MANAGERS}; changing it: {ADMINS} and whoever connected it",
    "manage_stages": f"list: {EVERYBODY}; delete: {MANAGERS}; the rest: {MEMBERS}",
    "manage_turn": f"read: {EVERYBODY}; the rest: {MEMBERS}",
    "pause_workspace_dispatch": ADMINS,
    "publish_agent": MANAGERS,
    "publish_workflow": MANAGERS,
    "resume_workspace_dispatch": ADMINS,
    "set_work_folder": MANAGERS,
    "undo_setup": f"whoever made it, while a member, and {MANAGERS}",
    "whoami": "everybody, with every token",
}


def serves(tool: Tool[Caller]) -> str:
    return SERVES.get(tool.name) or (EVERYBODY if tool.effect is Effect.READ else MEMBERS)
