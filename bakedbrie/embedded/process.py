"""Starting processes that never outlive whoever started them, and ending them in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from bakedbrie.embedded.system_user import SystemUser

TIE = Path(__file__).with_name("tie.py")
QUIT_WITHIN_S = 10


def spawn(
    command: Sequence[str | Path],
    *,
    on_parent_death: signal.Signals = signal.SIGKILL,
    user: SystemUser | None = None,
    env: Mapping[str, str] | None = None,
    output: IO[bytes] | int | None = subprocess.DEVNULL,
    pass_fds: Sequence[int] = (),
    cwd: Path | str = "/",
) -> subprocess.Popen[bytes]:
    """Start ``command`` in a session of its own: Ctrl-C at the terminal reaches the supervisor alone.

    A small script does the tying, not ``preexec_fn``: a parent with threads must not run Python between fork and exec.
    The kernel ties the process to the *thread* that calls this, so call it from the main thread.
    """
    identity = f"{user.uid}:{user.gid}" if user else "-"
    tie = [sys.executable, "-I", "-S", str(TIE), str(os.getpid()), str(int(on_parent_death)), identity]
    return subprocess.Popen(
        [*tie, *map(str, command)],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=None if output is None else subprocess.STDOUT,
        env=None if env is None else dict(env),
        cwd=cwd,
        pass_fds=pass_fds,
        start_new_session=True,
    )


def run(command: Sequence[str | Path], *, user: SystemUser | None = None) -> tuple[int, str]:
    """Run ``command`` to its end and return its status and what it printed."""
    with spawn(command, user=user, output=subprocess.PIPE) as process:
        printed, _ = process.communicate()
    return process.returncode, printed.decode(errors="replace").strip()


def end(process: subprocess.Popen[bytes], first: signal.Signals, *, within_s: float, then: signal.Signals) -> None:
    """Ask with one signal, insist with the other."""
    if process.poll() is not None:
        return
    process.send_signal(first)
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        process.send_signal(then)
        process.wait(QUIT_WITHIN_S)
