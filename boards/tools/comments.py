"""add_comment."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from boards.access import get_card
from boards.inputs import AddCommentIn
from boards.serializers import CommentSerializer
from boards.services.comments import add_comment
from workspaces.caller import Caller


def add_comment_tool(caller: Caller, given: AddCommentIn) -> Answer:
    comment = add_comment(caller, card=get_card(caller, given.card_id), text=given.text)
    return {"comment": CommentSerializer(comment).data}


ADD_COMMENT = Tool[Caller](
    name="add_comment",
    title="Add a comment",
    description=(
        "Adds a comment to a card, up to 20,000 characters, in your user's name. Comments are never edited. An agent "
        "that works on the card afterwards reads it. It counts as a change of the card: a preview made before is stale."
    ),
    input=AddCommentIn,
    handler=add_comment_tool,
    effect=Effect.WRITE,
    is_base=True,
)
