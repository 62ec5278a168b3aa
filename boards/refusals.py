"""What this app refuses."""

from __future__ import annotations

from bakedbrie.lib.refusals import Refusal

BOARD_ARCHIVED = Refusal(
    "BOARD_ARCHIVED", 409, "This board is archived.", fix="Restore the board first, or use another one."
)
NOT_BOARD_MANAGER = Refusal(
    "NOT_BOARD_MANAGER",
    403,
    "Only a manager of this board may do this.",
    fix="Ask a board manager, or a workspace owner or admin.",
)
VIEWER_NOT_MANAGER = Refusal(
    "VIEWER_NOT_MANAGER",
    409,
    "A viewer cannot manage a board.",
    fix="Have a workspace owner or admin change their role first, or add them without making them a manager.",
)
STAGE_NOT_EMPTY = Refusal(
    "STAGE_NOT_EMPTY", 409, "This column still holds cards.", fix="Move its cards first, then delete it."
)
STAGE_IN_USE = Refusal(
    "STAGE_IN_USE",
    409,
    "Something starts in this column.",
    fix="Pause and change what 'details' names, then delete the column.",
)
STAGE_PROTECTED = Refusal(
    "STAGE_PROTECTED",
    409,
    "The first column and Done stay.",
    fix="Rename it instead, or delete a column between them.",
)
STAGE_ORDER_INVALID = Refusal(
    "STAGE_ORDER_INVALID",
    400,
    "That is no order of this board's columns.",
    fix="Name every column exactly once, the first column first and Done last.",
)
CARD_BUSY = Refusal(
    "CARD_BUSY", 409, "An agent is at work on this card.", fix="Stop the turn first, or wait until it ends."
)
CARD_TRASHED = Refusal("CARD_TRASHED", 409, "This card is in the trash.", fix="Restore the card first.")
PREVIEW_REQUIRED = Refusal(
    "PREVIEW_REQUIRED",
    400,
    "A move needs the hash of its preview.",
    fix="Call preview_move, show the user what will happen, then pass its preview_hash.",
)
NOT_SAME_STAGE = Refusal(
    "NOT_SAME_STAGE",
    409,
    "Both cards must be in the same column, and be two.",
    fix="Read the column again and name a neighbour that is in it.",
)
FILE_TOO_LARGE = Refusal("FILE_TOO_LARGE", 413, "This file is too large.", fix="Send a smaller file.")
FILE_EMPTY = Refusal("FILE_EMPTY", 400, "This file holds nothing.", fix="Send a file with content.")
TOO_MANY_FILES = Refusal(
    "TOO_MANY_FILES", 409, "This card holds as many files as a card may.", fix="Remove a file first."
)
TOO_MANY_STAGES = Refusal(
    "TOO_MANY_STAGES", 409, "This board has as many columns as a board may.", fix="Delete or rename a column."
)

REFUSALS = (
    BOARD_ARCHIVED,
    NOT_BOARD_MANAGER,
    VIEWER_NOT_MANAGER,
    STAGE_NOT_EMPTY,
    STAGE_IN_USE,
    STAGE_PROTECTED,
    STAGE_ORDER_INVALID,
    CARD_BUSY,
    CARD_TRASHED,
    PREVIEW_REQUIRED,
    NOT_SAME_STAGE,
    FILE_TOO_LARGE,
    FILE_EMPTY,
    TOO_MANY_FILES,
    TOO_MANY_STAGES,
)
