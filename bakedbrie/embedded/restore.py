"""Restoring a backup into an empty data folder: put together beside, looked at, and moved into place at the end."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from bakedbrie.embedded import process
from bakedbrie.embedded.archive import DUMP, Manifest, read_manifest, unpack, verify
from bakedbrie.embedded.backup import hash_of_keys, keys_beside
from bakedbrie.embedded.binaries import postgres_programs
from bakedbrie.embedded.data_folder import CODE, DataFolder
from bakedbrie.embedded.maintenance import run_to_its_end, stores_only
from bakedbrie.embedded.postgres import socket_folder_of
from bakedbrie.embedded.signals import Signals
from bakedbrie.embedded.snapshot import load_dump
from bakedbrie.embedded.terminal import say
from bakedbrie.embedded.trouble import Trouble
from bakedbrie.embedded.valkey import socket_folder_of as valkey_socket_folder_of
from bakedbrie.version import VERSION

NO_KEYS = "none"


def restore(source: str, keys: str) -> int:
    """Restore the archive ``source``. ``keys`` names the file of its keys, `NO_KEYS`, or nothing for the one beside."""
    folder = DataFolder.here()
    _refuse_unless_empty(folder)
    archive = Path(source).expanduser().resolve()
    _refuse_newer(read_manifest(archive))
    manifest = verify(archive)
    found = _keys(archive, manifest, keys)
    folder.make()
    with folder.locked(), Signals() as signals:
        _refuse_unless_empty(folder)
        staging = DataFolder(folder.restoring)
        try:
            staging.make()
            if found:
                staging.keep_keys(found)
            _fill(staging, archive, manifest, signals)
            _put_in_place(staging, folder)
        finally:
            _clear(staging)
    _tell(folder, manifest, has_keys=bool(found))
    return 0


def _refuse_unless_empty(folder: DataFolder) -> None:
    if folder.restoring.exists():
        raise Trouble(f"A restore on {folder.path} was broken off. Remove what is in that folder, then restore again.")
    has_files = folder.files.is_dir() and any(folder.files.iterdir())
    if folder.is_install or folder.has_keys() or has_files:
        raise Trouble(f"{folder.path} is not empty. Restore into an empty folder: name it in BAKEDBRIE_DATA.")


def _refuse_newer(manifest: Manifest) -> None:
    """Code that does not know a migration would misread its rows."""
    is_newer = _numbers(manifest.version) > _numbers(VERSION)
    if is_newer or (manifest.version == VERSION and any(map(_unknown, manifest.migrations.items()))):
        raise Trouble(
            f"This backup was made by a newer BakedBrie ({manifest.version}; this is {VERSION}). "
            "Restore it with that one."
        )
    _, printed = process.run([postgres_programs(None) / "postgres", "--version"])
    major = int(printed.split()[2].partition(".")[0])
    if manifest.postgres > major:
        raise Trouble(f"This backup is of Postgres {manifest.postgres}, and this install has {major}.")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _unknown(applied: tuple[str, object]) -> bool:
    app, names = applied
    ours = CODE / app / "migrations"
    if not ours.is_dir() or not isinstance(names, list):
        return False
    return any(not (ours / f"{name}.py").exists() for name in names)


def _keys(archive: Path, manifest: Manifest, given: str) -> Mapping[str, str] | None:
    if given == NO_KEYS:
        return None
    path = Path(given).expanduser().resolve() if given else keys_beside(archive)
    try:
        text = path.read_text(errors="replace")
    except OSError as error:
        raise Trouble(
            f"The keys {path} cannot be read: {error.strerror}. Name their file with KEYS=file. KEYS=none restores "
            "without them: then no stored secret can be opened again, and every AI account needs its key anew."
        ) from None
    if hash_of_keys(text) != manifest.keys_sha256:
        raise Trouble(f"{path} holds other keys than those of this backup.")
    found: dict[str, str] = json.loads(text)
    return found


def _fill(staging: DataFolder, archive: Path, manifest: Manifest, signals: Signals) -> None:
    unpacked = staging.path / "unpacked"
    unpack(archive, unpacked)
    if (unpacked / "files").exists():
        staging.files.rmdir()
        (unpacked / "files").rename(staging.files)
    with stores_only(staging, signals) as supervisor:
        load_dump(staging, unpacked / DUMP)
        supervisor.prepare("migrate", "--noinput", "--verbosity", "0")
        if run_to_its_end(supervisor, "settle_restored", manifest.made_at) != 0:
            raise Trouble("What the backup had under way could not be settled.")


def _put_in_place(staging: DataFolder, folder: DataFolder) -> None:
    folder.files.rmdir()
    for path in (staging.files, *staging.key_files(), staging.postgres):
        path.rename(folder.path / path.name)


def _clear(staging: DataFolder) -> None:
    for sockets in (socket_folder_of(staging.postgres), valkey_socket_folder_of(staging.valkey)):
        if staging.path not in sockets.parents:
            with suppress(FileNotFoundError):
                shutil.rmtree(sockets)
    shutil.rmtree(staging.path)


def _tell(folder: DataFolder, manifest: Manifest, *, has_keys: bool) -> None:
    say(f"Restored the backup of {manifest.made_at} on {folder.path}. `make up` starts it.")
    if not has_keys:
        say("New keys were made: stored secrets stay shut, so give every AI account its key anew.")
    say("Members and tokens are those of the backup: remove again who was removed since.")
    say("Work is paused in every workspace: what was queued then may have been sent since. Look at the boards, then")
    say("resume each with the tool resume_workspace_dispatch, or in the admin.")
