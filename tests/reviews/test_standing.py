"""Who counts as a maker, as the named reviewer and as alone, at the moment of the decision."""

from __future__ import annotations

import io

import pytest

from agents.models import Turn
from bakedbrie.lib.refusals import Refused
from boards.models import CardFile, Result
from boards.services.files import add_file
from boards.services.rounds import keep_result
from boards.states import FileOrigin
from reviews.models import Decision, Review, WorkFolder
from reviews.states import ReviewState, Verdict
from tests.factories.reviews import decide, work
from tests.factories.workflows import Line
from tests.factories.workspaces import make_member
from workers.turns import run_turn
from workflows.services.moves import move_card, preview_move
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.members import change_role, remove_member

pytestmark = pytest.mark.django_db(transaction=True)


def code_of(caller: Caller, review: Review, verdict: Verdict = Verdict.APPROVE) -> str:
    """Decide, and return the refusal's code, or nothing."""
    try:
        decide(caller, review, verdict)
    except Refused as refused:
        assert Review.objects.get(pk=review.pk).state == ReviewState.OPEN
        assert not Decision.objects.filter(review=review).exists()
        return refused.code
    return ""


@pytest.fixture
def shared(line: Line, mia: Caller) -> Line:
    line.let_in(mia)
    return line


@pytest.mark.requirement("V004", "V005", "C090")
def test_the_maker_on_a_shared_board_does_not_approve_and_somebody_else_does(shared: Line, mia: Caller) -> None:
    review = work(shared)

    assert code_of(shared.caller, review) == "MAKER_CANNOT_APPROVE"
    assert code_of(mia, review) == ""


@pytest.mark.requirement("V005")
@pytest.mark.parametrize("verdict", [Verdict.REJECT, Verdict.REQUEST_CHANGES])
def test_the_maker_may_still_reject_and_request_changes(shared: Line, verdict: Verdict) -> None:
    assert code_of(shared.caller, work(shared), verdict) == ""


@pytest.mark.requirement("V005", "C090")
def test_whoever_changed_the_result_made_it_too(shared: Line, mia: Caller) -> None:
    review = work(shared)
    keep_result(card=shared.card, iteration=review.iteration, made_by=mia.actor, markdown="Mended by hand.")

    assert code_of(mia, review) == "MAKER_CANNOT_APPROVE"
    assert Result.objects.count() == 2


@pytest.mark.requirement("V005")
def test_whoever_added_one_of_the_files_made_it_too(shared: Line, mia: Caller) -> None:
    review = work(shared)
    file = add_file(mia, card=shared.card, name="chart.txt", stream=io.BytesIO(b"bars"))
    assert code_of(mia, review, Verdict.REJECT) == ""  # an upload is no part of what was made
    second = again(shared)
    CardFile.objects.filter(pk=file.pk).update(origin=FileOrigin.MADE, created_at=second.opened_at)

    assert code_of(mia, second) == "MAKER_CANNOT_APPROVE"


@pytest.mark.requirement("V005")
def test_asking_for_changes_makes_nobody_the_maker_of_the_next_round(shared: Line, mia: Caller) -> None:
    review = work(shared)
    decide(mia, review, Verdict.REQUEST_CHANGES)
    second = next_of(shared)

    assert second.maker == shared.caller.actor
    assert code_of(shared.caller, second) == "MAKER_CANNOT_APPROVE"
    assert code_of(mia, second) == ""


@pytest.mark.requirement("V005")
def test_a_maker_who_left_is_followed_by_whoever_asked_for_changes(shared: Line, mia: Caller, amir: Caller) -> None:
    review = work(shared, by=mia)
    remove_member(shared.caller, member=mia.member)

    decide(shared.caller, review, Verdict.REQUEST_CHANGES)

    second = next_of(shared)
    assert second.maker == shared.caller.actor
    assert code_of(shared.caller, second) == "MAKER_CANNOT_APPROVE"
    assert code_of(amir, second) == ""


@pytest.mark.requirement("V006", "C090")
def test_a_viewer_beside_them_leaves_a_person_alone_on_their_board(line: Line, vic: Caller) -> None:
    line.let_in(vic)

    assert code_of(line.caller, work(line)) == ""


@pytest.mark.requirement("V005", "C090")
def test_a_second_person_who_came_meanwhile_makes_the_board_shared(line: Line, mia: Caller) -> None:
    review = work(line)
    line.let_in(mia)

    assert code_of(line.caller, review) == "MAKER_CANNOT_APPROVE"


@pytest.mark.requirement("V007", "C090")
def test_only_the_named_reviewer_decides(shared: Line, mia: Caller, amir: Caller) -> None:
    WorkFolder.objects.update(reviewer=mia.member)
    review = work(shared)

    assert {code_of(one, review, verdict) for one in (shared.caller, amir) for verdict in Verdict} == {
        "NOT_NAMED_REVIEWER"
    }
    assert code_of(mia, review) == ""


@pytest.mark.requirement("V007")
def test_a_named_reviewer_who_made_it_does_not_approve_it(shared: Line, mia: Caller) -> None:
    WorkFolder.objects.update(reviewer=mia.member)
    review = work(shared, by=mia)

    assert code_of(mia, review) == "MAKER_CANNOT_APPROVE"
    assert code_of(mia, review, Verdict.REJECT) == ""


@pytest.mark.requirement("V007", "C090")
@pytest.mark.parametrize("loss", ["workspace", "board", "role"])
def test_a_named_reviewer_who_may_not_work_there_any_more_keeps_no_board_stuck(
    shared: Line, mia: Caller, amir: Caller, loss: str
) -> None:
    WorkFolder.objects.update(reviewer=mia.member)
    review = work(shared)
    if loss == "workspace":
        remove_member(shared.caller, member=mia.member)
    elif loss == "board":
        shared.let_out(mia)
    else:
        change_role(shared.caller, member=mia.member, role=Role.VIEWER)

    assert code_of(amir, review) == ""


@pytest.mark.requirement("C090", "C095")
@pytest.mark.parametrize(
    ("loss", "code"), [("workspace", "UNAUTHENTICATED"), ("board", "NOT_FOUND"), ("role", "FORBIDDEN")]
)
def test_rights_that_went_after_the_look_do_not_count(shared: Line, mia: Caller, loss: str, code: str) -> None:
    review = work(shared)
    if loss == "workspace":
        remove_member(shared.caller, member=mia.member)
    elif loss == "board":
        shared.let_out(mia)
    else:
        change_role(shared.caller, member=mia.member, role=Role.VIEWER)

    assert code_of(mia, review) == code


def test_people_of_another_board_and_another_workspace_find_nothing(shared: Line, charlie: Caller) -> None:
    outsider = make_member(shared.caller, "Nia Novak")
    review = work(shared)
    charlie.workspace.capabilities = list(shared.caller.workspace.capabilities)
    charlie.workspace.save(update_fields=["capabilities"])

    assert {code_of(outsider, review), code_of(charlie, review)} == {"NOT_FOUND"}


def again(line: Line) -> Review:
    """Put the card back and to work again."""
    card = line.fresh_card()
    preview = preview_move(line.caller, card=card, stage=line.todo)
    move_card(line.caller, card=card, stage=line.todo, preview_hash=preview.preview_hash)
    return work(line)


def next_of(line: Line) -> Review:
    """Run the turn that holds the card, and return the review that it leads to."""
    run_turn(str(Turn.objects.get(card=line.card, finished_at__isnull=True).pk))
    return Review.objects.get(card=line.card, state=ReviewState.OPEN)
