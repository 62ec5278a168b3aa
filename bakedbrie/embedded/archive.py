"""The archive of a backup: a tar file with a manifest in front, which names every part with its hash."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from bakedbrie.embedded.trouble import Trouble

FORMAT = 1
MANIFEST = "manifest.json"
DUMP = "database.dump"
FILES = "files/"
MOST_MANIFEST_BYTES = 1_000_000_000
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """``migrations`` are those that the database had, by app; ``keys_sha256`` tells the keys that belong to it."""

    version: str
    made_at: str
    postgres: int
    migrations: Mapping[str, Sequence[str]]
    keys_sha256: str
    parts: Mapping[str, Part] = field(repr=False)
    format: int = FORMAT


def part_of(path: Path) -> Part:
    with path.open("rb") as file:
        return Part(bytes=path.stat().st_size, sha256=hashlib.file_digest(file, "sha256").hexdigest())


def write_archive(target: Path, manifest: Manifest, sources: Mapping[str, Path]) -> None:
    """Write it whole or not at all, for its owner's eyes."""
    unfinished = target.with_name(f"{target.name}.unfinished")
    text = json.dumps(asdict(manifest), indent=1).encode()
    try:
        unfinished.unlink(missing_ok=True)  # a file that is there keeps the owner and the rights it has
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
                _add_manifest(tar, text)
                for name in manifest.parts:
                    tar.add(sources[name], name, recursive=False)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(target)
    except OSError as error:
        raise Trouble(f"{target} cannot be written: {error.strerror}.") from None
    finally:
        unfinished.unlink(missing_ok=True)


def read_manifest(archive: Path) -> Manifest:
    """Return what stands in front, having looked at nothing else."""
    with _opened(archive) as tar:
        return _manifest_in(tar)


def verify(archive: Path) -> Manifest:
    """Read the whole archive and compare every part with the manifest."""
    return _go_through(archive, None)


def unpack(archive: Path, into: Path) -> Manifest:
    """Verify it and write its parts below ``into``."""
    return _go_through(archive, into)


def _add_manifest(tar: tarfile.TarFile, text: bytes) -> None:
    info = tarfile.TarInfo(MANIFEST)
    info.size, info.mode = len(text), 0o600
    tar.addfile(info, io.BytesIO(text))


def _go_through(archive: Path, into: Path | None) -> Manifest:
    with _opened(archive) as tar:
        manifest = _manifest_in(tar)
        missing = set(manifest.parts)
        while member := tar.next():
            part = manifest.parts.get(member.name)
            content = tar.extractfile(member) if member.isfile() else None
            if part is None or content is None or member.name not in missing:
                raise _damaged(archive, f"{member.name} does not belong there")
            missing.discard(member.name)
            if _copied(content, into / member.name if into else None) != part:
                raise _damaged(archive, f"{member.name} is not what was saved")
        if missing:
            raise _damaged(archive, f"{min(missing)} is missing")
        return manifest


def _manifest_in(tar: tarfile.TarFile) -> Manifest:
    member = tar.next()
    content = tar.extractfile(member) if member and member.name == MANIFEST and member.isfile() else None
    if content is None or member is None or member.size > MOST_MANIFEST_BYTES:
        raise ValueError("no manifest in front")
    found = json.loads(content.read())
    if found.get("format") != FORMAT:
        raise Trouble("This backup was written by a newer BakedBrie. Restore it with that one.")
    parts = {name: Part(**part) for name, part in found.pop("parts").items()}
    if DUMP not in parts or not all(map(_is_safe, parts)):
        raise ValueError("parts with wrong names")
    return Manifest(**found, parts=parts)


def _is_safe(name: str) -> bool:
    path = PurePosixPath(name)
    return name == DUMP or (name.startswith(FILES) and ".." not in path.parts and str(path) == name)


@contextmanager
def _opened(archive: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(archive, mode="r:") as tar:
            yield tar
    except (tarfile.TarError, EOFError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise _damaged(archive, str(error)) from None
    except OSError as error:
        raise Trouble(f"{error.filename or archive}: {error.strerror or error}.") from None


def _copied(content: IO[bytes], target: Path | None) -> Part:
    digest = hashlib.sha256()
    size = 0
    if target:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with target.open("xb") if target else open(os.devnull, "wb") as copy:
        while chunk := content.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
            copy.write(chunk)
    return Part(bytes=size, sha256=digest.hexdigest())


def _damaged(archive: Path, why: str) -> Trouble:
    return Trouble(f"{archive} is no whole backup: {why}. Nothing was changed.")
