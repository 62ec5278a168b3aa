"""Bytes as text: which encoding they are in, and what is none."""

from __future__ import annotations

import pytest

from bakedbrie.lib.plain_text import read_text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Zoë → 5".encode(), "Zoë → 5"),
        ("Zoë".encode("utf-8-sig"), "Zoë"),
        ("Zoë".encode("utf-16"), "Zoë"),
        ("Zoë".encode("utf-16-be"), None),  # without its mark it holds NUL, as a program does
        (b"\xfe\xff" + "Zoë".encode("utf-16-be"), "Zoë"),
        ("Zoë".encode("utf-32"), "Zoë"),
        ("Zoë, 5 €".encode("cp1252"), "Zoë, 5 €"),
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"\x1b[31mred", "␛[31mred"),
        (b"", ""),
        (b"a\x00b", None),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"\xff\xfea", None),  # a mark, and half a character
    ],
)
def test_bytes_are_read_as_the_text_they_are_or_as_none(data: bytes, text: str | None) -> None:
    assert read_text(data) == text


def test_a_character_that_was_cut_off_at_the_end_is_left_out() -> None:
    data = "naïve Zoë".encode()[:-1]

    assert read_text(data, is_cut=True) == "naïve Zo"
