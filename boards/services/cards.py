"""Cards: add, edit, and what their badge shows."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from bakedbrie.lib import clock, live
from bakedbrie.lib.refusals import NOT_FOUND, REVISION_CONFLICT
from boards.access import get_owner, lock_card
from boards.models import Board, Card, Stage
from boards.services import placing
from boards.services.events import record_event
from boards.states import Badge, EventKind
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.models import Actor


@transaction.atomic
def add_card(
    caller: Caller, *, board: Board, stage: Stage, title: str, brief: str = "", owner: Actor | None = None
) -> Card:
    """Add a card at the end of a column. Nothing starts here: that is `workflows.services.cards.create_card`."""
    require_writer(caller)
    stage = placing.lock_stage(stage)
    if stage.board_id != board.pk:
        raise NOT_FOUND()
    card = Card.objects.create(
        board=stage.board,
        stage=stage,
        title=title,
        brief=brief,
        owner=get_owner(caller, board, owner.pk) if owner else caller.actor,
        created_by=caller.actor,
    )
    placing.add_to_end(card, stage)
    record_event(stage.board, EventKind.CARD_CREATED, actor=caller.actor, card=card, stage=str(stage.pk))
    return card


@transaction.atomic
def edit_card(
    caller: Caller,
    *,
    card: Card,
    expected_revision: int | None,
    title: str | None = None,
    brief: str | None = None,
    owner: Actor | None = None,
) -> Card:
    """Change what is given, unless somebody changed the card since ``expected_revision``."""
    require_writer(caller)
    card = lock_card(card)
    if expected_revision is not None and expected_revision != card.revision:
        raise REVISION_CONFLICT(current_revision=card.revision)
    given = {"title": title, "brief": brief, "owner": get_owner(caller, card.board, owner.pk) if owner else None}
    changed = [field for field, value in given.items() if value is not None and value != getattr(card, field)]
    if not changed:
        return card
    for field in changed:
        setattr(card, field, given[field])
    card.revision += 1
    card.save(update_fields=[*changed, "revision", "updated_at"])
    record_event(card.board, EventKind.CARD_EDITED, actor=caller.actor, card=card, fields=changed)
    return card


def count_change(card: Card) -> None:
    """Count a new comment or a changed file as a change of a locked card."""
    card.revision += 1
    card.save(update_fields=["revision", "updated_at"])


def set_badge(card: Card, badge: Badge, reason: str = "") -> None:
    """Show what is going on with a card. Since when counts from the last real change."""
    now = clock.now()
    is_other = ~Q(badge=badge) | ~Q(badge_reason=reason)
    changed = Card.objects.filter(is_other, pk=card.pk).update(
        badge=badge, badge_reason=reason, badge_since=now, updated_at=now
    )
    if changed:
        card.badge_since = now
        live.hint(card.board_id, "card_badge", card.pk)
    card.badge, card.badge_reason = badge, reason
