"""Rules: a draft does nothing, publishing turns it on and pausing off; what cannot work is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.models import Turn
from agents.services.agents import pause_agent
from bakedbrie.lib.refusals import Refused
from boards.models import BoardEvent, Stage
from boards.services.stages import delete_stage
from boards.states import EventKind, StageRole
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card, stage_of
from tests.factories.workflows import Line, make_line, make_rule, pay
from tests.support.fake_provider import FakeProvider
from tests.support.races import at_once, codes
from workflows.models import Rule, RuleDraft
from workflows.services.agents import retire_agent
from workflows.services.archive import archive_board
from workflows.services.cards import create_card
from workflows.services.rules import pause_rule, publish_rule, write_rule_draft
from workflows.services.turns import run_again
from workflows.states import RuleState
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


def code_of(do: Callable[[], object]) -> str:
    """Return the code of the refusal, having seen that no rule changed."""
    before = list(Rule.objects.order_by("pk").values())
    with pytest.raises(Refused) as refusal:
        do()
    assert list(Rule.objects.order_by("pk").values()) == before
    return refusal.value.code


@pytest.mark.requirement("R002", "R004")
def test_a_draft_starts_nothing(alice: Caller) -> None:
    board = make_board(alice)
    doing, done = stage_of(board, StageRole.MIDDLE), stage_of(board, StageRole.DONE)
    agent = make_agent(alice, board)

    rule = write_rule_draft(alice, board=board, from_stage=doing, agent=agent, to_stage=done)
    create_card(alice, board=board, stage=doing, title="Compare")

    assert (rule.state, rule.version) == (RuleState.DRAFT, 0)
    assert not Turn.objects.exists()


@pytest.mark.requirement("R003")
def test_a_rule_is_published_paused_and_published_again(line: Line) -> None:
    assert (line.rule.state, line.rule.version) == (RuleState.PUBLISHED, 1)

    paused = pause_rule(line.caller, rule=line.rule)
    create_card(line.caller, board=line.board, stage=line.doing, title="While it is off")
    assert (paused.state, Turn.objects.count()) == (RuleState.PAUSED, 0)

    published = publish_rule(line.caller, rule=line.rule)
    create_card(line.caller, board=line.board, stage=line.doing, title="While it is on")
    assert (published.rule.state, published.rule.version, Turn.objects.count()) == (RuleState.PUBLISHED, 2, 1)


@pytest.mark.requirement("R003")
@pytest.mark.parametrize("pays", [True, False])
def test_pausing_a_rule_lets_go_what_was_not_sent_and_nothing_else(
    alice: Caller, provider: FakeProvider, drain_jobs: Callable[..., object], pays: bool
) -> None:
    line = make_line(alice, provider, pays=pays)
    make_rule(alice, line.board, from_stage=line.todo, agent=line.agent, to_stage=line.done)
    of_another_rule = create_card(alice, board=line.board, title="Of another rule")
    turn = line.start()

    pause_rule(alice, rule=line.rule)

    turn.refresh_from_db()
    assert (turn.state, turn.finished_at is not None) == ("canceled", True)
    assert (line.fresh_card().stage_id, line.fresh_card().badge) == (line.doing.pk, "idle")
    assert Turn.objects.get(card=of_another_rule).state == ("queued" if pays else "waiting")
    if not pays:
        pay(alice, line.board, provider)
    drain_jobs()
    assert len(provider.calls) == 1

    publish_rule(alice, rule=line.rule)
    run_again(alice, turn=turn)
    drain_jobs()
    assert line.fresh_card().stage_id == line.done.pk


def test_pausing_that_is_refused_lets_nothing_go(line: Line, mia: Caller) -> None:
    line.let_in(mia)
    turn = line.start()

    assert code_of(lambda: pause_rule(mia, rule=line.rule)) == "NOT_BOARD_MANAGER"

    turn.refresh_from_db()
    assert turn.state == "queued"


def test_publishing_counts_the_cards_that_stand_in_the_column_and_starts_none(line: Line) -> None:
    pause_rule(line.caller, rule=line.rule)
    for n in range(3):
        make_card(line.caller, line.board, stage=line.doing, title=f"Card {n}")

    published = publish_rule(line.caller, rule=line.rule)

    assert published.cards_in_stage == 3
    assert not Turn.objects.exists()


def test_a_change_of_a_published_rule_waits_until_it_is_published(line: Line) -> None:
    check = line.add_stage("Check")
    write_rule_draft(
        line.caller, board=line.board, rule=line.rule, from_stage=check, agent=line.agent, to_stage=line.done
    )
    create_card(line.caller, board=line.board, stage=check, title="Too early")
    assert not Turn.objects.exists()

    published = publish_rule(line.caller, rule=line.rule).rule
    create_card(line.caller, board=line.board, stage=check, title="Now")

    assert (published.from_stage_id, published.version) == (check.pk, 2)
    assert Turn.objects.count() == 1
    assert not RuleDraft.objects.exists()


def test_every_change_of_a_rule_is_told_on_the_board(line: Line) -> None:
    pause_rule(line.caller, rule=line.rule)

    told = BoardEvent.objects.filter(board=line.board, kind=EventKind.RULE_CHANGED).order_by("pk")
    assert [event.data["change"] for event in told] == ["drafted", "published", "paused"]


@pytest.mark.requirement("A013")
def test_a_rule_with_an_agent_that_was_never_published_is_not_published(line: Line) -> None:
    draft = make_agent(line.caller, line.board, name="Draft", is_published=False)
    rule = make_rule(line.caller, line.board, from_stage=line.todo, agent=draft, to_stage=line.done, is_published=False)

    assert code_of(lambda: publish_rule(line.caller, rule=rule)) == "AGENT_NOT_PUBLISHED"


def test_a_rule_with_a_paused_agent_may_be_published(line: Line) -> None:
    agent = pause_agent(line.caller, agent=make_agent(line.caller, line.board, name="Pausing"))

    rule = make_rule(line.caller, line.board, from_stage=line.todo, agent=agent, to_stage=line.done)

    assert rule.state == RuleState.PUBLISHED


def test_a_retired_agent_gets_no_rule(line: Line) -> None:
    agent = retire_agent(line.caller, agent=make_agent(line.caller, line.board, name="Gone"))

    assert code_of(
        lambda: make_rule(line.caller, line.board, from_stage=line.todo, agent=agent, to_stage=line.done)
    ) == ("AGENT_RETIRED")


@pytest.mark.requirement("R005")
def test_a_rule_may_be_published_before_the_board_has_an_account(alice: Caller, provider: FakeProvider) -> None:
    line = make_line(alice, provider, pays=False)

    assert line.rule.state == RuleState.PUBLISHED


def test_one_published_rule_starts_in_a_column(line: Line) -> None:
    second = make_rule(
        line.caller, line.board, from_stage=line.doing, agent=line.agent, to_stage=line.todo, is_published=False
    )

    with pytest.raises(Refused) as refusal:
        publish_rule(line.caller, rule=second)

    assert (refusal.value.code, refusal.value.details) == ("RULE_STAGE_TAKEN", {"rule_id": str(line.rule.pk)})


@pytest.mark.django_db(transaction=True)
def test_of_two_rules_published_at_once_for_one_column_one_is_on(line: Line) -> None:
    pause_rule(line.caller, rule=line.rule)
    second = make_rule(
        line.caller, line.board, from_stage=line.doing, agent=line.agent, to_stage=line.todo, is_published=False
    )

    outcomes = at_once(
        lambda: publish_rule(line.caller, rule=line.rule), lambda: publish_rule(line.caller, rule=second)
    )

    assert codes(outcomes) == ["RULE_STAGE_TAKEN", "done"]
    assert Rule.objects.filter(from_stage=line.doing, state=RuleState.PUBLISHED).count() == 1


def same_column(line: Line, foreign: Stage) -> tuple[Stage, Stage]:
    return line.doing, line.doing


def out_of_done(line: Line, foreign: Stage) -> tuple[Stage, Stage]:
    return line.done, line.todo


def from_another_board(line: Line, foreign: Stage) -> tuple[Stage, Stage]:
    return foreign, line.done


def to_another_board(line: Line, foreign: Stage) -> tuple[Stage, Stage]:
    return line.todo, foreign


@pytest.mark.parametrize("columns", [same_column, out_of_done, from_another_board, to_another_board])
def test_a_rule_that_cannot_work_is_not_written(
    line: Line, columns: Callable[[Line, Stage], tuple[Stage, Stage]]
) -> None:
    start, end = columns(line, stage_of(make_board(line.caller, name="Other")))

    code = code_of(lambda: make_rule(line.caller, line.board, from_stage=start, agent=line.agent, to_stage=end))

    assert code == "RULE_INVALID"


@pytest.mark.requirement("A001")
def test_an_agent_of_another_board_gets_no_rule(line: Line) -> None:
    stranger = make_agent(line.caller, make_board(line.caller, name="Other"), name="Stranger")

    code = code_of(lambda: make_rule(line.caller, line.board, from_stage=line.todo, agent=stranger, to_stage=line.done))

    assert code == "RULE_INVALID"


def test_only_what_can_change_is_published_or_paused(line: Line) -> None:
    assert code_of(lambda: publish_rule(line.caller, rule=line.rule)) == "RULE_STATE"
    pause_rule(line.caller, rule=line.rule)
    assert code_of(lambda: pause_rule(line.caller, rule=line.rule)) == "RULE_STATE"


def test_the_rules_of_an_archived_board_do_not_change(line: Line) -> None:
    archive_board(line.caller, board=line.board)

    assert code_of(lambda: pause_rule(line.caller, rule=line.rule)) == "BOARD_ARCHIVED"


def test_rules_are_a_managers_to_change(line: Line, mia: Caller, vic: Caller) -> None:
    line.let_in(mia)
    line.let_in(vic)

    assert code_of(lambda: pause_rule(mia, rule=line.rule)) == "NOT_BOARD_MANAGER"
    assert code_of(lambda: publish_rule(vic, rule=line.rule)) == "FORBIDDEN"
    assert (
        code_of(lambda: make_rule(mia, line.board, from_stage=line.todo, agent=line.agent, to_stage=line.done))
        == "NOT_BOARD_MANAGER"
    )


@pytest.mark.requirement("B017")
def test_a_column_that_a_rule_starts_in_is_not_deleted(line: Line) -> None:
    with pytest.raises(Refused) as refusal:
        delete_stage(line.caller, stage=line.doing)

    assert refusal.value.code == "STAGE_IN_USE"
    assert refusal.value.details["details"] == [
        {"kind": "rule", "id": str(line.rule.pk), "untrusted_data": {"name": "Doing → Researcher → Done"}}
    ]


def lose_the_target(line: Line) -> Rule:
    """A published rule whose target column was deleted."""
    check = line.add_stage("Check")
    rule = make_rule(line.caller, line.board, from_stage=line.todo, agent=line.agent, to_stage=check)
    delete_stage(line.caller, stage=check)
    rule.refresh_from_db()
    return rule


def test_a_rule_whose_target_column_was_deleted_starts_nothing_and_shows_as_paused(line: Line) -> None:
    rule = lose_the_target(line)

    create_card(line.caller, board=line.board, title="Compare")

    assert (rule.is_on, rule.shown_state, rule.why_paused) == (False, RuleState.PAUSED, "STAGE_GONE")
    assert not Turn.objects.exists()
    assert code_of(lambda: publish_rule(line.caller, rule=rule)) == "STAGE_GONE"


def test_a_rule_without_a_target_works_again_once_it_has_a_new_one(line: Line) -> None:
    rule = lose_the_target(line)
    write_rule_draft(
        line.caller, board=line.board, rule=rule, from_stage=line.todo, agent=line.agent, to_stage=line.doing
    )

    published = publish_rule(line.caller, rule=rule).rule
    create_card(line.caller, board=line.board, title="Compare")

    assert (published.is_on, published.why_paused) == (True, "")
    assert Turn.objects.count() == 1


def test_a_rule_without_a_target_makes_room_for_another_one_in_its_column(line: Line) -> None:
    gone = lose_the_target(line)

    make_rule(line.caller, line.board, from_stage=line.todo, agent=line.agent, to_stage=line.done)

    gone.refresh_from_db()
    assert gone.state == RuleState.PAUSED
