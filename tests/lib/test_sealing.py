"""Secrets at rest: one context, a ring of keys, and nothing to read in between."""

from __future__ import annotations

import base64
import copy
import json
import logging
import pickle
from collections.abc import Callable, Iterator

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.sealing import (
    SealingError,
    Secret,
    Tampered,
    UnknownKey,
    check_keys,
    needs_resealing,
    seal,
    unseal,
)

KEY_A = base64.b64encode(bytes(range(32))).decode()
KEY_B = base64.b64encode(bytes(range(32, 64))).decode()
CONTEXT = "0192f0c1:ai_account"


@pytest.fixture(autouse=True)
def ring() -> Iterator[None]:
    with override_settings(SEALING_KEYS=f"a:{KEY_A}"):
        yield


@given(st.text(), st.text())
def test_what_was_sealed_opens_in_its_own_context(text: str, context: str) -> None:
    with override_settings(SEALING_KEYS=f"a:{KEY_A}"):
        assert unseal(seal(text, context=context), context=context).reveal() == text


@given(st.binary(max_size=80))
def test_bytes_that_nobody_sealed_never_open(raw: bytes) -> None:
    with override_settings(SEALING_KEYS=f"a:{KEY_A}"), pytest.raises(SealingError):
        unseal(raw, context=CONTEXT)


@given(st.data())
def test_a_changed_bit_anywhere_keeps_it_shut(data: st.DataObject) -> None:
    with override_settings(SEALING_KEYS=f"a:{KEY_A}"):
        sealed = bytearray(seal("sk-canary", context=CONTEXT))
        bit = data.draw(st.integers(0, len(sealed) * 8 - 1))
        sealed[bit // 8] ^= 1 << bit % 8

        with pytest.raises(SealingError):
            unseal(bytes(sealed), context=CONTEXT)


def test_text_bytes_and_a_secret_seal_alike() -> None:
    for value in ("ключ", "ключ".encode(), Secret("ключ")):
        assert unseal(seal(value, context=CONTEXT), context=CONTEXT) == Secret("ключ")


def test_bytes_that_are_no_text_are_not_sealed() -> None:
    with pytest.raises(UnicodeDecodeError):
        seal(b"\xff", context=CONTEXT)


def test_sealing_twice_gives_different_bytes_without_the_secret() -> None:
    first, second = seal("sk-canary", context=CONTEXT), seal("sk-canary", context=CONTEXT)

    assert first != second
    assert b"canary" not in first


def test_another_workspace_or_purpose_keeps_it_shut() -> None:
    sealed = seal("sk-canary", context=CONTEXT)

    with pytest.raises(Tampered) as shut:
        unseal(sealed, context="0192f0c2:ai_account")

    assert "canary" not in str(shut.value)


def test_after_a_rotation_old_values_open_and_want_to_be_sealed_again() -> None:
    old = seal("sk-canary", context=CONTEXT)

    with override_settings(SEALING_KEYS=f"b:{KEY_B}, a:{KEY_A}"):
        new = seal(unseal(old, context=CONTEXT), context=CONTEXT)
        assert (needs_resealing(old), needs_resealing(new)) == (True, False)
    with override_settings(SEALING_KEYS=f"b:{KEY_B}"):
        assert unseal(new, context=CONTEXT).reveal() == "sk-canary"
        with pytest.raises(UnknownKey):
            unseal(old, context=CONTEXT)


def test_a_key_that_was_replaced_under_its_old_name_opens_nothing() -> None:
    sealed = seal("sk-canary", context=CONTEXT)

    with override_settings(SEALING_KEYS=f"a:{KEY_B}"), pytest.raises(Tampered):
        unseal(sealed, context=CONTEXT)


@pytest.mark.parametrize(
    "keys",
    [
        "",
        "a",
        KEY_A,
        f"a:{KEY_A[:-4]}",
        "a:!!!!",
        f"a:{KEY_A},a:{KEY_B}",
        f"a:{KEY_A},",
        f"ä:{KEY_A}",
        f":{KEY_A}",
        "a:",
    ],
)
def test_keys_that_cannot_be_used_are_named_without_being_shown(keys: str) -> None:
    with override_settings(SEALING_KEYS=keys), pytest.raises(ValueError, match="SEALING_KEYS") as refused:
        check_keys()

    assert KEY_A[:8] not in str(refused.value)


def test_usable_keys_pass_the_check() -> None:
    check_keys()


@pytest.mark.parametrize(
    "show", [repr, str, "{}".format, "{!r:>5}".format, lambda secret: f"{secret:>40}", lambda secret: str([secret])]
)
def test_whatever_prints_a_secret_prints_dots(show: Callable[[Secret], str]) -> None:
    shown = show(Secret("sk-canary"))

    assert "canary" not in shown
    assert "…" in shown


def test_a_secret_in_a_log_record_is_dots(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("tests").warning("Key %s", Secret("sk-canary"), extra={"key": Secret("sk-canary")})

    assert caplog.messages == ["Key …"]


def test_a_secret_does_not_travel() -> None:
    secret = Secret("sk-canary")

    for travel in (pickle.dumps, json.dumps):
        with pytest.raises(TypeError):
            travel(secret)
    assert copy.deepcopy({"key": secret})["key"] is secret
    assert copy.copy(secret) is secret


def test_secrets_are_equal_by_their_text() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a")}) == 1
