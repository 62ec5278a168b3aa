"""Run as a script: ask the kernel for a signal when the parent dies, then become the real command.

Arguments: parent's pid, signal number, ``uid:gid`` or ``-``, then the command. Standard library only.
"""

from __future__ import annotations

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, death_signal: int, identity: str, command: list[str]) -> None:
    if identity != "-":
        uid, gid = map(int, identity.split(":"))
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    # After setuid, which clears it.
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, death_signal) != 0:
        raise OSError(ctypes.get_errno(), "prctl refused PR_SET_PDEATHSIG")
    if os.getppid() != parent:
        sys.exit(1)  # the parent died before the kernel knew about us
    os.execv(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
