"""Known secrets never survive in what a service sent back."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.redact import REMOVED, Redactor

CANARY = 'sk-canary/"+7Zq2 mX9ü\\'
PLAIN = "sk-canary-7Zq2mX9"


@pytest.mark.parametrize(
    "echo",
    [
        f"Bad key {CANARY}.",
        json.dumps({"error": f"bad key {CANARY}"}),
        json.dumps({"error": f"bad key {CANARY}"}, ensure_ascii=False),
        json.dumps({"error": CANARY}).replace("/", "\\/"),
        f"https://api.example.test/?key={quote(CANARY)}",
        f"https://api.example.test/?{urlencode({'key': CANARY})}",
        quote(CANARY, safe="").replace("%2F", "%2f").replace("%2B", "%2b").replace("%C3%BC%5C", "%c3%bc%5c"),
        quote_plus(CANARY),
    ],
)
def test_a_secret_is_removed_in_the_forms_services_echo(echo: str) -> None:
    shown = Redactor([CANARY]).text(echo)

    assert "canary" not in shown
    assert REMOVED in shown


@pytest.mark.parametrize("user", ["", "a", "ab", "abc", "user:", "longer-user:"])
def test_a_secret_inside_base64_is_removed_wherever_it_stands(user: str) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        echo = encode(f"{user}{PLAIN}".encode()).decode()

        shown = Redactor([PLAIN]).text(f"Basic {echo}")

        assert REMOVED in shown
        assert "canary" not in base64.urlsafe_b64decode(shown.split(REMOVED)[0].removeprefix("Basic ") + "===").decode()


def test_values_keys_and_lists_are_cleaned_and_numbers_kept() -> None:
    value = {"error": [f"bad {PLAIN}", 7, None, True], PLAIN: {"n": 1.5}}

    assert Redactor([PLAIN]).value(value) == {"error": [f"bad {REMOVED}", 7, None, True], REMOVED: {"n": 1.5}}


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert Redactor(["abcdef", "abcdefghi"]).text("abcdefghi abcdef") == f"{REMOVED} {REMOVED}"


def test_a_short_secret_does_not_shred_ordinary_words() -> None:
    assert Redactor(["the", ""]).text("the theme") == "the theme"


def test_without_secrets_nothing_changes() -> None:
    assert Redactor([]).value({"a": "b"}) == {"a": "b"}


def test_a_redactor_shows_no_secret() -> None:
    assert repr(Redactor([PLAIN])) == "Redactor(…)"


@given(
    st.lists(
        st.text(alphabet=st.characters(codec="utf-8", exclude_characters="[]"), min_size=10), min_size=1, max_size=3
    ),
    st.text(alphabet=st.characters(codec="utf-8"), max_size=40),
    st.text(alphabet=st.characters(codec="utf-8"), max_size=40),
)
def test_no_secret_survives_in_any_text(secrets: list[str], before: str, after: str) -> None:
    text = before + secrets[0] + after + json.dumps(secrets) + quote(secrets[-1])

    shown = Redactor(secrets).text(text)

    assert not [secret for secret in secrets if secret in shown]


@pytest.mark.parametrize("width", [1, 3, 7, 16])
def test_a_secret_in_two_pieces_of_a_text_is_removed(width: int) -> None:
    text = f"Your key is {PLAIN}, keep sk-can safe."
    redactor = Redactor([PLAIN])

    shown, rest = "", ""
    for start in range(0, len(text), width):
        piece, rest = redactor.split(rest + text[start : start + width])
        shown += piece

    assert shown + rest == f"Your key is {REMOVED}, keep sk-can safe."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"id-{PLAIN[:9]}", f"id-{REMOVED}"),
        (f"id-{PLAIN}", f"id-{REMOVED}"),
        (f"id-{PLAIN[:5]}", f"id-{PLAIN[:5]}"),
        (f"{PLAIN[:9]}-id", f"{PLAIN[:9]}-id"),
        ("", ""),
    ],
)
def test_the_beginning_of_a_secret_at_the_end_of_a_cut_text_is_removed(text: str, shown: str) -> None:
    assert Redactor([PLAIN]).cut_text(text) == shown


def test_without_secrets_a_text_stays_as_it_is() -> None:
    assert (Redactor([]).cut_text("abc"), Redactor([]).split("abc")) == ("abc", ("abc", ""))
