"""Room in our storage: counted with the files, and never more than the quota."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from bakedbrie.lib import storage
from bakedbrie.lib.refusals import Refused
from boards.models import CardFile
from boards.services.files import remove_file
from reviews.services.retention import count_stored
from tests.factories.boards import make_board, make_card, make_file
from tests.support.cast import api
from tests.support.races import at_once, codes
from workspaces.caller import Caller
from workspaces.models import StorageUse
from workspaces.services.room import Usage, give_room, take_room, usage_of

pytestmark = pytest.mark.django_db


@pytest.mark.requirement("V028")
def test_files_of_cards_take_room_and_give_it_back(alice: Caller, charlie: Caller, settings: Any) -> None:
    settings.STORAGE_QUOTA_BYTES = 100
    card = make_card(alice, make_board(alice))

    file = make_file(alice, card, content=b"0123456789")
    full = usage_of(alice.workspace.pk)
    for _ in range(2):
        remove_file(alice, file=file)

    assert full == Usage(bytes=10, quota_bytes=100)
    assert usage_of(alice.workspace.pk).bytes == usage_of(charlie.workspace.pk).bytes == 0


@pytest.mark.requirement("V029")
def test_a_file_beyond_the_quota_is_refused_and_leaves_nothing(alice: Caller, settings: Any) -> None:
    settings.STORAGE_QUOTA_BYTES = 15
    card = make_card(alice, make_board(alice))
    make_file(alice, card, content=b"0123456789")

    with pytest.raises(Refused) as refused:
        make_file(alice, card, content=b"0123456789")

    assert (refused.value.code, refused.value.details) == (
        "STORAGE_QUOTA_EXCEEDED",
        {"used_bytes": 10, "quota_bytes": 15},
    )
    assert (CardFile.objects.count(), len(list(storage.keys(f"cards/{card.pk}")))) == (1, 1)
    assert usage_of(alice.workspace.pk).bytes == 10


def test_a_full_workspace_is_refused_before_a_byte_is_read(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    StorageUse.objects.create(workspace=alice.workspace, bytes=0, quota_bytes=0)
    client = api(alice)

    path = f"/api/v1/cards/{card.pk}/files?name=a.txt"
    answer = client.post(path, b"hello", content_type="application/octet-stream")

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "STORAGE_QUOTA_EXCEEDED")


def test_a_quota_of_its_own_counts_more_than_the_setting(alice: Caller, settings: Any) -> None:
    settings.STORAGE_QUOTA_BYTES = 5
    StorageUse.objects.create(workspace=alice.workspace, quota_bytes=50)

    take_room(alice.workspace.pk, 20)

    assert usage_of(alice.workspace.pk) == Usage(bytes=20, quota_bytes=50)


def test_giving_back_what_was_never_counted_does_not_make_it_negative(alice: Caller) -> None:
    take_room(alice.workspace.pk, 3)

    give_room(alice.workspace.pk, 10)

    assert usage_of(alice.workspace.pk).bytes == 0


@pytest.mark.django_db(transaction=True)
def test_two_at_once_never_share_the_last_room(alice: Caller, settings: Any) -> None:
    settings.STORAGE_QUOTA_BYTES = 10

    outcomes = at_once(*[partial(take_room, alice.workspace.pk, 6) for _ in range(4)])

    assert codes(outcomes) == ["STORAGE_QUOTA_EXCEEDED"] * 3 + ["done"]
    assert usage_of(alice.workspace.pk).bytes == 6


def test_what_was_stored_before_anybody_counted_is_counted_at_night(alice: Caller) -> None:
    make_file(alice, make_card(alice, make_board(alice)), content=b"0123456789")
    StorageUse.objects.all().delete()

    wrong = [count_stored() for _ in range(2)]

    assert (wrong, usage_of(alice.workspace.pk).bytes) == ([1, 0], 10)
