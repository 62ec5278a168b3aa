"""Text that came as bytes with no word about its encoding."""

from __future__ import annotations

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins alike
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHERWISE = "cp1252"  # what older spreadsheets of the West write
_CONTROLS = frozenset("\t\n\r\f\x1b")


def read_text(data: bytes, *, is_cut: bool = False) -> str | None:
    """Return the text with plain line ends, or None where the bytes are none.

    A mark at the beginning decides; else it is UTF-8 if it can be, and Western European if not. With ``is_cut`` the
    last character may have lost its end, and is left out.
    """
    named = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    text = _decoded(data, named or "utf-8", is_cut=is_cut)
    if text is None and named is None:
        text = data.decode(_OTHERWISE, errors="replace")
    if text is None or any(ord(character) < 0x20 and character not in _CONTROLS for character in text):
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x1b", "␛")


def _decoded(data: bytes, encoding: str, *, is_cut: bool) -> str | None:
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data, final=not is_cut)
    except UnicodeDecodeError:
        return None
