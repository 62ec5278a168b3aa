"""One moment of an install: its rows in a dump, and the files that these rows name."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bakedbrie.embedded import process
from bakedbrie.embedded.binaries import postgres_programs
from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.postgres import OWNER, PORT, socket_folder_of
from bakedbrie.embedded.system_user import unprivileged_user
from bakedbrie.embedded.trouble import Trouble

LOCK_WITHIN = "30s"
_MAJOR = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """``files`` are where they were put; ``lost`` are keys of files whose bytes were gone before; ``buckets`` counts
    the destinations that hold files of their own."""

    dump: Path
    files: dict[str, Path]
    lost: list[str]
    hashes: dict[str, str]
    migrations: dict[str, list[str]]
    postgres: int
    buckets: int


def take_snapshot(folder: DataFolder, into: Path) -> Snapshot:
    """Dump the database of a running Postgres, and link the files that its rows name at that moment below ``into``.

    A file is written before its row and removed after it. While links are made, nobody may add or remove such a row:
    so every file that the dump names is there. Nobody waits for the dump itself.
    """
    with _connected(folder) as guard, _connected(folder) as reader:
        try:
            guard.execute("SELECT set_config('lock_timeout', %s, false)", [LOCK_WITHIN])
            guard.execute("LOCK TABLE boards_cardfile, reviews_folderfile IN SHARE MODE")
        except psycopg.errors.LockNotAvailable:
            raise Trouble("The database is too busy for a backup just now. Try again.") from None
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        name = _one(reader, "SELECT pg_export_snapshot()")
        hashes = _hashes(reader)
        files = _link(folder.files, hashes, into / "files")
        guard.rollback()
        dump = into / "database.dump"
        _dump(folder, str(name), dump)
        return Snapshot(
            dump=dump,
            files=files,
            lost=sorted(hashes.keys() - files.keys()),
            hashes=hashes,
            migrations=_migrations(reader),
            postgres=reader.info.server_version // _MAJOR,
            buckets=int(str(_one(reader, "SELECT count(*) FROM destinations_destination WHERE state <> 'off'"))),
        )


def load_dump(folder: DataFolder, dump: Path) -> None:
    """Fill the empty database of a running Postgres, in one transaction."""
    options = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
    _run("pg_restore", *_address(folder), "--dbname", OWNER, *options, str(dump))


@contextlib.contextmanager
def _connected(folder: DataFolder) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    host = str(socket_folder_of(folder.postgres))
    try:
        connection = psycopg.connect(host=host, port=PORT, user=OWNER, dbname=OWNER)
    except psycopg.OperationalError:
        raise Trouble("Postgres does not answer: BakedBrie is just starting or stopping. Try again.") from None
    with connection:
        yield connection


def _one(connection: psycopg.Connection[tuple[object, ...]], query: str) -> object:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def _hashes(reader: psycopg.Connection[tuple[object, ...]]) -> dict[str, str]:
    rows = reader.execute(
        "SELECT storage_key, sha256 FROM boards_cardfile WHERE removed_at IS NULL "
        "UNION ALL SELECT key, sha256 FROM reviews_folderfile WHERE storage = 'hosted' AND key <> ''"
    )
    return {str(key): str(sha256) for key, sha256 in rows}


def _migrations(reader: psycopg.Connection[tuple[object, ...]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for app, name in reader.execute("SELECT app, name FROM django_migrations ORDER BY app, name"):
        found.setdefault(str(app), []).append(str(name))
    return found


def _link(files: Path, keys: dict[str, str], into: Path) -> dict[str, Path]:
    """A kept file never changes, so a second name for it is as good as a copy, and takes no time."""
    linked = {}
    for key in keys:
        link = into / key
        link.parent.mkdir(parents=True, exist_ok=True)
        try:
            _link_or_copy(files / key, link)
        except FileNotFoundError:
            continue
        linked[key] = link
    return linked


def _link_or_copy(file: Path, link: Path) -> None:
    try:
        os.link(file, link)
    except FileNotFoundError:
        raise
    except OSError:  # some file systems have no links
        shutil.copyfile(file, link)


def _dump(folder: DataFolder, snapshot: str, target: Path) -> None:
    options = ["--format", "custom", "--no-owner", "--no-privileges"]
    _run("pg_dump", *_address(folder), "--snapshot", snapshot, *options, "--file", str(target), OWNER)


def _address(folder: DataFolder) -> list[str]:
    return ["--host", str(socket_folder_of(folder.postgres)), "--port", str(PORT), "--username", OWNER]


def _run(program: str, *arguments: str) -> None:
    programs = postgres_programs(unprivileged_user(may_create=False))
    code, printed = process.run([programs / program, *arguments])
    if code != 0:
        raise Trouble(f"{program} failed: {printed.splitlines()[-1] if printed else f'status {code}'}")
