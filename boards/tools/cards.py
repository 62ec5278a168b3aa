"""list_cards and reorder_card."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_card
from boards.inputs import ListCardsIn, ReorderCardIn
from boards.selectors.cards import list_cards
from boards.serializers import CardRowSerializer
from boards.services.placing import reorder_card
from workspaces.caller import Caller


def list_cards_tool(caller: Caller, given: ListCardsIn) -> Answer:
    found = list_cards(caller, given)
    return {"cards": show_rows(CardRowSerializer(), found.items), "next_cursor": found.next_cursor}


def reorder_card_tool(caller: Caller, given: ReorderCardIn) -> Answer:
    card = get_card(caller, given.card_id)
    before = get_card(caller, given.before_card_id) if given.before_card_id else None
    after = get_card(caller, given.after_card_id) if given.after_card_id else None
    card = reorder_card(caller, card=card, before=before, after=after)
    return {"card": CardRowSerializer(card).data}


LIST_CARDS = Tool[Caller](
    name="list_cards",
    title="List cards",
    description=(
        "Lists cards, newest first, with owner and state (what the card's badge shows). Narrow it with board_id, "
        "stage_id, owner or state; with stage_id the cards come in the order of that column. Without a board or a "
        "column it covers every board that is not archived. in_trash lists what is in the trash instead. Use read_card "
        "for the brief and everything else. Give next_cursor back as cursor for the next page; a card that is moved "
        "while you read a column page by page may come twice or not at all."
    ),
    input=ListCardsIn,
    handler=list_cards_tool,
    effect=Effect.READ,
    is_base=True,
)
REORDER_CARD = Tool[Caller](
    name="reorder_card",
    title="Reorder a card",
    description=(
        "Puts a card directly before or after another card of the same column; nothing starts. To change the column, "
        "use preview_move and move_card."
    ),
    input=ReorderCardIn,
    handler=reorder_card_tool,
    effect=Effect.WRITE,
    is_base=True,
)
