"""Ports on the loopback address: the one used before, else the first choice, else the next free one."""

from __future__ import annotations

import errno
import socket

from bakedbrie.embedded.trouble import Trouble

LOOPBACK = "127.0.0.1"
TRIES = 100


def listen(port: int) -> socket.socket:
    """Return a listening socket on ``port`` or the next free one above it."""
    for candidate in range(port, port + TRIES):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, candidate))
            listener.listen(1024)
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return listener
    raise Trouble(f"No port from {port} to {port + TRIES - 1} is free.")


def next_free(port: int) -> int:
    """Return the first free port from ``port`` on."""
    with listen(port) as listener:
        return port_of(listener)


def port_of(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port
