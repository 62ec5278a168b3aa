"""The tools that need more than one app."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Tool
from workflows.tools.agents import MANAGE_AGENT
from workflows.tools.boards import CREATE_BOARD, READ_BOARD
from workflows.tools.cards import CREATE_CARD, READ_CARD
from workflows.tools.deliveries import REDELIVER
from workflows.tools.destinations import MANAGE_DESTINATION
from workflows.tools.moves import MOVE_CARD, PREVIEW_MOVE
from workflows.tools.results import GET_OUTPUT, LIST_RESULTS
from workflows.tools.reviews import DECIDE_REVIEW, GET_REVIEW, LIST_REVIEWS
from workflows.tools.setup import SETUP_BOARD, UNDO_SETUP
from workflows.tools.turns import MANAGE_TURN
from workflows.tools.workflows import AUTHOR_WORKFLOW_DRAFT, LIST_TRIGGERS, PUBLISH_WORKFLOW
from workspaces.caller import Caller

TOOLS: tuple[Tool[Caller], ...] = (
    READ_BOARD,
    CREATE_BOARD,
    READ_CARD,
    CREATE_CARD,
    PREVIEW_MOVE,
    MOVE_CARD,
    MANAGE_TURN,
    LIST_RESULTS,
    GET_OUTPUT,
    LIST_REVIEWS,
    GET_REVIEW,
    DECIDE_REVIEW,
    MANAGE_AGENT,
    MANAGE_DESTINATION,
    REDELIVER,
    AUTHOR_WORKFLOW_DRAFT,
    PUBLISH_WORKFLOW,
    LIST_TRIGGERS,
    SETUP_BOARD,
    UNDO_SETUP,
)
