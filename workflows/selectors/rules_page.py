"""The rules of a board for their page: what each is doing, what it came to, and what is to be done about it."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from agents.models import Agent, AiAccount, Turn
from agents.selectors import agents_of, trouble_of
from agents.states import AgentState
from bakedbrie.lib import once
from bakedbrie.lib.paging import PageInput, page
from boards.access import is_manager
from boards.models import Board, Stage
from workflows.models import Rule, RuleDraft, RuleRun
from workflows.selectors.boards import can_write
from workflows.selectors.starts import Payers
from workflows.states import RuleState
from workspaces.caller import Caller

_PARTS = (
    *("from_stage", "to_stage", "agent__published"),
    *("draft__from_stage", "draft__agent__published", "draft__to_stage"),
)


@dataclass(frozen=True, kw_only=True)
class NextStep:
    """What a person does next about a rule; ``at`` says where: edit, publish, agent, accounts, settings or card."""

    text: str
    at: str = ""


@dataclass(frozen=True, kw_only=True)
class RuleLine:
    """``change`` is a draft that differs from the rule; ``last`` is the newest of its turns that is over.

    ``trouble`` is why the account that pays cannot be used now, as a code.
    """

    rule: Rule
    change: RuleDraft | None
    waiting: int
    working: int
    payer: AiAccount | None
    trouble: str
    last: Turn | None
    next_step: NextStep

    @property
    def agent(self) -> Agent:
        """The agent that the next step is about: the one it will have."""
        return self.change.agent if self.change else self.rule.agent


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """What a first rule needs: an agent, one that is published, and an account that pays for it."""

    has_agent: bool
    is_published: bool
    has_payer: bool


@dataclass(frozen=True, kw_only=True)
class RulesPage:
    """``beginning`` is looked at while the board has no rule."""

    lines: tuple[RuleLine, ...]
    next_cursor: str | None
    may_manage: bool
    beginning: Beginning | None


def rules_page(caller: Caller, board: Board, given: PageInput) -> RulesPage:
    """Read one page of a board's rules, in the order of their start columns, in a constant number of queries."""
    rows = Rule.objects.filter(board=board).select_related(*_PARTS)
    found = page(rows, cursor=given.cursor, limit=given.limit, order=("from_stage__position", "id"))
    payers = Payers(board)
    counts, last = _counts(found.items), _last_turns(found.items)
    lines = tuple(_line(caller, rule, payers=payers, counts=counts, last=last.get(rule.pk)) for rule in found.items)
    is_first_page = given.cursor is None
    return RulesPage(
        lines=lines,
        next_cursor=found.next_cursor,
        may_manage=board.archived_at is None and can_write(caller) and is_manager(caller, board),
        beginning=_beginning(board, payers) if is_first_page and not lines else None,
    )


@dataclass(frozen=True, kw_only=True)
class RuleChoices:
    """What a rule can be made of: ``taken`` names the agent that works already in a start column."""

    starts: tuple[Stage, ...]
    taken: dict[uuid.UUID, str]
    agents: tuple[Agent, ...]
    targets: tuple[Stage, ...]


def rule_choices(board: Board, rule: Rule | None = None) -> RuleChoices:
    """Return the columns and agents of a board for a new rule, or for a change of this one: three queries."""
    stages = tuple(Stage.objects.filter(board=board).order_by("position"))
    others = Rule.objects.select_related("agent").filter(board=board, state=RuleState.PUBLISHED, to_stage__isnull=False)
    return RuleChoices(
        starts=tuple(stage for stage in stages if not stage.is_done),
        taken={other.from_stage_id: other.agent.name for other in others if rule is None or other.pk != rule.pk},
        agents=tuple(agents_of(board).exclude(state=AgentState.RETIRED)),
        targets=stages,
    )


def waiting_for(rule: Rule) -> tuple[int, int]:
    """Return how many cards wait for the rule, and how many its agent works on."""
    counts = _counts([rule])
    return counts[rule.pk, True], counts[rule.pk, False]


def at_work_on(board: Board) -> tuple[int, int]:
    """Return how many cards of a board wait for an agent, and how many are worked on."""
    open_turns = Turn.objects.filter(card__board=board, finished_at__isnull=True)
    waiting = open_turns.filter(state__in=once.UNSENT).count()
    return waiting, open_turns.exclude(state__in=once.UNSENT).count()


def _counts(rules: Iterable[Rule]) -> Counter[tuple[uuid.UUID, bool]]:
    """Count the open turns of each rule: those that wait, under True, and those that were sent."""
    turns = Turn.objects.filter(finished_at__isnull=True, rule_run__rule__in=list(rules))
    counts: Counter[tuple[uuid.UUID, bool]] = Counter()
    for rule_id, state in turns.values_list("rule_run__rule", "state"):
        counts[rule_id, state in once.UNSENT] += 1
    return counts


def _last_turns(rules: Sequence[Rule]) -> dict[uuid.UUID, Turn]:
    newest = RuleRun.objects.filter(rule=OuterRef("pk"), turn__finished_at__isnull=False).order_by("-pk").values("turn")
    ids = dict(
        Rule.objects.filter(pk__in=[rule.pk for rule in rules])
        .annotate(newest=Subquery(newest[:1]))
        .values_list("pk", "newest")
    )
    turns = {turn.pk: turn for turn in Turn.objects.select_related("card").filter(pk__in=filter(None, ids.values()))}
    return {rule_id: turns[turn_id] for rule_id, turn_id in ids.items() if turn_id in turns}


def _line(
    caller: Caller,
    rule: Rule,
    *,
    payers: Payers,
    counts: Counter[tuple[uuid.UUID, bool]],
    last: Turn | None,
) -> RuleLine:
    change = _change_of(rule)
    agent = change.agent if change else rule.agent
    payer = payers.of(agent)
    trouble = trouble_of(payer, caller.workspace) if payer else ""
    return RuleLine(
        rule=rule,
        change=change,
        waiting=counts[rule.pk, True],
        working=counts[rule.pk, False],
        payer=payer,
        trouble=trouble,
        last=last,
        next_step=_next_step(caller, rule, change, has_payer=payer is not None, trouble=trouble),
    )


def _change_of(rule: Rule) -> RuleDraft | None:
    draft: RuleDraft | None = getattr(rule, "draft", None)
    if draft is None:
        return None
    return None if _parts(draft) == _parts(rule) else draft


def _parts(rule: Rule | RuleDraft) -> tuple[object, ...]:
    return (rule.from_stage_id, rule.agent_id, rule.to_stage_id, rule.review, rule.on_approval)


def _next_step(caller: Caller, rule: Rule, change: RuleDraft | None, *, has_payer: bool, trouble: str) -> NextStep:
    agent = change.agent if change else rule.agent
    steps = [
        (rule.to_stage_id is None and change is None, "Its next column was deleted: choose another one.", "edit"),
        (agent.state == AgentState.RETIRED, f"{agent.name} is retired: choose another agent.", "edit"),
        (agent.published_id is None, f"Publish {agent.name}: an agent that is a draft does nothing.", "agent"),
        (rule.state == RuleState.DRAFT, "Publish the rule: a draft does nothing.", "publish"),
        (change is not None, "Publish the change: until then the rule works as before.", "publish"),
        (rule.state == RuleState.PAUSED, "Publish it again when cards are to be worked on.", "publish"),
        (
            caller.workspace.dispatch_paused,
            "Work is paused in this workspace: cards wait until it is resumed.",
            "settings",
        ),
        (agent.state == AgentState.PAUSED, f"Resume {agent.name}: cards wait while it is paused.", "agent"),
        (agent.needs_publish, f"Publish {agent.name} again: an account was bound to it.", "agent"),
        (not has_payer, f"Bind an AI account that pays for {agent.name}: cards wait until then.", "accounts"),
        (
            bool(trouble),
            "Mend the AI account that pays: it cannot be used, and no other one is used instead.",
            "accounts",
        ),
        (bool(rule.last_error), "Look at the card that stopped, then run it again or move it by hand.", "card"),
    ]
    told = (NextStep(text=text, at=at) for holds, text, at in steps if holds)
    return next(told, NextStep(text=f"Nothing. It starts when a card enters “{rule.from_stage}”."))


def _beginning(board: Board, payers: Payers) -> Beginning:
    agents = [agent for agent in agents_of(board) if agent.state != AgentState.RETIRED]
    published = [agent for agent in agents if agent.published_id is not None]
    return Beginning(
        has_agent=bool(agents),
        is_published=bool(published),
        has_payer=any(payers.of(agent) is not None for agent in published) or payers.of_the_board is not None,
    )
