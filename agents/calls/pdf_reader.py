"""A program of its own that reads the text of a PDF: from standard input to standard output, within hard limits.

It runs apart because a hostile file may eat all memory or never end. Whatever goes wrong here ends this process alone.
"""

from __future__ import annotations

import io
import logging
import resource
import sys

MOST_BYTES = 20_000_000
MOST_PAGES = 100
MOST_CHARACTERS = 400_000
CPU_S = 10
MEMORY_BYTES = 768 * 1024 * 1024

# How it ended. Anything else is a crash: the file is broken.
READ = 0
READ_IN_PART = 10
ENCRYPTED = 11


def _confine() -> None:
    limits = {
        resource.RLIMIT_CPU: CPU_S,
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_FSIZE: MOST_CHARACTERS * 8,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))


def main() -> int:
    _confine()
    from pypdf import PasswordType, PdfReader  # noqa: PLC0415 only once this process is confined

    logging.disable()
    reader = PdfReader(io.BytesIO(sys.stdin.buffer.read(MOST_BYTES)))
    # Without a password for reading, everybody's own viewer opens it too.
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        return ENCRYPTED
    is_whole = len(reader.pages) <= MOST_PAGES
    left = MOST_CHARACTERS
    for page in reader.pages[:MOST_PAGES]:
        text = page.extract_text().strip()
        is_whole = is_whole and len(text) <= left
        sys.stdout.buffer.write(f"{text[:left]}\n\n".encode("utf-8", "replace"))
        left -= min(left, len(text))
        if not left:
            break
    return READ if is_whole else READ_IN_PART


if __name__ == "__main__":
    sys.exit(main())
