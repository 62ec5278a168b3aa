"""Stored bytes that no card shows are swept after a day, and nothing else."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from pytest_django.fixtures import Settings

from bakedbrie.lib import clock, storage
from bakedbrie.lib.jobs import Job, poke
from boards.models import Card, CardFile
from boards.services import retention
from boards.services.retention import sweep_orphans
from tests.factories.boards import make_board, make_card, make_file
from tests.support.jobs import Ran
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_storage(settings: Settings, tmp_path: Path) -> None:
    """Other tests, also those of another process, leave files of rows that were rolled back."""
    disk = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "default": disk}


@pytest.fixture
def card(alice: Caller) -> Card:
    return make_card(alice, make_board(alice))


def orphan(card: Card) -> str:
    """Store bytes as an upload does, and crash before its row is committed."""
    return storage.store(io.BytesIO(b"lost"), key_prefix=f"cards/{card.pk}", max_bytes=100).key


def keys() -> set[str]:
    return set(storage.keys("cards"))


def sweep_in(passed: timedelta) -> int:
    with time_machine.travel(clock.now() + passed):
        return sweep_orphans()


def test_bytes_without_a_row_go_after_a_day(alice: Caller, card: Card) -> None:
    file, lost = make_file(alice, card), orphan(card)

    early = sweep_in(timedelta(hours=23))
    still_there = lost in keys()
    late = sweep_in(timedelta(hours=25))

    assert (early, still_there, late) == (0, True, 1)
    assert keys() == {file.storage_key}
    with storage.open_file(file.storage_key) as kept:
        assert kept.read() == b"# Notes\n"


def test_bytes_of_a_removed_file_go_if_its_removal_left_them(alice: Caller, card: Card) -> None:
    removed = make_file(alice, card)
    CardFile.objects.filter(pk=removed.pk).update(removed_at=clock.now())

    assert sweep_in(timedelta(hours=25)) == 1
    assert keys() == set()


def test_what_is_not_named_as_we_name_files_stays(card: Card) -> None:
    names = ["notes.md", "00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000"]
    foreign = {storages["default"].save(f"cards/{card.pk}/{name}", ContentFile(b"x")) for name in names}

    assert sweep_in(timedelta(days=400)) == 0
    assert keys() == foreign


def test_many_files_are_weighed_some_at_a_time(alice: Caller, card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_AT_ONCE", 2)
    kept = {make_file(alice, card, name=f"{number}.md").storage_key for number in range(3)}
    for _ in range(4):
        orphan(card)

    assert sweep_in(timedelta(hours=25)) == 4
    assert keys() == kept


def test_nothing_stored_yet_is_nothing_to_sweep(db: None) -> None:
    assert sweep_orphans() == 0


def test_the_daily_job_sweeps(card: Card, drain_jobs: Callable[..., Ran]) -> None:
    orphan(card)
    poke(Job.RETENTION)

    with time_machine.travel(clock.now() + timedelta(hours=25)):
        drain_jobs()

    assert keys() == set()
