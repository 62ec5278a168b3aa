"""One row for each thing a tool does: what the owner gets, and who of the others may do it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tests.api.world import filled, names_in


@dataclass(frozen=True, kw_only=True)
class Row:
    """``arguments`` name ids of the world with a $. ``code`` is what the owner gets: empty for success.

    ``least`` is who may do it, a name in RANK; for what only reads it is everybody who opens the board.
    """

    arguments: dict[str, Any]
    code: str = ""
    least: str = "member"

    @property
    def id_names(self) -> set[str]:
        return names_in(self.arguments)

    def filled(self, ids: dict[str, str]) -> dict[str, Any]:
        arguments: dict[str, Any] = filled(self.arguments, ids)
        return arguments

    def filled_with(self, one: str) -> dict[str, Any]:
        return self.filled(dict.fromkeys(self.id_names, one))


def row(code: str = "", /, **arguments: Any) -> Row:
    return Row(arguments=arguments, code=code)


def for_managers(*rows: Row) -> tuple[Row, ...]:
    return tuple(replace(one, least="manager") for one in rows)


def for_admins(*rows: Row) -> tuple[Row, ...]:
    return tuple(replace(one, least="admin") for one in rows)


ACCOUNT = {"kind": "api_key", "provider": "openai", "label": "Another", "credential": {"drop_id": "$drop"}}
BUCKET = {"endpoint": "https://absent.invalid", "bucket": "cheese", "access_key_id": "AKIA"}
CONNECT = {"action": "create", "type": "s3", "name": "Website", "config": BUCKET, "credential": {"drop_id": "$drop"}}
RULE = {"board_id": "$board", "from_stage_id": "$extra_stage", "agent_id": "$agent", "to_stage_id": "$done"}
ORDER = ["$todo", "$other_stage", "$extra_stage", "$doing", "$done"]

ROWS: dict[str, tuple[Row, ...]] = {
    "add_comment": (row(card_id="$card", text="Hello"),),
    "author_workflow_draft": for_managers(row(**RULE), row(**{**RULE, "from_stage_id": "$doing"}, rule_id="$rule")),
    "bind_ai_account": (
        *for_admins(row(account_id="$account", scope="workspace")),
        *for_managers(
            row(account_id="$account", scope="board", scope_id="$board"),
            row(account_id="$account", scope="agent", scope_id="$agent"),
        ),
    ),
    "check_ai_account": (row(account_id="$account"),),
    "connect_ai_account": (row("AI_PROVIDER_UNREACHABLE", **ACCOUNT, base_url="https://absent.invalid/v1"),),
    "create_agent_draft": for_managers(
        row(board_id="$board", name="New", instructions="Do it."),
        row(board_id="$board", agent_id="$agent", instructions="Do it twice."),
    ),
    "create_board": (row(name="Another board"),),
    "create_card": (
        row(board_id="$board", title="New"),
        row(board_id="$board", stage_id="$todo", owner="$agent_owner", title="New"),
    ),
    "list_ai_accounts": (row(),),
    "list_boards": (row(), row(include_archived=True)),
    "list_card_files": (row(card_id="$card"),),
    "list_cards": (
        row(),
        row(board_id="$board"),
        row(stage_id="$todo"),
        row(board_id="$board", owner="$agent_owner"),
        row(board_id="$board", in_trash=True),
        row(board_id="$board", state="working"),
    ),
    "decide_review": (
        row("PREVIEW_CHANGED", review_id="$review", intent_hash="0" * 64, decision="reject"),
        row(
            "PREVIEW_CHANGED",
            review_id="$review",
            intent_hash="0" * 64,
            decision="request_changes",
            note="Shorter.",
        ),
    ),
    "get_output": (
        row(output_id="$file"),
        row(output_id="$file", **{"as": "source"}),
        row(output_id="$result"),
    ),
    "get_review": (row(review_id="$review"),),
    "list_results": (row(), row(board_id="$board")),
    "list_reviews": (row(), row(board_id="$board", state="open")),
    "list_triggers": (row(board_id="$board"), row()),
    "manage_agent": (
        row(action="list", board_id="$board"),
        row(action="read", agent_id="$agent"),
        row(action="versions", agent_id="$agent"),
        *for_managers(
            row(action="pause", agent_id="$agent"),
            row("AGENT_STATE", action="resume", agent_id="$agent"),
            row("AGENT_IN_USE", action="retire", agent_id="$agent"),
        ),
    ),
    "manage_board_guidelines": (
        row(action="read", board_id="$board"),
        row(action="set", board_id="$board", text="Be brief."),
        row(action="clear", board_id="$board"),
    ),
    "manage_destination": (
        row(action="list"),
        row(action="read", destination_id="$destination"),
        row(action="preview", destination_id="$destination", card_id="$card"),
        *for_managers(
            row("CONFIRMATION_NEEDED", **CONNECT, board_id="$board"),
            row("DESTINATION_UNREACHABLE", action="check", destination_id="$destination"),
            row("CONFIRMATION_NEEDED", action="set_default", destination_id="$destination", board_id="$board"),
            row(action="set_default", destination_id="$destination", board_id="$board", confirm=True),
            row(action="clear_default", board_id="$board"),
            row(action="set_override", destination_id="$destination", card_id="$card", confirm=True),
            row(action="clear_override", card_id="$card"),
        ),
        *for_admins(
            row(action="update", destination_id="$destination", name="Site"),
            row("CONFIRMATION_NEEDED", action="test_call", destination_id="$destination"),
            row("DESTINATION_UNREACHABLE", action="test_call", destination_id="$destination", confirm=True),
            row(action="disable", destination_id="$destination", confirm=True),
        ),
    ),
    "manage_stages": (
        row(action="list", board_id="$board"),
        row(action="add", board_id="$board", name="New"),
        row(action="rename", stage_id="$todo", name="New"),
        row(action="reorder", board_id="$board", stage_ids=ORDER),
        *for_managers(row(action="delete", stage_id="$extra_stage")),
    ),
    "manage_turn": (
        row(action="read", turn_id="$turn"),
        row(action="stop", turn_id="$turn"),
        row("TURN_NOT_ENDED", action="run_again", turn_id="$turn"),
    ),
    "move_card": (
        row("PREVIEW_REQUIRED", card_id="$card", stage_id="$extra_stage"),
        row("PREVIEW_CHANGED", card_id="$card", stage_id="$extra_stage", preview_hash="0" * 64),
    ),
    "pause_workspace_dispatch": for_admins(row()),
    "prepare_secret": (row(kind="openai", purpose="ai_account", env_var="OPENAI_API_KEY"),),
    "preview_move": (row(card_id="$card", stage_id="$extra_stage"),),
    "publish_agent": for_managers(row("NO_DRAFT", agent_id="$agent")),
    "publish_workflow": for_managers(
        row("RULE_STATE", action="publish", rule_id="$rule"),
        row(action="pause", rule_id="$rule"),
    ),
    "redeliver": (row("DELIVERY_RUNNING", delivery_id="$delivery"),),
    "read_board": (row(board_id="$board"),),
    "read_card": (row(card_id="$card"), row(card_id="$trashed_card")),
    "read_docs": (row(),),
    "reorder_card": (
        row(card_id="$card", before_card_id="$second_card"),
        row(card_id="$card", after_card_id="$second_card"),
    ),
    "resume_workspace_dispatch": for_admins(row()),
    "set_work_folder": for_managers(
        row("CONFIRMATION_NEEDED", board_id="$board", inbox="off"),
        row(board_id="$board", inbox="card", reviewer_id="$member", confirm=True),
        row("DESTINATION_DISABLED", board_id="$board", destination_id="$destination"),  # by a row above
    ),
    "setup_board": (
        row(
            name="Whole",
            columns=["Read"],
            agents=[{"name": "Scout", "instructions": "Read it."}],
            rules=[{"from_column": "Read", "agent": "Scout", "to_column": "Done"}],
        ),
    ),
    "undo_setup": for_managers(row("SETUP_IN_USE", setup_id="$setup")),
    "whoami": (row(),),
}
