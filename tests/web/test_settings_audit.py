"""The audit trail in the settings: every change of a right in words, for owners and admins."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boards.services.members import add_board_member
from boards.states import EventKind
from tests.factories.boards import make_board
from tests.factories.workspaces import make_member
from tests.support.cast import browser, token_of
from tests.web.pages import code_of, text_of
from workspaces.caller import Caller
from workspaces.models import AuditEntry
from workspaces.roles import Role
from workspaces.services.audit import record_audit
from workspaces.services.members import change_role, remove_member
from workspaces.services.workspaces import rename_workspace
from workspaces.web.audit_words import KINDS, WORDS

pytestmark = pytest.mark.django_db

PAGE = "/settings/audit/"
HOSTILE = '<script>alert("1")</script>'
ROOT = Path(__file__).resolve().parents[2]


def sentences(page: Any) -> list[str]:
    return [sentence for _, sentence in page.context["rows"]]


@pytest.mark.requirement("W004")
def test_a_change_is_told_in_words_newest_first(alice: Caller, mia: Caller) -> None:
    change_role(alice, member=mia.member, role=Role.ADMIN)
    token_of(mia)
    remove_member(alice, member=mia.member)

    page = browser(alice).get(PAGE)

    assert sentences(page)[:3] == [
        "removed Mia Moreau; 1 of their tokens ended",
        "minted the token “full_control of Mia Moreau”, full control",
        "made Mia Moreau admin, before member",
    ]
    assert sentences(page)[-1] == "made the workspace “Alice's Bakery”"


def test_every_verb_has_words_and_a_kind() -> None:
    product = ("workspaces", "boards", "agents", "destinations", "reviews", "workflows", "bakedbrie", "workers")
    source = "\n".join(path.read_text() for folder in product for path in sorted((ROOT / folder).rglob("*.py")))
    written = set(re.findall(r'(?:record_audit\(\s*\S+, |verb=)"([a-z_.]+)"', source)) | {"invite.accepted"}
    written |= {kind.value.replace("member_", "board_member.") for kind in EventKind if kind.startswith("member_")}

    assert written == set(WORDS)
    assert {verb.partition(".")[0] for verb in written} == set(KINDS)


def test_an_entry_of_a_kind_that_nobody_knows_is_shown_as_it_is(alice: Caller) -> None:
    record_audit(alice, "oven.lit", board=None, member="no id")

    assert sentences(browser(alice).get(PAGE))[0] == "oven.lit"


def test_it_is_filtered_by_person_and_by_kind(alice: Caller, amir: Caller) -> None:
    rename_workspace(amir, name="Bread")
    token_of(amir)
    client = browser(alice)

    by_person = client.get(PAGE, {"person": str(amir.actor.pk), "kind": ""})
    by_both = client.get(PAGE, {"person": str(amir.actor.pk), "kind": "token"})
    nothing = client.get(PAGE, {"kind": "secret"})

    assert len(sentences(by_person)) == 2
    assert sentences(by_both) == ["minted the token “full_control of Amir Aziz”, full control"]
    assert "Nothing of this kind happened." in text_of(nothing)


def test_board_members_are_no_members_of_the_workspace(alice: Caller, mia: Caller) -> None:
    board = make_board(alice)
    add_board_member(alice, board=board, member=mia.member, is_manager=True)
    client = browser(alice)

    boards, people = client.get(PAGE, {"kind": "board_member"}), client.get(PAGE, {"kind": "member"})

    assert "let Mia Moreau into a board as a manager" in sentences(boards)
    assert f"/boards/{board.pk}/" in text_of(boards)
    assert sentences(people) == ["added Mia Moreau as member"]


def test_older_entries_come_by_pages_that_keep_the_filter(alice: Caller) -> None:
    for number in range(5):
        rename_workspace(alice, name=f"Bread {number}")
    client = browser(alice)
    first = client.get(PAGE, {"kind": "workspace", "limit": "4"})

    second = client.get(PAGE, {"kind": "workspace", "limit": "4", "cursor": str(first.context["next_cursor"])})

    seen = [entry.pk for page in (first, second) for entry, _ in page.context["rows"]]
    assert seen == list(AuditEntry.objects.order_by("-pk").values_list("pk", flat=True))
    assert "&amp;kind=workspace" in text_of(first)


@pytest.mark.parametrize("query", [{"kind": "A B"}, {"cursor": "?"}, {"limit": "0"}, {"other": "1"}])
def test_a_filter_that_makes_no_sense_is_refused_in_place(alice: Caller, query: dict[str, str]) -> None:
    answer = browser(alice).get(PAGE, query)

    assert (answer.status_code, code_of(answer), sentences(answer)) == (422, "INVALID_INPUT", [])


@pytest.mark.requirement("W002", "W004")
@pytest.mark.parametrize("person", ["mia", "vic"])
def test_only_owners_and_admins_read_it_and_see_its_tab(person: str, request: pytest.FixtureRequest) -> None:
    client = browser(request.getfixturevalue(person))

    answer = client.get(PAGE)

    assert (answer.status_code, code_of(answer)) == (403, "FORBIDDEN")
    assert PAGE not in text_of(client.get("/settings/"))


@pytest.mark.requirement("W002")
def test_nothing_of_another_workspace_is_told(alice: Caller, charlie: Caller) -> None:
    rename_workspace(charlie, name="Secret Cheese")
    client = browser(alice)

    pages = [client.get(PAGE), client.get(PAGE, {"person": str(charlie.actor.pk)})]

    assert ["Secret Cheese" in text_of(page) or "Charlie" in text_of(page) for page in pages] == [False, False]


def test_names_are_shown_as_text(alice: Caller) -> None:
    make_member(alice, HOSTILE)

    page = text_of(browser(alice).get(PAGE))

    assert ("<script>alert" in page, "&lt;script&gt;alert" in page) == (False, True)


def test_the_page_takes_as_many_queries_for_many_entries_as_for_one(
    alice: Caller, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    make_member(alice, "Member")
    with django_assert_max_num_queries(6) as one:
        client.get(PAGE)
    for number in range(8):
        make_member(alice, f"Member {number}")

    with django_assert_max_num_queries(6) as many:
        client.get(PAGE)

    assert len(many) == len(one)
