"""list_card_files."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_card
from boards.inputs import CardIn
from boards.selectors.cards import files_of
from boards.serializers import CardFileSerializer
from workspaces.caller import Caller


def list_card_files(caller: Caller, given: CardIn) -> Answer:
    card = get_card(caller, given.card_id)
    return {"card_id": str(card.pk), "files": show_rows(CardFileSerializer(), files_of(caller, card))}


LIST_CARD_FILES = Tool[Caller](
    name="list_card_files",
    title="List the files of a card",
    description=(
        "Lists the files on a card: id, name, media type (read from the bytes), size, sha256 and whether somebody "
        "uploaded it or it was made here. get_output gives what is in one."
    ),
    input=CardIn,
    handler=list_card_files,
    effect=Effect.READ,
    capabilities=("media",),
)
