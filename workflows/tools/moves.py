"""preview_move and move_card."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from boards.access import get_card, get_stage
from boards.serializers import CardSerializer
from workflows.inputs import MoveCardIn, PreviewMoveIn
from workflows.services import moves
from workspaces.caller import Caller


def preview_move(caller: Caller, given: PreviewMoveIn) -> Answer:
    card, stage = get_card(caller, given.card_id), get_stage(caller, given.stage_id)
    preview = moves.preview_move(caller, card=card, stage=stage)
    return {"consequences": preview.consequences, "preview_hash": preview.preview_hash}


def move_card(caller: Caller, given: MoveCardIn) -> Answer:
    card, stage = get_card(caller, given.card_id), get_stage(caller, given.stage_id)
    moved = moves.move_card(caller, card=card, stage=stage, preview_hash=given.preview_hash)
    return {"card": CardSerializer(moved).data}


PREVIEW_MOVE = Tool[Caller](
    name="preview_move",
    title="Preview a move",
    description=(
        "Says what moving a card to another column would start, without doing it: the rule, the agent and its "
        "version, the AI account that pays, and where the card goes from there by itself. Show the user the "
        "sentences, then give preview_hash to move_card. The hash holds for this token, until the card, a rule, an "
        "agent or a payer on the way changes."
    ),
    input=PreviewMoveIn,
    handler=preview_move,
    effect=Effect.READ,
    is_base=True,
)
MOVE_CARD = Tool[Caller](
    name="move_card",
    title="Move a card",
    description=(
        "Moves a card to another column of its board and starts what preview_move showed. Call preview_move first and "
        "pass its preview_hash; with PREVIEW_CHANGED nothing was moved: preview again and show the user what changed. "
        "CARD_BUSY means that an agent is at work: stop it with manage_turn first."
    ),
    input=MoveCardIn,
    handler=move_card,
    effect=Effect.WRITE,
    is_base=True,
)
