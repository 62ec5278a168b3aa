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
        self._inflater = zlib.decompressobj(_GZIP) if coding == "gzip" else None
        self._held = b""

    def feed(self, wire: bytes) -> Iterator[bytes]:
        """Yield what ``wire`` unpacks to, or raise `CannotUnpack`."""
        if not self._coding:
            yield wire
            return
        wire, self._held = self._held + wire, b""
        if self._inflater is None:
            if len(wire) < 2:
                self._held = wire
                return
            self._inflater = zlib.decompressobj(zlib.MAX_WBITS if _is_wrapped(wire) else -zlib.MAX_WBITS)
        while wire:
            if self._inflater.eof:
                raise CannotUnpack("There are bytes after the end of the packed body.")
            try:
                piece = self._inflater.decompress(wire, _PIECE_BYTES)
            except zlib.error:
                raise CannotUnpack("The packed body is broken.") from None
            wire = self._inflater.unconsumed_tail or self._inflater.unused_data
            if piece:
                yield piece

    def finish(self) -> None:
        """Raise `CannotUnpack` when the packed body stopped before its end."""
        if self._coding and (self._inflater is None or not self._inflater.eof):
            raise CannotUnpack("The packed body is cut.")


def _is_wrapped(wire: bytes) -> bool:
    """Tell whether a deflate body starts with zlib's header; many servers leave it out, against the standard."""
    return wire[0] & 0x0F == 8 and (wire[0] << 8 | wire[1]) % 31 == 0
