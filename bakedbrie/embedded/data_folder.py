"""The data folder: where it is, what lies in it, and the lock that one supervisor holds on it."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import hashlib
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from bakedbrie.embedded.folders import make_passage, others_may_enter, own_folder
from bakedbrie.embedded.secret_file import keep_secret, kept_secret
from bakedbrie.embedded.trouble import Trouble
from bakedbrie.lib import clock

CODE = Path(__file__).resolve().parent.parent.parent
FOR_ROOT = Path("/var/lib/bakedbrie")
LOCK_WITHIN_S = 0.5  # somebody who only asks who holds the lock has it for a moment


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The paths below one data folder. Making an object makes nothing on disk."""

    path: Path

    @classmethod
    def here(cls) -> DataFolder:
        """BAKEDBRIE_DATA; else ``var`` beside the code; else, where only root gets there, a folder under /var/lib.

        Postgres never runs as root, and its account must reach its files.
        """
        if named := os.environ.get("BAKEDBRIE_DATA"):
            return cls(Path(named).expanduser().resolve())
        if os.geteuid() == 0 and not others_may_enter(CODE):
            return cls(FOR_ROOT / hashlib.sha256(os.fsencode(CODE)).hexdigest()[:12])
        return cls(CODE / "var")

    @property
    def postgres(self) -> Path:
        return self.path / "postgres"

    @property
    def valkey(self) -> Path:
        return self.path / "valkey"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def metrics(self) -> Path:
        return self.path / "metrics"

    @property
    def files(self) -> Path:
        return self.path / "files"

    @property
    def buckets(self) -> Path:
        """Where the demo's S3 server keeps its buckets, each a folder."""
        return self.path / "buckets"

    @property
    def restoring(self) -> Path:
        """Where a restore puts things together; afterwards it is gone."""
        return self.path / "restoring"

    @property
    def is_install(self) -> bool:
        with _own(self.path):
            return (self.postgres / "PG_VERSION").exists()

    @property
    def memory(self) -> Path:
        return self.path / "remembered.json"

    @property
    def _lock(self) -> Path:
        return self.path / "supervisor.lock"

    @property
    def _secret_key(self) -> Path:
        return self.path / "secret_key"

    @property
    def _sealing_keys(self) -> Path:
        return self.path / "sealing_keys"

    def make(self) -> None:
        """Make the folder and what only the account that starts BakedBrie may read."""
        try:
            make_passage(self.path)
        except OSError as error:
            raise Trouble(f"The data folder {self.path} cannot be made: {error.strerror}.") from None
        if not self.path.is_dir():
            raise Trouble(f"{self.path} is no folder. Name another one in BAKEDBRIE_DATA.")
        if os.geteuid() == 0 and not others_may_enter(self.path):
            raise Trouble(
                f"As root, Postgres runs as another account, and that one cannot enter {self.path}. "
                "Name a folder that others may enter in BAKEDBRIE_DATA, or start BakedBrie as an ordinary user."
            )
        if not os.access(self.path, os.W_OK):
            raise Trouble(f"You may not write to {self.path}. Name another folder in BAKEDBRIE_DATA.")
        for name in ("logs", "files", "static"):
            own_folder(self.path / name, None)

    def has_keys(self) -> bool:
        return self._secret_key.exists() and self._sealing_keys.exists()

    def secret_key(self) -> str:
        return kept_secret(self._secret_key, lambda: secrets.token_urlsafe(48))

    def sealing_keys(self) -> str:
        return kept_secret(self._sealing_keys, lambda: _new_sealing_key("k1"))

    def put_sealing_key_in_front(self) -> None:
        name = f"k{clock.now():%Y%m%d}-{secrets.token_hex(3)}"
        self.keep_sealing_keys(f"{_new_sealing_key(name)},{self.sealing_keys()}")

    def keep_sealing_keys(self, keys: str) -> None:
        keep_secret(self._sealing_keys, keys)

    def keys(self) -> dict[str, str]:
        """Return what a backup has to keep apart. Makes keys where there are none."""
        return {"secret_key": self.secret_key(), "sealing_keys": self.sealing_keys()}

    def key_files(self) -> list[Path]:
        return [self._secret_key, self._sealing_keys]

    def keep_keys(self, keys: Mapping[str, str]) -> None:
        keep_secret(self._secret_key, keys["secret_key"])
        keep_secret(self._sealing_keys, keys["sealing_keys"])

    def bucket_key(self) -> str:
        """The key that the demo's S3 server asks for."""
        return kept_secret(self.path / "bucket_key", lambda: secrets.token_urlsafe(32))

    def model_key(self) -> str:
        return kept_secret(self.path / "model_key", lambda: secrets.token_urlsafe(32))

    def log(self, part: str) -> Path:
        return self.logs / f"{part}.log"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock; refuse when another supervisor does. The kernel lets go of it however this process ends."""
        with open(os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o600), "r+") as lock:
            if not _lock_within(LOCK_WITHIN_S, lock):
                holder = lock.read().strip() or "unknown"
                raise Trouble(f"BakedBrie is already running on {self.path} (process {holder}). `make down` stops it.")
            lock.seek(0)
            lock.truncate()
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            yield

    def holder(self) -> int | None:
        """Return the process that holds the lock, or None when BakedBrie is not running on this folder."""
        try:
            with _own(self.path):
                lock = self._lock.open()
        except FileNotFoundError:
            return None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(lock.read().strip() or 0) or None
        return None


@contextlib.contextmanager
def _own(path: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError:
        raise Trouble(f"{path} belongs to another account: work as that one.") from None


def _new_sealing_key(name: str) -> str:
    return f"{name}:{base64.b64encode(secrets.token_bytes(32)).decode()}"


def _lock_within(seconds: float, lock: TextIO) -> bool:
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        else:
            return True
