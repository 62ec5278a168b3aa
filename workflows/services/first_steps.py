"""The first steps of a workspace: putting them off, and a first board from a template whose agents work at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from django.db import transaction

from agents.models import AiAccount
from agents.services.agents import publish_agent
from agents.services.bindings import bind_account
from agents.states import BindingScope
from boards.models import Board
from workflows.services.board_templates import BoardTemplate
from workflows.services.rules import publish_rule
from workflows.services.setup import setup_board
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.models import Member
from workspaces.services.capabilities import switch_capability

REVIEWS_NEED = ("reviews", "hosted_work_folder")


@transaction.atomic
def put_off_steps(caller: Caller, *, steps: Iterable[str], is_put_off: bool) -> None:
    """Remember for the person themselves which of the first steps they do not want to see, or want to see again."""
    member = Member.objects.select_for_update(no_key=True).get(pk=caller.member.pk)
    before = set(member.skipped_steps.split())
    after = before | set(steps) if is_put_off else before - set(steps)
    member.skipped_steps = caller.member.skipped_steps = " ".join(sorted(after))
    member.save(update_fields=["skipped_steps", "updated_at"])


@transaction.atomic
def begin_board(
    caller: Caller, *, template: BoardTemplate, name: str, account: AiAccount | None, is_reviewed: bool = False
) -> Board:
    """Make the board of a template and put its agents and rules to work; without an account, cards wait for one.

    ``is_reviewed`` has a person decide on what they make: it switches on what that needs, which only owners and admins
    may, and the board comes with its work folder.
    """
    require_capability(caller, "agents", "triggers")
    if is_reviewed:
        caller = _with_reviews(caller)
    made = setup_board(caller, plan=replace(template.plan, name=name))
    board = made.setup.board
    if account is not None:
        bind_account(caller, account=account, scope=BindingScope.BOARD, board=board)
    for agent in made.agents:
        publish_agent(caller, agent=agent)
    for rule in made.rules:
        publish_rule(caller, rule=rule)
    return board


def _with_reviews(caller: Caller) -> Caller:
    """Return the caller of a workspace in which reviews and folders in our storage are on."""
    for name in REVIEWS_NEED:
        if name not in caller.workspace.capabilities:
            caller = replace(caller, workspace=switch_capability(caller, name=name, is_on=True))
    return caller
