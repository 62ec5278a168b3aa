"""Run the protocol's own scenarios, for MCP and for who gives its tokens, and the MCP Inspector on a whole instance.

Run: make conformance
"""

from __future__ import annotations

import json
import re
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conformance.authorization import authorization
from tests.conformance.node import install, node, run
from tests.support.instance import Instance, running_instance
from tests.support.mcp import served

HERE = Path(__file__).resolve().parent
PACKAGES = HERE / "node_modules/@modelcontextprotocol"
SCENARIOS = PACKAGES / "conformance/dist/index.js"
INSPECTOR = PACKAGES / "inspector/clients/launcher/build/index.js"
REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
ERAS = ("legacy", "modern")
SUMMARY = "=== SUMMARY ==="
TOTAL = r"Total: (\d+) passed, (\d+) failed"
A_TOOL_REFUSED = 5


def main() -> None:
    install(HERE)
    with _signed_in_instance() as (instance, url):
        outcomes = [_scenarios(url, revision) for revision in REVISIONS]
        outcomes += [_inspection(url, instance, era) for era in ERAS]
        outcomes.append(authorization(SCENARIOS, instance, url.removesuffix("/mcp")))
    passed = sum(outcomes)
    print(f"conformance: {passed} passed, {len(outcomes) - passed} failed")
    sys.exit(0 if all(outcomes) else 1)


@contextmanager
def _signed_in_instance() -> Iterator[tuple[Instance, str]]:
    """The scenarios know no tokens: a request without one is given one."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with tempfile.TemporaryDirectory() as data, running_instance(APP_URL=address, BAKEDBRIE_DATA=data) as instance:
        credentials = (b"authorization", f"Bearer {instance.token}".encode())

        async def signed_in(scope: Any, receive: Any, send: Any) -> None:
            headers = dict(scope.get("headers", ()))
            if scope["type"] == "http" and b"authorization" not in headers:
                scope = {**scope, "headers": [*scope["headers"], credentials]}
            await instance.application(scope, receive, send)

        with served(signed_in, listener):
            yield instance, f"{address}/mcp"


def _scenarios(url: str, revision: str) -> bool:
    """Run what a revision asks of a server: only expected checks may fail, and each of them must."""
    expected = HERE / f"expected_failures.{revision}.yml"
    with tempfile.TemporaryDirectory() as folder:
        options = ["--url", url, "--expected-failures", str(expected), "-o", folder, *_chosen(revision)]
        done = run([node(), SCENARIOS, "server", *options])
    has_passed = done.returncode == 0
    counts = re.search(TOTAL, done.stdout)
    checks = f"{counts[1]} checks passed, {counts[2]} failed" if counts else "no checks"
    print(f"conformance scenarios of {revision}: {'passed, ' if has_passed else 'FAILED, '}{checks}")
    if not has_passed:
        print(done.stdout.partition(SUMMARY)[2].strip() or done.stdout + done.stderr)
    return has_passed


def _chosen(revision: str) -> list[str]:
    """Before 2025-11-25 there is no frozen list of what a revision requires."""
    return ["--spec-version", revision] if revision == "2025-06-18" else ["--requirements", revision]


def _inspection(url: str, instance: Instance, era: str) -> bool:
    """The Inspector's command line ends well on a refusal too, so that its JSON is read."""

    def inspected(*arguments: str, code: int = 0) -> Any:
        options = ["--transport", "http", "--protocol-era", era, "--format", "json", "--quiet"]
        header = ["--header", f"Authorization: Bearer {instance.token}"]
        done = run([node(), INSPECTOR, "--cli", url, *options, *header, "--method", *arguments])
        if done.returncode != code:
            raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return json.loads(done.stdout)

    checks: dict[str, Callable[[], bool]] = {
        "lists tools whose inputs every client takes": lambda: _has_tools(inspected("tools/list", "--strict")),
        "calls whoami": lambda: _is_success(inspected("tools/call", "--tool-name", "whoami")),
        "reads a card": lambda: _is_success(
            inspected("tools/call", "--tool-name", "read_card", "--tool-arg", f"card_id={instance.card_id}")
        ),
        "is refused with a code": lambda: _is_refusal(
            inspected("tools/call", "--tool-name", "read_card", "--tool-arg", "card_id=absent", code=A_TOOL_REFUSED)
        ),
    }
    results = {name: check() for name, check in checks.items()}
    for name, result in results.items():
        print(f"inspector, {era}: {name}: {'passed' if result else 'FAILED'}")
    return all(results.values())


def _has_tools(answer: Any) -> bool:
    return {"whoami", "list_boards", "move_card"} <= {tool["name"] for tool in _result_in(answer)["tools"]}


def _is_success(answer: Any) -> bool:
    result = _result_in(answer)
    return not result.get("isError") and "untrusted_data" in json.loads(result["content"][0]["text"])


def _is_refusal(answer: Any) -> bool:
    result = _result_in(answer)
    return result["isError"] is True and json.loads(result["content"][0]["text"])["error"]["code"] == "NOT_FOUND"


def _result_in(answer: Any) -> Any:
    return answer.get("result", answer)


if __name__ == "__main__":
    main()
