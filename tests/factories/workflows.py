"""Rules, and a line: a board on which an agent works on every card that enters Doing."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from agents.access import get_agent
from agents.calls.hosted import run_turn
from agents.models import Agent, AiAccount, Turn
from agents.services.agents import publish_agent, write_draft
from agents.services.bindings import bind_account
from agents.states import BindingScope
from boards.access import get_card
from boards.models import Board, Card, Stage
from boards.services.members import add_board_member, remove_board_member
from boards.services.stages import add_stage
from boards.states import StageRole
from tests.factories.agents import make_account, make_agent
from tests.factories.boards import make_board, make_card, stage_of
from tests.support.fake_provider import FakeProvider
from workflows.models import Rule
from workflows.services.moves import move_card, preview_move
from workflows.services.rules import publish_rule, write_rule_draft
from workspaces.caller import Caller


def make_rule(
    caller: Caller, board: Board, *, from_stage: Stage, agent: Agent, to_stage: Stage, is_published: bool = True
) -> Rule:
    rule = write_rule_draft(caller, board=board, from_stage=from_stage, agent=agent, to_stage=to_stage)
    return publish_rule(caller, rule=rule).rule if is_published else rule


@dataclass(kw_only=True)
class Line:
    """To do, Doing with an agent in it, Done; a card in To do, and an account that pays unless told otherwise."""

    caller: Caller
    board: Board
    todo: Stage
    doing: Stage
    done: Stage
    agent: Agent
    rule: Rule
    card: Card
    account: AiAccount | None
    provider: FakeProvider

    def fresh_card(self) -> Card:
        return get_card(self.caller, self.card.pk)

    def start(self, caller: Caller | None = None) -> Turn:
        """Move the card into Doing and return the turn that holds it."""
        card, by = self.fresh_card(), caller or self.caller
        preview = preview_move(by, card=card, stage=self.doing)
        move_card(by, card=card, stage=self.doing, preview_hash=preview.preview_hash)
        return Turn.objects.get(card=card, finished_at__isnull=True)

    def run(self, turn: Turn) -> None:
        """Run the turn to its settling; what follows it stays for later."""
        run_turn(turn.pk)

    @property
    def account_pk(self) -> uuid.UUID | None:
        return self.account.pk if self.account else None

    def make_rule(self, *, from_stage: Stage, to_stage: Stage) -> Rule:
        """A further published rule for the same agent."""
        return make_rule(self.caller, self.board, from_stage=from_stage, agent=self.agent, to_stage=to_stage)

    def add_stage(self, name: str) -> Stage:
        return add_stage(self.caller, board=self.board, name=name)

    def let_in(self, caller: Caller) -> None:
        add_board_member(self.caller, board=self.board, member=caller.member)

    def let_out(self, caller: Caller) -> None:
        remove_board_member(self.caller, board=self.board, member=caller.member)


def make_line(caller: Caller, provider: FakeProvider, *, pays: bool = True) -> Line:
    """Publish an agent and its rule, and put a card in To do."""
    board = make_board(caller)
    agent = make_agent(caller, board)
    doing, done = stage_of(board, StageRole.MIDDLE), stage_of(board, StageRole.DONE)
    account = pay(caller, board, provider) if pays else None
    return Line(
        caller=caller,
        board=board,
        todo=stage_of(board),
        doing=doing,
        done=done,
        agent=agent,
        rule=make_rule(caller, board, from_stage=doing, agent=agent, to_stage=done),
        card=make_card(caller, board),
        account=account,
        provider=provider,
    )


def pay(caller: Caller, board: Board, provider: FakeProvider) -> AiAccount:
    """Connect an account at ``provider`` and let it pay for the board."""
    account = make_account(caller, provider)
    bind_account(caller, account=account, scope=BindingScope.BOARD, board=board)
    return account


def publish_again(line: Line) -> None:
    """Publish a new version of the line's agent."""
    write_draft(line.caller, board=line.board, agent=line.agent, instructions="Do it twice.")
    publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk))
