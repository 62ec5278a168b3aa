"""The unprivileged account that Postgres needs when everything else is started by root."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass

from bakedbrie.embedded.terminal import say

ACCOUNT = "bakedbrie"
FALLBACK = "nobody"


@dataclass(frozen=True, slots=True)
class SystemUser:
    name: str
    uid: int
    gid: int


def unprivileged_user(*, may_create: bool) -> SystemUser | None:
    """Return the account to drop to, or None for an ordinary user, who drops nothing.

    Where the account is missing and cannot be created, ``nobody`` does: initdb only asks for a name in passwd.
    """
    if os.geteuid() != 0:
        return None
    if not _exists(ACCOUNT) and may_create and (useradd := shutil.which("useradd")):
        home = ["--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"]
        subprocess.run([useradd, "--system", *home, ACCOUNT], check=False, capture_output=True)
        if _exists(ACCOUNT):
            say(f"Added the system account {ACCOUNT} for Postgres, which never runs as root (`userdel` removes it).")
    entry = pwd.getpwnam(ACCOUNT if _exists(ACCOUNT) else FALLBACK)
    return SystemUser(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
