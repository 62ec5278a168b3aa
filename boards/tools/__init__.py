"""The tools of this app."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Tool
from boards.tools.boards import LIST_BOARDS, MANAGE_BOARD_GUIDELINES
from boards.tools.cards import LIST_CARDS, REORDER_CARD
from boards.tools.comments import ADD_COMMENT
from boards.tools.files import LIST_CARD_FILES
from boards.tools.stages import MANAGE_STAGES
from workspaces.caller import Caller

TOOLS: tuple[Tool[Caller], ...] = (
    LIST_BOARDS,
    LIST_CARDS,
    ADD_COMMENT,
    REORDER_CARD,
    MANAGE_STAGES,
    LIST_CARD_FILES,
    MANAGE_BOARD_GUIDELINES,
)
