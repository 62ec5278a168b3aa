"""Slugs: what is left of a title in a path, and the six characters that tell two cards with one title apart."""

from __future__ import annotations

import hashlib
import unicodedata
import uuid
from itertools import groupby

_MOST_BYTES = 96
_MOST_MARKS = 2
_HASH_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_HASH_CHARACTERS = 6


def slug(text: str, *, otherwise: str = "untitled") -> str:
    """Return the letters and digits of ``text``, of any script, in lower case with single hyphens between.

    At most 96 bytes, never empty, never holding a slash, a dot or a character that cannot be seen.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).lower())
    kept = "".join(character if _may_stay(character) else "-" for character in folded)
    words = [_without_heaps_of_marks(word) for word in kept.split("-")]
    return _shorten("-".join(word for word in words if word)) or otherwise


def card_hash(card_id: uuid.UUID) -> str:
    """Return six characters of a-z and 0-9 that follow from the card's id."""
    number = int.from_bytes(hashlib.sha256(card_id.bytes).digest()[:8])
    characters = []
    for _ in range(_HASH_CHARACTERS):
        number, digit = divmod(number, len(_HASH_ALPHABET))
        characters.append(_HASH_ALPHABET[digit])
    return "".join(characters)


def _may_stay(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM"


def _without_heaps_of_marks(word: str) -> str:
    """Drop marks that stand on nothing, and all but two on one letter: more of them only hide the letter."""
    parts: list[str] = []
    for is_mark, run in groupby(word, key=lambda character: unicodedata.category(character).startswith("M")):
        characters = list(run)
        if is_mark:
            parts += characters[:_MOST_MARKS] if parts else []
        else:
            parts += characters
    return "".join(parts)


def _shorten(name: str) -> str:
    return name.encode()[:_MOST_BYTES].decode(errors="ignore").strip("-")
