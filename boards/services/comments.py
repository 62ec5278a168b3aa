"""Comments: added, never edited."""

from __future__ import annotations

from django.db import transaction

from boards.access import lock_card
from boards.models import Card, Comment
from boards.services.cards import count_change
from boards.services.events import record_event
from boards.states import EventKind
from workspaces.access import require_writer
from workspaces.caller import Caller


@transaction.atomic
def add_comment(caller: Caller, *, card: Card, text: str) -> Comment:
    """Add a comment. Viewers cannot."""
    require_writer(caller)
    card = lock_card(card)
    comment = Comment.objects.create(card=card, author=caller.actor, text=text)
    count_change(card)
    record_event(card.board, EventKind.COMMENT_ADDED, actor=caller.actor, card=card, comment=str(comment.pk))
    return comment
