"""What a round made: which result, which files, under which names, and how their bytes are read."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from boards.contents import ContentGone, open_content, round_contents
from boards.models import Card, CardFile, Iteration
from boards.services.files import add_file, remove_file
from boards.services.rounds import keep_result, start_round
from boards.states import FileOrigin
from tests.factories.boards import make_board, make_card
from workspaces.caller import Caller


def made(caller: Caller, card: Card, name: str, content: bytes) -> CardFile:
    """A file on the card, as if an agent's work had left it."""
    file = add_file(caller, card=card, name=name, stream=io.BytesIO(content))
    CardFile.objects.filter(pk=file.pk).update(origin=FileOrigin.MADE)
    return file


def leave(caller: Caller, card: Card, iteration: Iteration, markdown: str) -> None:
    keep_result(card=card, iteration=iteration, made_by=caller.actor, markdown=markdown)


def test_a_round_made_its_newest_result_and_the_files_of_that_round(alice: Caller) -> None:
    card = make_card(alice, make_board(alice), title="Compare three tools")
    before = start_round(alice, card=card)
    leave(alice, card, before, "An older round.")
    made(alice, card, "old.png", b"old")
    current = start_round(alice, card=card)
    leave(alice, card, current, "First try.")
    leave(alice, card, current, "Second try: ü.")
    made(alice, card, "chart.txt", b"bars")
    add_file(alice, card=card, name="brief.txt", stream=io.BytesIO(b"uploaded"))

    contents = round_contents(card, current)

    assert [(one.name, one.media_type, one.bytes) for one in contents] == [
        ("compare-three-tools.md", "text/markdown", 15),
        ("chart.txt", "text/plain", 4),
    ]
    with open_content(contents[0]) as first, open_content(contents[1]) as second:
        assert (first.read().decode(), second.read()) == ("Second try: ü.", b"bars")


def test_names_are_told_apart_and_a_round_without_a_result_has_none(alice: Caller) -> None:
    card = make_card(alice, make_board(alice), title="Notes")
    current = start_round(alice, card=card)
    assert round_contents(card, current) == []

    leave(alice, card, current, "Text.")
    made(alice, card, "Notes.md", b"# By hand")

    assert [one.name for one in round_contents(card, current)] == ["notes.md", "Notes (2).md"]


def test_a_file_that_was_taken_off_its_card_is_gone(
    alice: Caller, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    card = make_card(alice, make_board(alice))
    current = start_round(alice, card=card)
    file = made(alice, card, "chart.txt", b"bars")
    (content,) = round_contents(card, current)

    with django_capture_on_commit_callbacks(execute=True):
        remove_file(alice, file=file)

    assert round_contents(card, current) == []
    file.refresh_from_db()
    for seen in (content, replace(content, file=file)):
        with pytest.raises(ContentGone):
            open_content(seen)
