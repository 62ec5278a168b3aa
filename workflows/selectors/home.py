"""The first page: boards with what goes on in each, and the cards that need somebody."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from agents.models import AiAccount
from agents.selectors import broken_accounts
from boards.access import boards_of
from boards.models import Board, Card
from boards.states import Badge
from workspaces.caller import Caller

NEEDS_SHOWN = 50
_NEEDS = (Badge.BLOCKED, Badge.WAITING)
_IN_LINE = "QUEUED"  # the reason of a card whose agent starts by itself
_ORDER = (Badge.BLOCKED, Badge.WAITING, Badge.WORKING, Badge.IN_REVIEW, Badge.IDLE, Badge.DONE)


@dataclass(frozen=True, kw_only=True)
class BoardLine:
    """A board and how many of its cards show each badge; what needs somebody comes first, empty counts are left out."""

    board: Board
    counts: dict[Badge, int]


@dataclass(frozen=True, kw_only=True)
class HomePage:
    """``needs`` are the cards that have stood still longest, ``needs_total`` counts all of them; ``broken_accounts``
    are to pay and cannot."""

    boards: tuple[BoardLine, ...]
    needs: tuple[Card, ...]
    needs_total: int
    broken_accounts: tuple[AiAccount, ...]


def home_page(caller: Caller) -> HomePage:
    """Read every open board of the caller in five queries, however many there are."""
    boards = list(boards_of(caller).filter(archived_at__isnull=True).order_by("name", "pk"))
    counts: dict[object, dict[str, int]] = {}
    cards = Card.objects.filter(board__in=boards, stage__isnull=False)
    for board_id, badge, count in cards.values_list("board", "badge").annotate(count=Count("pk")).order_by():
        counts.setdefault(board_id, {})[badge] = count
    standing = cards.filter(badge__in=_NEEDS).exclude(badge_reason=_IN_LINE)
    needs = standing.select_related("board", "stage", "owner").order_by("badge_since", "pk")
    return HomePage(
        boards=tuple(BoardLine(board=board, counts=_in_order(counts.get(board.pk, {}))) for board in boards),
        needs=tuple(needs[:NEEDS_SHOWN]),
        needs_total=standing.count(),
        broken_accounts=tuple(broken_accounts(caller)),
    )


def _in_order(counts: dict[str, int]) -> dict[Badge, int]:
    return {badge: counts[badge] for badge in _ORDER if badge in counts}
