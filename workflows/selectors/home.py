"""The first page: what needs somebody, boards with what goes on in each, and what is missing at the beginning."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from django.db.models import Case, Count, Exists, IntegerField, OuterRef, QuerySet, Value, When

from agents.models import AiAccount, AiBinding
from agents.selectors import broken_accounts
from agents.states import AccountState
from boards.access import boards_of
from boards.models import Board, Card
from boards.selectors.members import joined_lately
from boards.states import Badge
from reviews.selectors.reviews import open_reviews_of
from workflows.models import Rule
from workflows.states import RuleState, StandingStill
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Member
from workspaces.roles import Role, is_at_least

NEWCOMERS_SHOWN = 5
NEEDS_SHOWN = 50
ARCHIVED_SHOWN = 100
UNCLEAR = ("AI_OUTCOME_UNKNOWN", "UNKNOWN")  # it left, and nobody knows what came of it
PAUSED = "DISPATCH_PAUSED"
STEPS = ("account", "board", "card")
_NEEDS = (Badge.BLOCKED, Badge.WAITING, Badge.IN_REVIEW)
_ON_ITS_WAY = "DELIVERING"  # the reason of a card that is being delivered
_IN_LINE = "QUEUED"  # the reason of a card whose agent starts by itself
_ORDER = (Badge.BLOCKED, Badge.WAITING, Badge.WORKING, Badge.IN_REVIEW, Badge.IDLE, Badge.DONE)


class Risk(IntEnum):
    """What comes first: what may have happened outside, what stops many cards, what failed, what waits."""

    UNCLEAR = 0
    STOPPED = 1
    FAILED = 2
    WAITING = 3


@dataclass(frozen=True, kw_only=True)
class Need:
    """Something that needs somebody: a card, an account, a rule, or the whole workspace where none of these is there.

    ``code`` is its one reason. ``cards`` counts the cards that a pause of the workspace holds.
    """

    risk: Risk
    code: str
    since: datetime | None
    card: Card | None = None
    account: AiAccount | None = None
    rule: Rule | None = None
    cards: int = 0
    review_id: uuid.UUID | None = None


@dataclass(frozen=True, kw_only=True)
class BoardLine:
    """A board and how many of its cards show each badge; what needs somebody comes first, empty counts are left out."""

    board: Board
    counts: dict[Badge, int]


@dataclass(frozen=True, kw_only=True)
class FirstSteps:
    """What a workspace needs before an agent can work in it; each is true once it is there."""

    has_account: bool
    account: AiAccount | None
    """One that is connected and pays for nothing yet."""
    has_board: bool
    has_card: bool
    skipped: frozenset[str] = frozenset()
    """Those of `STEPS` that the person put off."""

    @property
    def open(self) -> tuple[str, ...]:
        """Return what is still to do, put off or not."""
        is_done = (self.has_account, self.has_board, self.has_card)
        return tuple(step for step, done in zip(STEPS, is_done, strict=True) if not done)

    @property
    def is_over(self) -> bool:
        return not self.open

    @property
    def is_put_off(self) -> bool:
        return self.skipped.issuperset(self.open)


@dataclass(frozen=True, kw_only=True)
class HomePage:
    """``needs`` are sorted by risk, then by age; ``needs_total`` counts all of them. ``archived`` are the first of
    ``archived_total`` boards in the archive."""

    needs: tuple[Need, ...]
    needs_total: int
    boards: tuple[BoardLine, ...]
    archived: tuple[Board, ...]
    archived_total: int
    first_steps: FirstSteps
    newcomers: tuple[Member, ...] = ()
    """Who joined lately and opens no board yet, for those who may let them into any."""


def home_page(caller: Caller) -> HomePage:
    """Read everything about the boards of the caller in as many queries for many as for one."""
    boards = list(boards_of(caller).filter(archived_at__isnull=True).order_by("name", "pk"))
    cards = Card.objects.filter(board__in=boards, stage__isnull=False)
    counts: dict[uuid.UUID, dict[str, int]] = {}
    for board_id, badge, count in cards.values_list("board", "badge").annotate(count=Count("pk")).order_by():
        counts.setdefault(board_id, {})[badge] = count
    standing = cards.filter(badge__in=_NEEDS).exclude(badge_reason__in=[_IN_LINE, _ON_ITS_WAY])
    stopped = _stopped(caller, standing, boards)
    if caller.workspace.dispatch_paused:
        standing = standing.exclude(badge_reason=PAUSED)
    archive = boards_of(caller).filter(archived_at__isnull=False)
    return HomePage(
        needs=_sorted([*stopped, *_cards_in_need(standing)])[:NEEDS_SHOWN],
        needs_total=len(stopped) + standing.count(),
        boards=tuple(BoardLine(board=board, counts=_in_order(counts.get(board.pk, {}))) for board in boards),
        archived=tuple(archive.order_by("name", "pk")[:ARCHIVED_SHOWN]),
        archived_total=archive.count(),
        first_steps=_first_steps(caller, has_board=bool(boards), has_card=bool(counts)),
        newcomers=_newcomers(caller) if boards else (),
    )


def _newcomers(caller: Caller) -> tuple[Member, ...]:
    if not is_at_least(caller.role, Role.ADMIN):
        return ()
    return tuple(joined_lately(caller)[:NEWCOMERS_SHOWN])


def _cards_in_need(standing: QuerySet[Card]) -> list[Need]:
    """Return the cards with the greatest risk, and of these the ones that have stood still longest."""
    risk = Case(
        When(badge_reason__in=UNCLEAR, then=Value(Risk.UNCLEAR)),
        When(badge=Badge.BLOCKED, then=Value(Risk.FAILED)),
        default=Value(Risk.WAITING),
        output_field=IntegerField(),
    )
    cards = standing.annotate(risk=risk).select_related("board", "stage", "owner")
    found = list(cards.order_by("risk", "badge_since", "pk")[:NEEDS_SHOWN])
    reviews = open_reviews_of(found)
    return [
        Need(
            risk=Risk(card.risk),
            code=card.badge_reason,
            since=card.badge_since,
            card=card,
            review_id=reviews.get(card.pk),
        )
        for card in found
    ]


def _stopped(caller: Caller, standing: QuerySet[Card], boards: list[Board]) -> list[Need]:
    """Return what keeps more than one card from being worked on."""
    accounts = [
        Need(risk=Risk.STOPPED, code=account.code or account.state.upper(), since=account.checked_at, account=account)
        for account in broken_accounts(caller)
    ]
    rules = Rule.objects.filter(board__in=boards, state=RuleState.PUBLISHED, to_stage__isnull=True)
    stuck = [
        Need(risk=Risk.STOPPED, code=StandingStill.STAGE_GONE, since=rule.last_error_at, rule=rule)
        for rule in rules.select_related("board", "from_stage", "agent").order_by("pk")[:NEEDS_SHOWN]
    ]
    return [*_pause(caller, standing), *accounts, *stuck]


def _pause(caller: Caller, standing: QuerySet[Card]) -> list[Need]:
    if not caller.workspace.dispatch_paused:
        return []
    entry = AuditEntry.objects.filter(workspace=caller.workspace, verb="dispatch.paused").order_by("-pk").first()
    held = standing.filter(badge_reason=PAUSED).count()
    return [Need(risk=Risk.STOPPED, code=PAUSED, since=entry.created_at if entry else None, cards=held)]


def _sorted(needs: list[Need]) -> tuple[Need, ...]:
    """What has no instant goes behind what has one."""
    return tuple(sorted(needs, key=lambda need: (need.risk, need.since is None, need.since and need.since.timestamp())))


def _first_steps(caller: Caller, *, has_board: bool, has_card: bool) -> FirstSteps:
    pays = Exists(AiBinding.objects.filter(account=OuterRef("pk")))
    ready = AiAccount.objects.filter(workspace=caller.workspace, state=AccountState.READY).annotate(pays=pays)
    first = ready.order_by("-pays", "pk").first()
    has_account = first is not None and first.pays
    return FirstSteps(
        has_account=has_account,
        account=None if has_account else first,
        has_board=has_board,
        has_card=has_card,
        skipped=frozenset(caller.member.skipped_steps.split()),
    )


def _in_order(counts: dict[str, int]) -> dict[Badge, int]:
    return {badge: counts[badge] for badge in _ORDER if badge in counts}
