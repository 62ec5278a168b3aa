"""What holds secrets is its owner's alone, whatever lay there before."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from bakedbrie.embedded.archive import DUMP, Manifest, part_of, write_archive
from bakedbrie.embedded.secret_file import keep_secret


def planted(path: Path) -> Path:
    """Leave a file for everybody where one is about to be written."""
    path.write_text("planted")
    path.chmod(0o666)
    return path


def test_an_archive_is_written_into_no_file_that_was_there(tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    dump.write_bytes(b"rows")
    manifest = Manifest(
        version="1", made_at="", postgres=18, migrations={}, keys_sha256="", parts={DUMP: part_of(dump)}
    )
    left = planted(tmp_path / "saved.tar.unfinished").open("rb")

    write_archive(tmp_path / "saved.tar", manifest, {DUMP: dump})

    with left:
        assert left.read() == b"planted"
    assert stat.S_IMODE((tmp_path / "saved.tar").stat().st_mode) == 0o600


def test_a_secret_is_written_into_no_file_that_was_there(tmp_path: Path) -> None:
    left = planted(tmp_path / f"key.{os.getpid()}").open("rb")

    keep_secret(tmp_path / "key", "of the owner")

    with left:
        assert left.read() == b"planted"
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
