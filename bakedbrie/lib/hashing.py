"""Hashes that people act on: the canonical JSON (RFC 8785) of exactly what they saw."""

from __future__ import annotations

import hashlib

import rfc8785


def canonical_hash(purpose: str, value: object) -> str:
    """Return the sha256 (64 hex digits) of ``value`` for one purpose; two purposes never share a hash.

    ``value`` is JSON: text, whole numbers up to 2**53, booleans, None, lists and objects with text keys.
    """
    return hashlib.sha256(purpose.encode() + b"\n" + rfc8785.dumps(value)).hexdigest()  # type: ignore[arg-type]


def text_hash(text: str) -> str:
    """Return the sha256 of the UTF-8 text, as shown beside a result."""
    return hashlib.sha256(text.encode()).hexdigest()
