"""Rules, for a caller: an absent one, a foreign one and one on a closed board answer alike.

Whoever locks several rows does it in this order: board, turn, card, columns by their ids, rule. Updating a row counts
as locking it. A column that only must not be deleted is held (`boards.services.placing.hold_stage`) at any time.
"""

from __future__ import annotations

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import boards_of
from workflows.models import BoardSetup, Rule
from workspaces.caller import Caller


def get_rule(caller: Caller, rule_id: object) -> Rule:
    """Return a rule of a board the caller may open, with board, columns and agent."""
    rules = Rule.objects.select_related("board", "from_stage", "to_stage", "agent")
    rule = rules.filter(board__in=boards_of(caller), pk=ids.parse_id(rule_id)).first()
    if rule is None:
        raise NOT_FOUND()
    return rule


def get_setup(caller: Caller, setup_id: object) -> BoardSetup:
    """Return what one call of setup_board made, on a board the caller may open."""
    setups = BoardSetup.objects.select_related("board", "made_by")
    setup = setups.filter(board__in=boards_of(caller), pk=ids.parse_id(setup_id)).first()
    if setup is None:
        raise NOT_FOUND()
    return setup


def lock_rule(rule: Rule) -> Rule:
    """Return the rule's newest row, locked until the transaction ends."""
    rows = Rule.objects.select_for_update(of=("self",)).select_related("board", "from_stage", "to_stage", "agent")
    return rows.get(pk=rule.pk)
