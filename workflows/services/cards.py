"""New cards, and cards that go into the trash and come back."""

from __future__ import annotations

from django.db import transaction

from agents.models import Turn
from agents.services.open_approvals import close_approvals_of_card
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import lock_board, lock_card_or_trashed
from boards.models import Board, Card, Stage
from boards.refusals import CARD_BUSY, CARD_TRASHED
from boards.services.cards import add_card
from boards.services.trash import put_into_trash, take_from_trash
from boards.states import StageRole
from reviews.services.reviews import cancel_review
from workflows.services.entering import enter_stage
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.models import Actor


@transaction.atomic
def create_card(
    caller: Caller,
    *,
    board: Board,
    stage: Stage | None = None,
    title: str,
    brief: str = "",
    owner: Actor | None = None,
) -> Card:
    """Put a new card into ``stage``, else into the first column, and start what starts there."""
    place = stage or board.stages.filter(role=StageRole.FIRST).first()
    if place is None:  # the board's setup was undone meanwhile
        raise NOT_FOUND()
    card = add_card(caller, board=board, stage=place, title=title, brief=brief, owner=owner)
    enter_stage(caller, card=card)
    return card


@transaction.atomic
def trash_card(caller: Caller, *, card: Card) -> Card:
    """Put a card into the trash, unless a turn holds it; once more changes nothing."""
    require_writer(caller)
    locked = lock_card_or_trashed(card)
    if locked.trashed_at is not None:
        return locked
    if Turn.objects.filter(card=locked, finished_at__isnull=True).exists():
        raise CARD_BUSY()
    cancel_review(caller.actor, card=locked, code=CARD_TRASHED.code)
    close_approvals_of_card(locked)
    return put_into_trash(caller, card=locked)


@transaction.atomic
def restore_card(caller: Caller, *, card: Card) -> Card:
    """Put a card back into its old column, else into the first one, and start what starts there.

    A card that is in no trash stays where it is and nothing starts.
    """
    require_writer(caller)
    lock_board(card.board)
    locked = lock_card_or_trashed(card)
    if locked.trashed_at is None:
        return locked
    restored = take_from_trash(caller, card=locked)
    enter_stage(caller, card=restored)
    return restored
