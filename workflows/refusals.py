"""What this app refuses."""

from __future__ import annotations

from bakedbrie.lib.refusals import Refusal

RULE_INVALID = Refusal(
    "RULE_INVALID",
    409,
    "This rule cannot work.",
    fix="Use two different columns of one board, a start column that is not Done, and an agent of the same board.",
)
RULE_LOOP = Refusal(
    "RULE_LOOP",
    409,
    "This round has run as many turns as a round may.",
    fix="Look at the rules that send the card around, then move it by hand.",
)
AGENT_TURNS_SPENT = Refusal(
    "AGENT_TURNS_SPENT",
    409,
    "In this round the agent has worked on the card as often as it may.",
    fix="Look at what it left, then move the card by hand; its max_turns is changed with create_agent_draft.",
)
RULE_STAGE_TAKEN = Refusal(
    "RULE_STAGE_TAKEN",
    409,
    "Another published rule starts in this column.",
    fix="Pause the other rule first, or start in another column.",
)
RULE_STATE = Refusal(
    "RULE_STATE", 409, "The rule is not in a state that allows this.", fix="Read it with list_triggers."
)
STAGE_GONE = Refusal(
    "STAGE_GONE",
    409,
    "The column this rule moves cards to was deleted.",
    fix="Name another column with author_workflow_draft, then publish the rule.",
)
MOVE_INVALID = Refusal(
    "MOVE_INVALID",
    409,
    "A card moves to another column of its own board.",
    fix="Name another column of the card's board; inside a column use reorder_card.",
)

OUTPUT_NEEDS_LINK = Refusal(
    "OUTPUT_NEEDS_LINK",
    409,
    "This output is not given as text: it is none, or too long.",
    fix="Ask for it as link, and download it from there.",
)
SETUP_IN_USE = Refusal(
    "SETUP_IN_USE",
    409,
    "Somebody has put a card on this board, so its setup is not undone.",
    fix="Archive the board instead: everything on it stays readable.",
)

REFUSALS = (
    AGENT_TURNS_SPENT,
    MOVE_INVALID,
    OUTPUT_NEEDS_LINK,
    RULE_INVALID,
    RULE_LOOP,
    RULE_STAGE_TAKEN,
    RULE_STATE,
    SETUP_IN_USE,
    STAGE_GONE,
)
