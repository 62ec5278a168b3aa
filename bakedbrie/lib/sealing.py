"""Sealing: secrets at rest under AES-256-GCM, with the key's name in front so that keys can be changed.

A sealed value opens only in the context it was sealed for (workspace and purpose): a row copied to another
workspace stays shut. Layout: version, length of the key name, key name, nonce of 12 bytes, ciphertext with tag.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
import secrets
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from bakedbrie.lib import clock

_VERSION = 1
_NONCE_BYTES = 12
_KEY_BYTES = 32
_KEY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")


class SealingError(Exception):
    """A sealed value cannot be opened. The message never holds any of it."""


class UnknownKey(SealingError):
    """The key that sealed this is not in SEALING_KEYS any more."""


class Tampered(SealingError):
    """The value was changed, is cut, or belongs to another workspace or purpose."""


class Secret:
    """A secret in memory. Whatever prints it shows … instead; only ``reveal`` gives the text."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "…"

    def __format__(self, _: str) -> str:
        return "…"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._text.encode(), other._text.encode())

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, _: object) -> Secret:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("A secret does not travel: seal it instead.")


@dataclass(frozen=True, repr=False)
class _Ring:
    first: str
    keys: dict[str, AESGCM]


def seal(value: str | bytes | Secret, *, context: str) -> bytes:
    """Return ``value`` sealed for ``context`` (workspace id and purpose) under the first key. Bytes must be UTF-8."""
    text = value.reveal() if isinstance(value, Secret) else value
    plain = text.encode() if isinstance(text, str) else text
    plain.decode()
    ring = _ring(settings.SEALING_KEYS)
    head = _head(ring.first)
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return head + nonce + ring.keys[ring.first].encrypt(nonce, plain, head + context.encode())


def unseal(sealed: bytes | memoryview, *, context: str) -> Secret:
    """Open what was sealed for the same context, or raise `UnknownKey` or `Tampered`."""
    raw = bytes(sealed)
    name = _key_name(raw)
    ring = _ring(settings.SEALING_KEYS)
    if name not in ring.keys:
        raise UnknownKey("The key that sealed this is not in SEALING_KEYS.")
    head = _head(name)
    nonce, body = raw[len(head) : len(head) + _NONCE_BYTES], raw[len(head) + _NONCE_BYTES :]
    try:
        return Secret(ring.keys[name].decrypt(nonce, body, head + context.encode()).decode())
    except (InvalidTag, ValueError):
        raise Tampered("The sealed value was changed or belongs somewhere else.") from None


def needs_resealing(sealed: bytes | memoryview) -> bool:
    """Tell whether another key than the first one sealed this, so that a rotation must seal it again."""
    return _key_name(bytes(sealed)) != _ring(settings.SEALING_KEYS).first


def key_name(sealed: bytes | memoryview) -> str:
    """Return the name of the key that sealed this; the first 34 bytes are enough to tell. Names are no secrets."""
    return _key_name(bytes(sealed))


def key_names() -> tuple[str, ...]:
    """Return the names in SEALING_KEYS, the one that seals first."""
    return tuple(_ring(settings.SEALING_KEYS).keys)


def new_key() -> str:
    """Return a new entry for SEALING_KEYS, with a name that no earlier one has."""
    name = f"k{clock.now():%Y%m%d}-{secrets.token_hex(3)}"
    return f"{name}:{base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode()}"


def entries(text: str) -> list[str]:
    """Return the parts of ``name:base64,name:base64``; they may also stand one on each line."""
    return re.split(r"\s*[,\n]\s*", text.strip())


def check_keys(text: str | None = None) -> None:
    """Raise ValueError, without any key in its text, when SEALING_KEYS (or ``text`` in its place) cannot be used."""
    _ring(settings.SEALING_KEYS if text is None else text)


def _head(name: str) -> bytes:
    return bytes([_VERSION, len(name)]) + name.encode()


def _key_name(raw: bytes) -> str:
    if len(raw) < 2 or raw[0] != _VERSION:
        raise Tampered("This is not a sealed value.")
    try:
        return raw[2 : 2 + raw[1]].decode("ascii")
    except UnicodeDecodeError:
        raise Tampered("This is not a sealed value.") from None


@lru_cache(maxsize=8)
def _ring(text: str) -> _Ring:
    """The first key seals, all of them open."""
    keys: dict[str, AESGCM] = {}
    for position, part in enumerate(entries(text), start=1):
        name, separator, encoded = part.partition(":")
        if not separator or not _KEY_NAME.fullmatch(name):
            raise ValueError(f"SEALING_KEYS: key {position} must be written name:base64 of 32 bytes.")
        if name in keys:
            raise ValueError(f"SEALING_KEYS: the name {name} is there twice.")
        try:
            key = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            raise ValueError(f"SEALING_KEYS: the key {name} is not base64.") from None
        if len(key) != _KEY_BYTES:
            raise ValueError(f"SEALING_KEYS: the key {name} has {len(key)} bytes, not 32.")
        keys[name] = AESGCM(key)
    return _Ring(next(iter(keys)), keys)
