"""What a person has to have seen before something may go to a place: the target, and the board or card."""

from __future__ import annotations

from agents.refusals import CONFIRMATION_NEEDED
from boards.models import Board, Card
from destinations.models import Destination
from destinations.rules import target_text


def require_confirmed(
    confirm: bool | None,
    *,
    config: dict[str, object],
    board: Board | None = None,
    card: Card | None = None,
    what: str = "Every later delivery there needs no question any more.",
    name: str = "delivers_there",
) -> None:
    """Refuse CONFIRMATION_NEEDED, naming target and board, unless the user has agreed."""
    if confirm:
        return
    seen = {"target": target_text(config)}
    if board is not None:
        seen["board"] = board.name
    if card is not None:
        seen["card"] = card.title
    raise CONFIRMATION_NEEDED(
        f"The user has to see where it goes and agree. {what}",
        fix="Show the user 'target' and the board or card named beside it; if they agree, repeat with confirm: true.",
        confirm=[name],
        untrusted_data=seen,
    )


def require_confirmed_off(confirm: bool | None, destination: Destination, *, boards: int, cards: int) -> None:
    """Refuse CONFIRMATION_NEEDED, counting what would be cleared, unless the user has agreed."""
    require_confirmed(
        confirm,
        config=destination.config,
        what=f"It is turned off for good and its key is destroyed; {boards} boards and {cards} cards go there no more.",
        name="turns_off_for_good",
    )
