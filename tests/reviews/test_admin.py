"""The admin of work folders: everything can be read, nothing written."""

from __future__ import annotations

import pytest
from django.test import Client

from reviews.models import FolderFile, FolderStep, WorkFolder
from tests.factories.boards import make_board, make_card
from tests.factories.reviews import make_hosted_folder, put_result
from tests.support.cast import browser
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(alice: Caller) -> Client:
    client = browser(alice)
    alice.member.user.is_staff = alice.member.user.is_superuser = True
    alice.member.user.save()
    return client


@pytest.mark.parametrize("model", [WorkFolder, FolderFile, FolderStep])
def test_a_row_has_a_page_that_opens_and_cannot_be_written(
    model: type[WorkFolder] | type[FolderFile] | type[FolderStep], alice: Caller, operator: Client
) -> None:
    board = make_board(alice)
    put_result(alice, make_hosted_folder(alice, board), make_card(alice, board))
    path = f"/admin/reviews/{model._meta.model_name}/"
    row = model._default_manager.get()

    assert operator.get(path).status_code == 200
    assert operator.get(f"{path}{row.pk}/change/").status_code == 200
    assert operator.post(f"{path}{row.pk}/change/", {}).status_code == 403
    assert operator.get(f"{path}add/").status_code == 403
