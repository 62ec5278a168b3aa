"""What a card shows, and the kinds of event its history is made of."""

from __future__ import annotations

from enum import StrEnum


class Badge(StrEnum):
    """What is going on with a card; never a column (B006)."""

    IDLE = "idle"
    WAITING = "waiting"
    WORKING = "working"
    BLOCKED = "blocked"
    IN_REVIEW = "in_review"
    DONE = "done"


class StageRole(StrEnum):
    """The first column receives new cards, Done holds finished ones; people add the others between them."""

    FIRST = "first"
    MIDDLE = "middle"
    DONE = "done"


class FileOrigin(StrEnum):
    UPLOAD = "upload"
    MADE = "made"


class EventKind(StrEnum):
    """One value per sentence of a card's or a board's history."""

    BOARD_CREATED = "board_created"
    BOARD_CHANGED = "board_changed"
    BOARD_ARCHIVED = "board_archived"
    BOARD_RESTORED = "board_restored"
    MEMBER_ADDED = "member_added"
    MEMBER_CHANGED = "member_changed"
    MEMBER_REMOVED = "member_removed"
    STAGE_ADDED = "stage_added"
    STAGE_RENAMED = "stage_renamed"
    STAGES_REORDERED = "stages_reordered"
    STAGE_DELETED = "stage_deleted"
    CARD_CREATED = "card_created"
    CARD_EDITED = "card_edited"
    CARD_MOVED = "card_moved"
    CARD_TRASHED = "card_trashed"
    CARD_RESTORED = "card_restored"
    COMMENT_ADDED = "comment_added"
    FILE_ADDED = "file_added"
    FILE_REMOVED = "file_removed"
    ROUND_STARTED = "round_started"
    TURN_QUEUED = "turn_queued"
    TURN_WAITING = "turn_waiting"
    TURN_STARTED = "turn_started"
    TURN_ENDED = "turn_ended"
    TURN_STOPPED = "turn_stopped"
    RESULT_KEPT = "result_kept"
    CARD_BLOCKED = "card_blocked"
    AGENT_CHANGED = "agent_changed"
    RULE_CHANGED = "rule_changed"
    REVIEW_OPENED = "review_opened"
    REVIEW_DECIDED = "review_decided"
    REVIEW_CANCELED = "review_canceled"
    APPROVAL_ASKED = "approval_asked"
    APPROVAL_ANSWERED = "approval_answered"
    DELIVERY_QUEUED = "delivery_queued"
    DELIVERED = "delivered"
    DELIVERY_FAILED = "delivery_failed"
    FOLDER_FILE_TAKEN = "folder_file_taken"
