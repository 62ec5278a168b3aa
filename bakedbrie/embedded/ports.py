"""Ports on the loopback address: the one used before, else the first choice, else the next free one."""

from __future__ import annotations

import errno
import socket

from bakedbrie.embedded.trouble import Trouble

LOOPBACK = "127.0.0.1"
TRIES = 100
MOST = 65_535


def listen(port: int) -> socket.socket:
    """Return a listening socket on ``port`` or the next free one above it."""
    for candidate in range(port, min(port + TRIES, MOST + 1)):
        try:
            return _listen_at(candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    raise Trouble(f"No port from {port} to {port + TRIES - 1} is free.")


def listen_exactly(port: str) -> socket.socket:
    """Return a listening socket on the port that somebody named; they want to know where it is taken."""
    if not (port.isascii() and port.isdigit()) or not 1 <= int(port) <= MOST:
        raise Trouble(f"PORT must be a whole number from 1 to {MOST}, not {port!r}.")
    try:
        return _listen_at(int(port))
    except OSError as error:
        raise Trouble(f"Port {port} cannot be used: {error.strerror}. Name another one with PORT=, or none.") from None


def _listen_at(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener


def next_free(port: int) -> int:
    """Return the first free port from ``port`` on."""
    with listen(port) as listener:
        return port_of(listener)


def port_of(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port
