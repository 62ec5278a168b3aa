"""set_work_folder: who sets it, what is said before, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from boards.models import Board, BoardEvent
from boards.services.members import add_board_member, remove_board_member
from reviews.models import WorkFolder
from reviews.selectors.folders import folder_of
from tests.factories.boards import make_board
from tests.factories.reviews import make_hosted_folder, switch_reviews_on
from tests.support.cast import api, browser
from workflows.services.boards import create_board
from workspaces.caller import Caller
from workspaces.models import AuditEntry
from workspaces.services.capabilities import switch_capability
from workspaces.services.members import remove_member
from workspaces.web.audit_words import sentence_of

pytestmark = pytest.mark.django_db
ANYBODY = "anyone who opens the board"


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    switch_reviews_on(alice)
    return make_board(alice, members=[mia.member, vic.member])


def call(caller: Caller, board: Board, **arguments: Any) -> Any:
    given = {"board_id": str(board.pk), **arguments}
    return api(caller).post("/api/v1/tools/set_work_folder", given, format="json").json()


def folder_in(answer: Any) -> Any:
    return answer["untrusted_data"]["work_folder"]


@pytest.mark.requirement("V021", "V024", "V008")
def test_it_is_set_once_the_user_has_seen_what_changes(alice: Caller, mia: Caller, board: Board) -> None:
    reviewer = str(mia.member.pk)

    asked = call(alice, board, storage="hosted", reviewer_id=reviewer)["error"]
    nothing = folder_of(board)
    done = folder_in(call(alice, board, storage="hosted", reviewer_id=reviewer, confirm=True))

    assert (asked["code"], nothing) == ("CONFIRMATION_NEEDED", None)
    assert asked["untrusted_data"] == {
        "board": "Research",
        "before": {"storage": "none", "reviewer": ANYBODY, "inbox": "attach"},
        "after": {"storage": "hosted", "reviewer": "Mia Moreau", "inbox": "attach"},
    }
    assert (done["storage"], done["is_on"], done["inbox"], done["set_by"]) == (
        "hosted",
        True,
        "attach",
        "Alice Archer",
    )
    assert done["reviewer"] == {"member_id": reviewer, "name": "Mia Moreau"}
    assert done["folders"] == ["Inbox/", "Needs review/", "Approved/", "Done/"]
    folder = folder_of(board)
    assert folder is not None
    assert folder.reviewer == mia.member
    event = BoardEvent.objects.latest("pk")
    assert (event.kind, event.data) == ("board_changed", {"fields": ["work_folder"]})


def test_once_more_changes_nothing_and_asks_nothing(alice: Caller, board: Board) -> None:
    make_hosted_folder(alice, board)
    events = BoardEvent.objects.count()

    again = folder_in(call(alice, board, storage="hosted"))

    assert again["storage"] == "hosted"
    assert BoardEvent.objects.count() == events


def test_what_is_left_out_stays(alice: Caller, mia: Caller, board: Board) -> None:
    call(alice, board, storage="hosted", reviewer_id=str(mia.member.pk), confirm=True)

    kept = folder_in(call(alice, board, inbox="off", confirm=True))
    opened = folder_in(call(alice, board, reviewer_id="anyone", confirm=True))

    assert (kept["reviewer"]["name"], kept["inbox"]) == ("Mia Moreau", "off")
    assert (opened["reviewer"], opened["inbox"], opened["storage"]) == (None, "off", "hosted")


def test_nothing_to_set_is_no_call(alice: Caller, board: Board) -> None:
    refused = call(alice, board, confirm=True)["error"]

    assert (refused["code"], WorkFolder.objects.count()) == ("INVALID_INPUT", 0)


@pytest.mark.requirement("V021")
def test_none_turns_reviews_off_again(alice: Caller, board: Board) -> None:
    make_hosted_folder(alice, board)

    asked = call(alice, board, storage="none")["error"]["code"]
    done = folder_in(call(alice, board, storage="none", confirm=True))

    assert (asked, done["storage"], done["is_on"]) == ("CONFIRMATION_NEEDED", "none", False)
    assert folder_of(board) is None


def test_setting_it_stands_on_the_audit_trail_in_words(alice: Caller, mia: Caller, board: Board) -> None:
    call(alice, board, storage="hosted", confirm=True)
    call(alice, board, storage="hosted", confirm=True)
    call(alice, board, reviewer_id=str(mia.member.pk), confirm=True)
    call(alice, board, storage="none", confirm=True)

    entries = AuditEntry.objects.filter(verb="work_folder.set", data__board=str(board.pk)).order_by("pk")

    there = f"the board “{board.name}”: what agents make waits in BakedBrie storage"
    assert [sentence_of(entry, {}) for entry in entries] == [
        f"began reviews on {there}, and anyone who opens it decides",
        f"set the work folder of {there}, and Mia Moreau alone decides",
        f"ended reviews on the board “{board.name}”: it has no work folder any more",
    ]


@pytest.mark.parametrize("who", ["viewer", "outsider", "removed", "stranger", "nobody"])
def test_a_reviewer_opens_the_board_and_may_decide(
    who: str, alice: Caller, amir: Caller, mia: Caller, vic: Caller, charlie: Caller, board: Board
) -> None:
    if who == "outsider":
        remove_board_member(alice, board=board, member=mia.member)
    if who == "removed":
        remove_member(alice, member=mia.member)
    member = {"viewer": vic, "stranger": charlie}.get(who, mia).member
    named = "nobody" if who == "nobody" else str(member.pk)

    refused = call(alice, board, storage="hosted", reviewer_id=named, confirm=True)["error"]

    assert (refused["code"], WorkFolder.objects.count()) == ("REVIEWER_NOT_MEMBER", 0)


def test_an_admin_needs_no_seat_on_the_board(alice: Caller, amir: Caller, board: Board) -> None:
    done = folder_in(call(alice, board, storage="hosted", reviewer_id=str(amir.member.pk), confirm=True))

    assert done["reviewer"]["name"] == "Amir Aziz"


def test_only_managers_set_it(mia: Caller, vic: Caller, charlie: Caller, board: Board) -> None:
    codes = [call(who, board, storage="hosted", confirm=True)["error"]["code"] for who in (mia, vic, charlie)]

    assert codes == ["NOT_BOARD_MANAGER", "FORBIDDEN", "CAPABILITY_OFF"]
    assert WorkFolder.objects.count() == 0


@pytest.mark.requirement("V025")
def test_hosted_is_refused_and_does_not_count_while_it_is_off(alice: Caller, board: Board) -> None:
    make_hosted_folder(alice, board)
    other = make_board(alice)
    switch_capability(alice, name="hosted_work_folder", is_on=False)
    board = Board.objects.get(pk=board.pk)

    refused = call(alice, other, storage="hosted", confirm=True)["error"]
    shown = folder_in(call(alice, board, storage="hosted"))

    assert (refused["code"], refused["capability"]) == ("CAPABILITY_OFF", "hosted_work_folder")
    assert (shown["storage"], shown["is_on"], folder_of(board)) == ("hosted", False, None)


@pytest.mark.requirement("V026", "W044")
def test_a_new_board_gets_a_hosted_folder_while_that_is_on(alice: Caller) -> None:
    before = create_board(alice, name="Before")
    switch_reviews_on(alice)

    made = api(alice).post("/api/v1/tools/create_board", {"name": "After"}, format="json").json()

    after = Board.objects.get(pk=made["untrusted_data"]["board"]["id"])
    folder = folder_of(after)
    assert folder is not None
    assert (folder.storage, folder.reviewer, folder_of(before)) == ("hosted", None, None)


def test_rest_reads_and_sets_it_too(alice: Caller, mia: Caller, board: Board) -> None:
    path, client = f"/api/v1/boards/{board.pk}/work_folder", api(alice)

    none = client.get(path).json()["work_folder"]
    asked = client.put(path, {"storage": "hosted"}, format="json")
    done = client.put(path, {"storage": "hosted", "confirm": True}, format="json")
    read = api(mia).get(path).json()["work_folder"]

    assert (none, asked.status_code, asked.json()["error"]["code"]) == (None, 409, "CONFIRMATION_NEEDED")
    assert (done.status_code, read["storage"]) == (200, "hosted")


def test_a_reviewer_who_is_let_in_first_may_be_named(alice: Caller, mia: Caller) -> None:
    switch_reviews_on(alice)
    board = make_board(alice)
    refused = call(alice, board, storage="hosted", reviewer_id=str(mia.member.pk), confirm=True)["error"]["code"]
    add_board_member(alice, board=board, member=mia.member)

    done = folder_in(call(alice, board, storage="hosted", reviewer_id=str(mia.member.pk), confirm=True))

    assert (refused, done["reviewer"]["name"]) == ("REVIEWER_NOT_MEMBER", "Mia Moreau")


@pytest.mark.requirement("V005", "V007", "V008")
def test_whoever_names_a_reviewer_on_a_shared_board_is_told_that_they_do_not_approve_their_own(
    alice: Caller, mia: Caller, board: Board
) -> None:
    named = call(alice, board, storage="hosted", reviewer_id=str(mia.member.pk))["error"]
    unnamed = call(alice, board, storage="hosted")["error"]
    alone = call(alice, make_board(alice), storage="hosted", reviewer_id=str(alice.member.pk))["error"]
    page = browser(alice).post(f"/boards/{board.pk}/folder/", {"place": "hosted", "reviewer_id": str(mia.member.pk)})

    assert named["reviewer_note"].startswith("What the reviewer made")
    assert 'id="reviewer-note"' in page.content.decode()
    assert ["reviewer_note" in error for error in (unnamed, alone)] == [False, False]
