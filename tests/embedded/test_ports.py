"""Which port an install takes: the one that somebody names, or the next free one."""

from __future__ import annotations

import socket

import pytest

from bakedbrie.embedded.ports import MOST, listen, listen_exactly, port_of
from bakedbrie.embedded.trouble import Trouble


def test_a_named_port_is_taken_or_refused_and_never_another() -> None:
    with listen(20_000) as taken:
        port = port_of(taken)
        with listen(port) as next_one:
            assert port_of(next_one) != port
        with pytest.raises(Trouble, match=f"Port {port} cannot be used"):
            listen_exactly(str(port))

    with listen_exactly(str(port)) as named:
        assert port_of(named) == port


@pytest.mark.parametrize("text", ["0", "65536", "http", "80 80", "-1", "²"])
def test_what_is_no_port_is_refused(text: str) -> None:
    with pytest.raises(Trouble, match="PORT must be"):
        listen_exactly(text)


def test_the_last_port_has_no_next_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", MOST))
        taken.listen()

        with pytest.raises(Trouble):
            listen(MOST)
