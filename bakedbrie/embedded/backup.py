"""A backup of an embedded install, while it runs or while it does not: rows and files of one moment in one archive."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from bakedbrie.embedded.archive import DUMP, FILES, Manifest, part_of, write_archive
from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.maintenance import at_rest, require_install
from bakedbrie.embedded.secret_file import keep_secret
from bakedbrie.embedded.snapshot import Snapshot, take_snapshot
from bakedbrie.embedded.terminal import say
from bakedbrie.embedded.trouble import Trouble
from bakedbrie.lib import clock
from bakedbrie.version import VERSION


def backup(to: str, *, with_keys: bool) -> int:
    """Write the archive to ``to``, or below the data folder, and the keys to a file beside it."""
    folder = DataFolder.here()
    require_install(folder)
    made_at = clock.now()
    target = _target(folder, to, made_at)
    running = contextlib.nullcontext() if folder.holder() else at_rest(folder)
    with running, _alone(folder) as staging:
        keys = keys_text(folder.keys())
        snapshot = take_snapshot(folder, staging)
        if keys_text(folder.keys()) != keys:
            raise Trouble("The sealing key was changed meanwhile. Try again.")
        manifest = _manifest(snapshot, made_at, keys)
        sources = {DUMP: snapshot.dump} | {FILES + key: path for key, path in snapshot.files.items()}
        write_archive(target, manifest, sources)
        if with_keys:
            keep_secret(keys_beside(target), keys)
    _tell(target, manifest, snapshot, with_keys=with_keys)
    _tell_of_buckets(folder, snapshot)
    return 0


def keys_beside(archive: Path) -> Path:
    return archive.with_name(f"{archive.name}.keys")


def keys_text(keys: Mapping[str, str]) -> str:
    return json.dumps(dict(keys), sort_keys=True)


def hash_of_keys(text: str) -> str:
    return hashlib.sha256(text.strip().encode()).hexdigest()


def _target(folder: DataFolder, to: str, made_at: datetime) -> Path:
    if to:
        target = Path(to).expanduser().resolve()
    else:
        backups = folder.path / "backups"
        backups.mkdir(mode=0o700, exist_ok=True)
        target = backups / f"bakedbrie-{made_at:%Y-%m-%d-%H%M%S}.tar"
    if not target.parent.is_dir():
        raise Trouble(f"There is no folder {target.parent}.")
    for path in (target, keys_beside(target)):
        if path.exists():
            raise Trouble(f"{path} is there already, and is not written over.")
    return target


@contextlib.contextmanager
def _alone(folder: DataFolder) -> Iterator[Path]:
    """Give a folder for what one backup collects; what a killed one left there goes first."""
    staging = folder.path / "backing-up"
    with open(os.open(folder.path / "backup.lock", os.O_RDWR | os.O_CREAT, 0o600)) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Trouble("Another backup is being made.") from None
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(mode=0o700)
        try:
            yield staging
        finally:
            shutil.rmtree(staging)


def _manifest(snapshot: Snapshot, made_at: datetime, keys: str) -> Manifest:
    parts = {DUMP: part_of(snapshot.dump)}
    for key, path in sorted(snapshot.files.items()):
        parts[FILES + key] = part_of(path)
    return Manifest(
        version=VERSION,
        made_at=made_at.isoformat(timespec="seconds"),
        postgres=snapshot.postgres,
        migrations=snapshot.migrations,
        keys_sha256=hash_of_keys(keys),
        parts=parts,
    )


def _tell(target: Path, manifest: Manifest, snapshot: Snapshot, *, with_keys: bool) -> None:
    size = target.stat().st_size / 1_000_000
    say(f"Saved the database and {len(snapshot.files)} files: {target} ({size:.1f} MB)")
    hashes = {key: manifest.parts[FILES + key].sha256 for key in snapshot.files}
    in_a_bucket = bool(os.environ.get("FILES_BUCKET"))
    for key in [] if in_a_bucket else snapshot.lost:
        say(f"  A card names a file whose bytes were gone before this backup: {key}")
    for key in sorted(key for key, sha256 in hashes.items() if sha256 != snapshot.hashes[key]):
        say(f"  A file is not what was uploaded; it was saved as it is: {key}")
    if in_a_bucket:
        say("  Files of cards and hosted work folders lie in a bucket (FILES_BUCKET) and are not in this backup.")
    if with_keys:
        say(f"Saved the keys: {keys_beside(target)}")
        say("Without them the secrets of this backup cannot be opened. Who has both can open them: keep them apart.")
    else:
        say("The keys were left out. Without them the secrets of this backup cannot be opened.")


def _tell_of_buckets(folder: DataFolder, snapshot: Snapshot) -> None:
    if snapshot.buckets:
        say(f"What lies in the buckets of {snapshot.buckets} destinations, work folders there included, is not in it.")
    if folder.buckets.is_dir():
        say(f"The bucket of the demo is not in it either: it is the folder {folder.buckets}.")
