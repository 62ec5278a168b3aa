"""Read tools through /mcp, beside a server of the bare MCP SDK that makes one thread hop and one SELECT.

Raw HTTP, one and eight calls at a time, both eras of the protocol. The servers take turns, so the machine cancels out;
on a machine that is busy with other things, the processor time of the web process says more than the clock.

Run: python -m bench.mcp_read
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import Any

from tests.support.instance import running_instance
from tests.support.mcp import ERAS, modern_headers, rpc

ROUNDS = 6
CALLS = 48  # of each server in each round
WARM_UP = 48
AT_ONCE = (1, 8)
MOST = 3.0  # times the bare server's median
TIMEOUT_S = 30.0

Call = Callable[[http.client.HTTPConnection], None]


def main() -> None:
    with running_instance() as instance, _ours() as ours, _bare() as bare:
        for at_once in AT_ONCE:
            for era in ERAS:
                one = {"card_id": instance.card_id}
                servers = {
                    "bare SDK": (bare, tool_call(instance.token, era, "read_card", one)),
                    "whoami": (ours, tool_call(instance.token, era, "whoami", {})),
                    "list_boards": (ours, tool_call(instance.token, era, "list_boards", {})),
                    "read_card": (ours, tool_call(instance.token, era, "read_card", one)),
                }
                _report(f"{era}, {at_once} at a time", _medians(servers, at_once))


def _report(what: str, medians: dict[str, tuple[float, float]]) -> None:
    bare, bare_cpu = medians.pop("bare SDK")
    print(
        f"{what:<26} bare SDK {bare * 1000:7.2f} ms                               processor {bare_cpu * 1000:6.2f} ms"
    )
    for name, (ours, cpu) in medians.items():
        ratio = f"ratio {ours / bare:5.2f} (at most {MOST:.0f})"
        of_cpu = f"processor {cpu * 1000:6.2f} ms   ratio {cpu / bare_cpu:5.2f}"
        print(f"{name:>26} {'':8} {ours * 1000:7.2f} ms   {ratio:<28}{of_cpu}")


def _medians(servers: dict[str, tuple[Server, Call]], at_once: int) -> dict[str, tuple[float, float]]:
    """Return the time of a call on the clock, and what it took of the processor."""
    taken: dict[str, list[float]] = {name: [] for name in servers}
    used: dict[str, list[float]] = {name: [] for name in servers}
    for server, call in servers.values():
        _timed(server.port, call, at_once, WARM_UP)
    for _ in range(ROUNDS):
        for name, (server, call) in servers.items():
            before = server.processor_s()
            taken[name] += _timed(server.port, call, at_once, CALLS)
            used[name].append((server.processor_s() - before) / CALLS)
    return {name: (median(taken[name]), mean(used[name])) for name in servers}


@dataclass(frozen=True)
class Server:
    port: int
    process: subprocess.Popen[bytes]

    def processor_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _ours() -> Iterator[Server]:
    """One web process, as the supervisor starts it."""
    with _served("bakedbrie.embedded.serve_web") as server:
        yield server


@contextmanager
def _bare() -> Iterator[Server]:
    host, port, user, name = (os.environ[f"DATABASE_{part}"] for part in ("HOST", "PORT", "USER", "NAME"))
    with _served("bench.bare_mcp", f"host={host} port={port} user={user} dbname={name}") as server:
        yield server


@contextmanager
def _served(module: str, *arguments: str) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-W", "ignore", "-m", module, str(listener.fileno()), *arguments]
        process = subprocess.Popen(command, pass_fds=[listener.fileno()], stdin=subprocess.DEVNULL)
        try:
            yield Server(listener.getsockname()[1], process)
        finally:
            process.terminate()
            process.wait()


def tool_call(token: str, era: str, tool: str, arguments: dict[str, Any]) -> Call:
    message = rpc("tools/call", {"name": tool, "arguments": arguments}, era=era)
    body = json.dumps(message).encode()
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {token}",
        **(modern_headers(message) if era != "legacy" else {}),
    }

    def call(connection: http.client.HTTPConnection) -> None:
        connection.request("POST", "/mcp", body, headers)
        response = connection.getresponse()
        answer = response.read()
        if response.status != 200 or b'"result"' not in answer or b'"isError":true' in answer:
            raise AssertionError(answer)

    return call


def _timed(port: int, call: Call, at_once: int, calls: int) -> list[float]:
    """Return how long each call took; each thread keeps its connection."""
    taken: list[float] = []

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        for _ in range(calls // at_once):
            began = perf_counter()
            call(connection)
            taken.append(perf_counter() - began)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken


if __name__ == "__main__":
    main()
