"""The text of a PDF, read by a confined process that a hostile file cannot hold up."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from agents.calls import pdf_reader

TIMEOUT_S = 15.0
_COMMAND = (sys.executable, "-I", str(Path(pdf_reader.__file__).resolve()))


class Unreadable(Exception):
    """The text cannot be had; the message says why, in words for people and models."""


@dataclass(frozen=True, kw_only=True)
class PdfText:
    """``is_cut``: there are more pages or more text than is read."""

    text: str = field(repr=False)
    is_cut: bool


def read_pdf(stream: IO[bytes]) -> PdfText:
    """Return the text, or raise `Unreadable`. Takes at most `TIMEOUT_S`, and none of this process's memory."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as told:
        shutil.copyfileobj(stream, given)
        if given.tell() > pdf_reader.MOST_BYTES:
            raise Unreadable("it is too large to read")
        given.seek(0)
        status = _read(given, told)
        if status == pdf_reader.ENCRYPTED:
            raise Unreadable("it is protected by a password")
        if status not in (pdf_reader.READ, pdf_reader.READ_IN_PART):
            raise Unreadable("it could not be read")
        told.seek(0)
        text = told.read().decode("utf-8", "replace").strip()
    if not text:
        raise Unreadable("it holds no text, only pictures")
    return PdfText(text=text, is_cut=status == pdf_reader.READ_IN_PART)


def _read(given: IO[bytes], told: IO[bytes]) -> int:
    """Run the reader, with nothing of our environment, and return how it ended."""
    try:
        ended = subprocess.run(
            _COMMAND,
            stdin=given,
            stdout=told,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unreadable("reading it took too long") from None
    return ended.returncode
