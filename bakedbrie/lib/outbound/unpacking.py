"""Unpacks gzip and deflate piece by piece, so that a small answer can never become a large one in memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from bakedbrie.lib.outbound.messages import Headers

ACCEPTED = "gzip, deflate"
_PIECE_BYTES = 65536
_GZIP = 16 + zlib.MAX_WBITS


class CannotUnpack(ValueError):
    """The body is packed in a way we do not take, or is broken."""


def coding_of(headers: Headers) -> str:
    """Return gzip, deflate or an empty text, or raise `CannotUnpack` for any other coding and for two at once."""
    values = ",".join(value for name, value in headers if name.lower() == "content-encoding")
    codings = [part.strip().lower() for part in values.split(",")]
    codings = [coding for coding in codings if coding not in {"", "identity"}]
    if not codings:
        return ""
    if codings == ["gzip"] or codings == ["x-gzip"]:
        return "gzip"
    if codings == ["deflate"]:
        return "deflate"
    raise CannotUnpack("The coding of the body is not taken.")


class Unpacker:
    """Turns the bytes on the wire into pieces of at most 64 KiB."""

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._inflater = zlib.decompressobj(_GZIP if coding == "gzip" else zlib.MAX_WBITS) if coding else None
        self._has_started = False

    def feed(self, wire: bytes) -> Iterator[bytes]:
        """Yield what ``wire`` unpacks to, or raise `CannotUnpack`."""
        if self._inflater is None:
            yield wire
            return
        while wire:
            if self._inflater.eof:
                raise CannotUnpack("There are bytes after the end of the packed body.")
            piece = self._inflate(wire)
            wire = self._inflater.unconsumed_tail or self._inflater.unused_data
            if piece:
                yield piece

    def finish(self) -> None:
        """Raise `CannotUnpack` when the packed body stopped before its end."""
        if self._inflater is not None and not self._inflater.eof:
            raise CannotUnpack("The packed body is cut.")

    def _inflate(self, wire: bytes) -> bytes:
        assert self._inflater is not None
        try:
            piece = self._inflater.decompress(wire, _PIECE_BYTES)
        except zlib.error:
            if self._coding != "deflate" or self._has_started:
                raise CannotUnpack("The packed body is broken.") from None
            piece = self._inflate_raw(wire)
        self._has_started = True
        return piece

    def _inflate_raw(self, wire: bytes) -> bytes:
        """Read a deflate body without the zlib wrapper, which many servers send against the standard."""
        self._inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            return self._inflater.decompress(wire, _PIECE_BYTES)
        except zlib.error:
            raise CannotUnpack("The packed body is broken.") from None
