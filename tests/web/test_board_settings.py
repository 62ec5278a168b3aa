"""The settings of a board: name and guidelines saved without losing anybody's text, who opens it, and its archive."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from agents.models import Turn
from boards.models import Board, BoardEvent, BoardMember
from boards.services.boards import edit_board, set_archived
from boards.services.members import add_board_member
from boards.states import EventKind
from boards.web.settings import MEMBERS_SHOWN, MOST_OFFERED
from tests.factories.boards import make_board
from tests.factories.workflows import make_line
from tests.factories.workspaces import make_member
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workflows.services.boards import create_board
from workspaces.caller import Caller
from workspaces.models import Workspace
from workspaces.roles import Role
from workspaces.services.capabilities import switch_capability

HOSTILE = '<script>alert("1")</script>'


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    on = [*alice.workspace.capabilities, "api_workflow"]
    Workspace.objects.filter(pk=alice.workspace.pk).update(capabilities=on)
    return make_board(alice, name="Bread", members=[mia.member, vic.member])


@pytest.fixture
def provider(settings: Settings) -> Iterator[FakeProvider]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        yield provider


def is_manager_of(board: Board, person: Caller) -> bool | None:
    rows = BoardMember.objects.filter(board=board, member=person.member)
    return rows.values_list("is_manager", flat=True).first()


def test_a_manager_saves_name_and_description(alice: Caller, board: Board) -> None:
    client, action = browser(alice), url("edit-board", board.pk)
    form = form_of(client.get(url("board-settings", board.pk)), action)

    answer = client.post(action, form | {"name": "Rolls", "description": "Two\r\nlines"}, headers=HTMX)

    board.refresh_from_db()
    assert (answer.status_code, answer.context["board"].name) == (200, "Rolls")
    assert (board.name, board.description, board.revision) == ("Rolls", "Two\nlines", 2)


def test_who_changes_the_same_meanwhile_is_shown_both_texts(alice: Caller, board: Board) -> None:
    client, action = browser(alice), url("edit-board", board.pk)
    form = form_of(client.get(url("board-settings", board.pk)), action)
    edit_board(alice, board=board, expected_revision=None, name="Theirs")

    refused = client.post(action, form | {"name": "Mine"})
    saved = client.post(action, form_of(refused, action))

    board.refresh_from_db()
    assert (refused.status_code, code_of(refused)) == (409, "REVISION_CONFLICT")
    assert ["Theirs" in text_of(refused), 'value="Mine"' in text_of(refused)] == [True, True]
    assert (saved["Location"], board.name) == (url("board-settings", board.pk), "Mine")


def test_another_part_that_changed_meanwhile_is_no_conflict(alice: Caller, board: Board) -> None:
    client = browser(alice)
    page = client.get(url("board-settings", board.pk))
    edit_board(alice, board=board, expected_revision=None, guidelines="Be short.")

    answer = client.post(url("edit-board", board.pk), form_of(page, url("edit-board", board.pk)) | {"name": "Rolls"})

    board.refresh_from_db()
    assert (answer.status_code, board.name, board.guidelines) == (302, "Rolls", "Be short.")


@pytest.mark.requirement("B045")
def test_every_member_writes_guidelines_and_no_viewer(mia: Caller, vic: Caller, board: Board) -> None:
    action, page = url("edit-guidelines", board.pk), url("board-settings", board.pk)
    client = browser(mia)

    answer = client.post(action, form_of(client.get(page), action) | {"guidelines": "Never promise a refund."})
    seen = browser(vic).get(page)
    refused = browser(vic).post(action, {"guidelines": "Promise."})

    board.refresh_from_db()
    assert (answer.status_code, board.guidelines) == (302, "Never promise a refund.")
    assert ["Never promise a refund." in text_of(seen), has_form(seen, action)] == [True, False]
    assert code_of(refused) == "FORBIDDEN"


def test_guidelines_have_8000_characters_counted_on_the_page(alice: Caller, board: Board) -> None:
    client, action = browser(alice), url("edit-guidelines", board.pk)
    form = form_of(client.get(url("board-settings", board.pk)), action)

    refused = client.post(action, form | {"guidelines": "é" * 8_001})
    taken = client.post(action, form_of(refused, action) | {"guidelines": "é\r\n" * 4_000})

    board.refresh_from_db()
    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert "8,001 of 8,000 characters" in text_of(refused)
    assert (taken.status_code, len(board.guidelines)) == (302, 8_000)


def test_while_guidelines_are_off_they_are_read_only(alice: Caller, board: Board) -> None:
    edit_board(alice, board=board, expected_revision=None, guidelines="Be short.")
    Workspace.objects.update(capabilities=["control"])
    client, action = browser(alice), url("edit-guidelines", board.pk)

    page, refused = client.get(url("board-settings", board.pk)), client.post(action, {"guidelines": "x"})

    board.refresh_from_db()
    assert ["Be short." in text_of(page), has_form(page, action)] == [True, False]
    assert (code_of(refused), board.guidelines) == ("CAPABILITY_OFF", "Be short.")


@pytest.mark.requirement("W007")
def test_owners_and_admins_are_listed_as_opening_every_board(
    alice: Caller, amir: Caller, mia: Caller, board: Board
) -> None:
    context = browser(mia).get(url("board-settings", board.pk)).context

    assert [head.actor.name for head in context["heads"]] == ["Alice Archer", "Amir Aziz"]
    assert [row.member.actor.name for row in context["members"].items] == ["Mia Moreau", "Vic Varga"]
    assert (context["manages"], context["offered"]) == (False, [])


def test_a_manager_lets_somebody_in_makes_them_manager_and_takes_them_off(alice: Caller, board: Board) -> None:
    nell = make_member(alice, "Nell Newman")
    client, page = browser(alice), url("board-settings", board.pk)
    add = url("add-board-member", board.pk)
    change = url("change-board-member", board.pk, nell.member.pk)
    remove = url("remove-board-member", board.pk, nell.member.pk)

    client.post(add, form_of(client.get(page), add) | {"member_id": str(nell.member.pk)})
    let_in = is_manager_of(board, nell)
    client.post(change, form_of(client.get(page), change), headers=HTMX)
    manages = is_manager_of(board, nell)
    client.post(change, form_of(client.get(page), change))
    no_longer = is_manager_of(board, nell)
    asked = client.get(remove, headers=HTMX)
    removed = client.post(remove, form_of(asked, remove), headers=HTMX)

    assert (let_in, manages, no_longer) == (False, True, False)
    assert "Take Nell Newman off “Bread”?" in text_of(asked)
    assert (removed.status_code, is_manager_of(board, nell)) == (204, None)
    assert browser(nell).get(page).status_code == 404


def test_nobody_chosen_is_refused_in_the_form(alice: Caller, board: Board) -> None:
    make_member(alice, "Nell Newman")

    answer = browser(alice).post(url("add-board-member", board.pk), {"member_id": ""})

    assert (answer.status_code, code_of(answer)) == (422, "INVALID_INPUT")
    assert answer.context["member_form"].errors == {"member_id": ["choose somebody"]}


def test_a_viewer_is_no_manager(alice: Caller, vic: Caller, board: Board) -> None:
    client = browser(alice)

    refused = client.post(url("change-board-member", board.pk, vic.member.pk), {"is_manager": "on"})

    assert (refused.status_code, code_of(refused)) == (409, "VIEWER_NOT_MANAGER")
    assert not has_form(refused, url("change-board-member", board.pk, vic.member.pk))
    assert is_manager_of(board, vic) is False


def test_who_takes_themselves_off_is_led_home(alice: Caller, mia: Caller, board: Board) -> None:
    add_board_member(alice, board=board, member=mia.member, is_manager=True)
    client, action = browser(mia), url("remove-board-member", board.pk, mia.member.pk)

    answer = client.post(action, form_of(client.get(action), action))

    assert (answer["Location"], is_manager_of(board, mia)) == (url("home"), None)


def test_among_many_people_one_is_found_by_name_or_address(alice: Caller, board: Board) -> None:
    for n in range(MOST_OFFERED):
        make_member(alice, f"Baker {n}")
    nell = make_member(alice, "Nell Newman")
    client, page = browser(alice), url("board-settings", board.pk)

    everybody = client.get(page)
    found = [client.get(page, {"find": find}).context["offered"] for find in ("nell", nell.member.user.email)]

    assert (len(everybody.context["offered"]), 'name="find"' in text_of(everybody)) == (MOST_OFFERED, True)
    assert found == [[nell.member], [nell.member]]


def test_a_long_list_of_members_has_a_next_page(alice: Caller, board: Board) -> None:
    for n in range(MEMBERS_SHOWN):
        add_board_member(alice, board=board, member=make_member(alice, f"Baker {n}").member)
    client, page = browser(alice), url("board-settings", board.pk)

    first = client.get(page).context["members"]
    second = client.get(page, {"cursor": first.next_cursor}).context["members"]

    assert (len(first.items), len(second.items), second.next_cursor) == (MEMBERS_SHOWN, 2, None)


def test_archiving_says_what_ends_and_ends_it(alice: Caller, provider: FakeProvider) -> None:
    line = make_line(alice, provider)
    turn = line.start()
    client, action = browser(alice), url("archive-board", line.board.pk)

    asked = client.get(action, headers=HTMX)
    answer = client.post(action, form_of(asked, action), headers=HTMX)

    line.board.refresh_from_db()
    assert "1 card is in line for an agent: that ends, and nothing works on it." in text_of(asked)
    assert (answer.status_code, line.board.archived_at is None) == (204, False)
    assert Turn.objects.get(pk=turn.pk).state == "canceled"


def test_an_archived_board_is_read_only_until_it_is_restored(alice: Caller, mia: Caller, board: Board) -> None:
    set_archived(alice, board=board, is_archived=True)
    client, page, action = browser(alice), url("board-settings", board.pk), url("restore-board", board.pk)
    forms = [url("edit-board", board.pk), url("edit-guidelines", board.pk)]

    seen = client.get(page)
    refused = client.post(forms[0], {"name": "x", "expected_revision": "1"})
    restored = client.post(action, form_of(seen, action))

    board.refresh_from_db()
    assert [has_form(seen, form) for form in forms] == [False, False]
    assert not has_form(browser(mia).get(page), action)
    assert (refused.status_code, code_of(refused)) == (409, "BOARD_ARCHIVED")
    assert (restored["Location"], board.archived_at) == (page, None)


@pytest.mark.requirement("C089", "W059")
def test_forms_that_are_sent_twice_act_once(alice: Caller, board: Board) -> None:
    client, page = browser(alice), url("board-settings", board.pk)
    action, archive = url("edit-board", board.pk), url("archive-board", board.pk)
    form = form_of(client.get(page), action) | {"name": "Rolls"}

    names = [client.post(action, form).status_code for _ in range(2)]
    asked = form_of(client.get(archive), archive)
    archives = [client.post(archive, asked).status_code for _ in range(2)]

    kinds = [EventKind.BOARD_CHANGED, EventKind.BOARD_ARCHIVED]
    told = BoardEvent.objects.filter(board=board, kind__in=kinds).order_by("pk").values_list("kind", flat=True)
    assert (names, archives, list(told)) == ([302, 302], [302, 302], kinds)


@pytest.mark.requirement("W002", "W004")
def test_who_may_not_sees_no_form_and_is_refused(mia: Caller, charlie: Caller, alice: Caller, board: Board) -> None:
    nell = make_member(alice, "Nell Newman", Role.MEMBER)
    edit, add = url("edit-board", board.pk), url("add-board-member", board.pk)
    archive = url("archive-board", board.pk)

    seen = browser(mia).get(url("board-settings", board.pk))
    refused = [browser(mia).post(address) for address in (edit, add, archive)]
    stranger = [browser(charlie).post(address) for address in (edit, add, archive)]

    board.refresh_from_db()
    assert [has_form(seen, edit), has_form(seen, add), archive in text_of(seen)] == [False] * 3
    assert [code_of(one) for one in refused] == ["NOT_BOARD_MANAGER"] * 3
    assert [code_of(one) for one in stranger] == ["NOT_FOUND"] * 3
    assert (board.name, board.archived_at, is_manager_of(board, nell)) == ("Bread", None, None)


def test_texts_are_text(alice: Caller, board: Board) -> None:
    edit_board(alice, board=board, expected_revision=None, name=HOSTILE, description=HOSTILE, guidelines=HOSTILE)
    make_member(alice, HOSTILE)

    page = browser(alice).get(url("board-settings", board.pk))

    assert "<script>alert" not in text_of(page)
    assert form_of(page, url("edit-board", board.pk))["name"] == HOSTILE


def test_the_settings_take_as_many_queries_for_many_members_as_for_one(
    alice: Caller, board: Board, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client, page = browser(alice), url("board-settings", board.pk)
    with django_assert_max_num_queries(20) as one:
        client.get(page)
    for n in range(6):
        add_board_member(alice, board=board, member=make_member(alice, f"Baker {n}").member)
        make_member(alice, f"Miller {n}")

    with django_assert_max_num_queries(20) as many:
        client.get(page)

    assert len(many) == len(one)


@pytest.mark.parametrize(
    ("on", "is_set", "lacks"),
    [
        ((), False, {"reviews", "destinations"}),
        (("reviews", "destinations"), False, set()),
        (("reviews", "destinations", "hosted_work_folder"), True, set()),
        (("reviews", "destinations"), True, {"hosted_work_folder"}),
    ],
)
def test_the_settings_tell_whether_the_board_is_reviewed_and_what_is_off(
    alice: Caller, on: tuple[str, ...], is_set: bool, lacks: set[str]
) -> None:
    for name in ("reviews", "hosted_work_folder"):
        workspace = switch_capability(alice, name=name, is_on=is_set)
    board = create_board(replace(alice, workspace=workspace), name="Post")
    for name in ("reviews", "hosted_work_folder", "destinations"):
        switch_capability(alice, name=name, is_on=name in on)

    page = text_of(browser(alice).get(url("board-settings", board.pk)))

    assert set(re.findall(r'data-off="(\w+)"', page)) == lacks
    assert all(f"/settings/capabilities/#switch-{name}" in page for name in lacks)
    assert ("nothing of this board is reviewed" in page) == ("reviews" in on and "hosted_work_folder" not in on)
    assert ("waits in BakedBrie storage" in page) == ("hosted_work_folder" in on)
