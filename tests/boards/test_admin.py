"""The admin changes boards, columns and cards through services, and shows the rest."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client

from boards.models import BoardEvent, BoardMember, Stage
from boards.services.boards import set_archived
from boards.services.comments import add_comment
from boards.services.members import add_board_member
from boards.services.rounds import keep_result, start_round
from boards.services.stages import add_stage
from tests.factories.boards import make_board, make_card, make_file, stage_of
from tests.factories.workspaces import PASSWORD, make_member
from tests.support.cast import browser
from workspaces.caller import Caller
from workspaces.models import AuditEntry, User


@pytest.fixture
def owner(alice: Caller) -> Client:
    return browser(alice)


@pytest.fixture
def operator(db: None) -> Client:
    """Runs the server and belongs to no workspace."""
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", PASSWORD, name="Root"))
    return client


def test_every_model_has_a_page_that_opens(alice: Caller, operator: Client) -> None:
    card = make_card(alice, make_board(alice))
    add_comment(alice, card=card, text="Look.")
    make_file(alice, card)
    keep_result(card=card, iteration=start_round(alice, card=card), made_by=alice.actor, markdown="# Done")

    for model in apps.get_app_config("boards").get_models():
        path = f"/admin/boards/{model._meta.model_name}/"
        row = model._default_manager.first()
        assert model in admin.site._registry
        assert row is not None
        assert operator.get(path).status_code == 200
        assert operator.get(f"{path}{row.pk}/change/").status_code == 200
        assert operator.get(f"{path}add/").status_code == 403


def test_a_board_is_renamed_through_its_service(alice: Caller, owner: Client) -> None:
    board = make_board(alice)

    answer = owner.post(
        f"/admin/boards/board/{board.pk}/change/", {"name": "Competitors", "description": "", "guidelines": ""}
    )

    board.refresh_from_db()
    assert answer.status_code == 302
    assert (board.name, board.revision) == ("Competitors", 2)
    assert BoardEvent.objects.filter(board=board).latest("id").data == {"fields": ["name"]}


def test_a_column_and_a_card_change_through_their_services(alice: Caller, owner: Client) -> None:
    card = make_card(alice, make_board(alice))

    owner.post(f"/admin/boards/stage/{card.stage_id}/change/", {"name": "Inbox"})
    owner.post(f"/admin/boards/card/{card.pk}/change/", {"title": "Other", "brief": card.brief})

    card.refresh_from_db()
    assert (stage_of(card.board).name, card.title, card.revision) == ("Inbox", "Other", 2)
    kinds = BoardEvent.objects.filter(board=card.board).order_by("-id").values_list("kind", flat=True)
    assert list(kinds)[:2] == ["card_edited", "stage_renamed"]


@pytest.mark.requirement("C088")
def test_the_admin_takes_no_title_and_no_name_that_the_tools_refuse(alice: Caller, owner: Client) -> None:
    card = make_card(alice, make_board(alice))
    turned = "photo\u202egnp.exe"

    answers = [
        owner.post(f"/admin/boards/board/{card.board_id}/change/", {"name": turned}),
        owner.post(f"/admin/boards/stage/{card.stage_id}/change/", {"name": turned}),
        owner.post(f"/admin/boards/card/{card.pk}/change/", {"title": turned, "brief": card.brief}),
    ]

    said = [list(answer.context["adminform"].form.errors) for answer in answers]
    card.refresh_from_db()
    assert said == [["name"], ["name"], ["title"]]
    assert turned not in (card.title, card.board.name, stage_of(card.board).name)
    assert card.revision == 1


def test_a_refusal_is_shown_and_nothing_changes(alice: Caller, owner: Client) -> None:
    board = make_board(alice)
    set_archived(alice, board=board, is_archived=True)

    answer = owner.post(
        f"/admin/boards/board/{board.pk}/change/",
        {"name": "Competitors", "description": "", "guidelines": ""},
    )

    board.refresh_from_db()
    assert "This board is archived." in answer.content.decode()
    assert board.name == "Research"


def test_history_cannot_be_rewritten(alice: Caller, owner: Client) -> None:
    event = BoardEvent.objects.get(board=make_board(alice))

    answer = owner.post(f"/admin/boards/boardevent/{event.pk}/change/", {"kind": "card_created"})

    event.refresh_from_db()
    assert (answer.status_code, event.kind) == (403, "board_created")


def test_an_operator_reads_boards_and_changes_none(alice: Caller, operator: Client) -> None:
    board = make_board(alice)
    path = f"/admin/boards/board/{board.pk}/change/"

    shown, changed = operator.get(path), operator.post(path, {"name": "Mine", "description": "", "guidelines": ""})

    board.refresh_from_db()
    assert (shown.status_code, changed.status_code, board.name) == (200, 403, "Research")


def test_a_brief_keeps_its_line_ends_when_only_the_title_changes(alice: Caller, owner: Client) -> None:
    card = make_card(alice, make_board(alice), brief="One.\nTwo.")

    owner.post(f"/admin/boards/card/{card.pk}/change/", {"title": "Other", "brief": "One.\r\nTwo."})

    card.refresh_from_db()
    assert (card.title, card.brief) == ("Other", "One.\nTwo.")
    assert BoardEvent.objects.filter(card=card).latest("id").data == {"fields": ["title"]}


def test_an_empty_column_is_deleted_and_another_is_refused(alice: Caller, owner: Client) -> None:
    board = make_board(alice)
    empty, first = add_stage(alice, board=board, name="Empty"), stage_of(board)
    given = {"action": "delete_empty", "_selected_action": [str(empty.pk), str(first.pk)]}

    asked = owner.post("/admin/boards/stage/", given)
    done = owner.post("/admin/boards/stage/", {**given, "confirmed": "yes"}, follow=True).content.decode()

    assert "if they are empty" in asked.content.decode()
    assert "Deleted: 1." in done
    assert list(Stage.objects.filter(pk__in=[empty.pk, first.pk])) == [first]


def test_who_manages_a_board_changes_through_the_service(alice: Caller, owner: Client) -> None:
    board = make_board(alice)
    row = add_board_member(alice, board=board, member=make_member(alice).member)
    chosen = {"_selected_action": [str(row.pk)]}

    owner.post("/admin/boards/boardmember/", {"action": "make_manager", **chosen})
    row.refresh_from_db()
    owner.post("/admin/boards/boardmember/", {"action": "take_off", "confirmed": "yes", **chosen})

    assert row.is_manager
    assert not BoardMember.objects.filter(pk=row.pk).exists()
    verbs = AuditEntry.objects.filter(verb__startswith="board_member.").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["board_member.added", "board_member.changed", "board_member.removed"]
