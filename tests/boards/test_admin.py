"""The admin changes boards, columns and cards through services, and shows the rest."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client

from boards.models import BoardEvent
from boards.services.boards import set_archived
from boards.services.comments import add_comment
from boards.services.rounds import keep_result, start_round
from tests.factories.boards import make_board, make_card, make_file, stage_of
from tests.factories.workspaces import make_user
from workspaces.caller import Caller


@pytest.fixture
def operator(db: None) -> Client:
    user = make_user("Otto Operator")
    user.is_staff = user.is_superuser = True
    user.save(update_fields=["is_staff", "is_superuser"])
    client = Client()
    client.force_login(user)
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


def test_a_board_is_renamed_through_its_service(alice: Caller, operator: Client) -> None:
    board = make_board(alice)

    answer = operator.post(
        f"/admin/boards/board/{board.pk}/change/", {"name": "Competitors", "description": "", "guidelines": ""}
    )

    board.refresh_from_db()
    assert answer.status_code == 302
    assert (board.name, board.revision) == ("Competitors", 2)
    assert BoardEvent.objects.filter(board=board).latest("id").data == {"fields": ["name"]}


def test_a_column_and_a_card_change_through_their_services(alice: Caller, operator: Client) -> None:
    card = make_card(alice, make_board(alice))

    operator.post(f"/admin/boards/stage/{card.stage_id}/change/", {"name": "Inbox"})
    operator.post(f"/admin/boards/card/{card.pk}/change/", {"title": "Other", "brief": card.brief})

    card.refresh_from_db()
    assert (stage_of(card.board).name, card.title, card.revision) == ("Inbox", "Other", 2)
    kinds = BoardEvent.objects.filter(board=card.board).order_by("-id").values_list("kind", flat=True)
    assert list(kinds)[:2] == ["card_edited", "stage_renamed"]


@pytest.mark.requirement("C088")
def test_the_admin_takes_no_title_and_no_name_that_the_tools_refuse(alice: Caller, operator: Client) -> None:
    card = make_card(alice, make_board(alice))
    turned = "photo\u202egnp.exe"

    answers = [
        operator.post(f"/admin/boards/board/{card.board_id}/change/", {"name": turned}, follow=True),
        operator.post(f"/admin/boards/stage/{card.stage_id}/change/", {"name": turned}, follow=True),
        operator.post(f"/admin/boards/card/{card.pk}/change/", {"title": turned, "brief": card.brief}, follow=True),
    ]

    said = [str(message) for answer in answers for message in answer.context["messages"]]
    card.refresh_from_db()
    assert [text.count("name:") + text.count("title:") for text in said] == [1, 1, 1]
    assert turned not in (card.title, card.board.name, stage_of(card.board).name)
    assert card.revision == 1


def test_a_refusal_is_shown_and_nothing_changes(alice: Caller, operator: Client) -> None:
    board = make_board(alice)
    set_archived(alice, board=board, is_archived=True)

    answer = operator.post(
        f"/admin/boards/board/{board.pk}/change/",
        {"name": "Competitors", "description": "", "guidelines": ""},
        follow=True,
    )

    board.refresh_from_db()
    assert "This board is archived." in answer.content.decode()
    assert board.name == "Research"


def test_history_cannot_be_rewritten(alice: Caller, operator: Client) -> None:
    event = BoardEvent.objects.get(board=make_board(alice))

    answer = operator.post(f"/admin/boards/boardevent/{event.pk}/change/", {"kind": "card_created"})

    event.refresh_from_db()
    assert (answer.status_code, event.kind) == (403, "board_created")
