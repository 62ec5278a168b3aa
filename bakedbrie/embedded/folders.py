"""Folders that belong to exactly one account, and short ones for sockets."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from bakedbrie.embedded.system_user import SystemUser
from bakedbrie.embedded.trouble import Trouble

LONGEST_SOCKET_PATH = 100  # the kernel allows 107 bytes
SHORT = Path("/tmp")  # not TMPDIR, which may be long itself


def own_folder(path: Path, user: SystemUser | None) -> Path:
    """Make ``path`` with access for ``user`` (or whoever runs this) alone, or refuse one that is somebody else's."""
    wanted = user.uid if user else os.geteuid()
    try:
        path.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != wanted:
            raise Trouble(
                f"{path} belongs to another account: start BakedBrie as that one, "
                "or name another folder in BAKEDBRIE_DATA."
            ) from None
        return path
    if user:
        os.chown(path, user.uid, user.gid)
    return path


def socket_folder(path: Path, socket_name: str) -> Path:
    """Return ``path``, or a short folder named after it where a socket's name would be too long for the kernel."""
    if len(os.fsencode(path / socket_name)) <= LONGEST_SOCKET_PATH:
        return path
    return SHORT / f"bakedbrie-{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}"


def others_may_enter(path: Path) -> bool:
    """Whether an account with no rights of its own gets into ``path``."""
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in [path, *path.parents])


def make_passage(path: Path) -> None:
    """Make ``path`` and what is missing above it. Others may pass through what root made, but not look around."""
    mode = 0o711 if os.geteuid() == 0 else 0o700
    for folder in [*reversed(path.parents), path]:
        if not folder.exists():
            folder.mkdir()
            folder.chmod(mode)  # whatever the umask says
