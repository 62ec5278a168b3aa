"""Connect the real Claude Code and Codex to a whole instance, let them list the tools and call whoami.

Both run in an empty home of their own; their model is on loopback and asks for the tool, so no account is needed.

Run: make clients
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.clients.model import Model
from tests.conformance.node import environment, install, node, run
from tests.support.instance import Instance, served_instance
from tests.support.mcp import McpClient

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
PREFIX = "mcp__bakedbrie__"
PROMPT = "Call whoami of bakedbrie."
TOKEN = "BAKEDBRIE_TOKEN"
# Claude Code would let the model look for tools; the one on loopback does not look.
EVERY_TOOL = {"ENABLE_TOOL_SEARCH": "false"}


def main() -> None:
    install(HERE)
    outcomes: list[bool] = []
    with served_instance() as (instance, address):
        clients: tuple[Callable[..., dict[str, bool]], ...] = (_claude, _codex)
        for client in clients:
            with tempfile.TemporaryDirectory() as home, Model() as model:
                checks = client(instance, f"{address}/mcp", model, Path(home))
            name = client.__name__.removeprefix("_")
            for check, result in checks.items():
                print(f"{name}: {check}: {'passed' if result else 'FAILED'}")
            outcomes += checks.values()
    print(f"clients: {sum(outcomes)} passed, {outcomes.count(False)} failed")
    sys.exit(0 if all(outcomes) else 1)


def _claude(instance: Instance, url: str, model: Model, home: Path) -> dict[str, bool]:
    env = _environment(instance, home, ANTHROPIC_BASE_URL=model.url(), ANTHROPIC_API_KEY="fake", **EVERY_TOOL)
    program = MODULES / "@anthropic-ai/claude-code/cli-wrapper.cjs"  # no install script put the native one in its place
    header = ["--header", f"Authorization: Bearer {instance.token}"]
    add = run([node(), program, "mcp", "add", "--transport", "http", "bakedbrie", url, *header], env=env, cwd=home)
    listed = run([node(), program, "mcp", "list"], env=env, cwd=home)
    options = ["--allowedTools", "mcp__bakedbrie__whoami", "--output-format", "stream-json", "--verbose"]
    done = run([node(), program, "-p", PROMPT, *options], env=env, cwd=home)
    start = next((line for line in _lines(done.stdout) if line.get("subtype") == "init"), {})
    tools = {name.removeprefix(PREFIX) for name in start.get("tools", []) if name.startswith(PREFIX)}
    _say("claude", add, listed, done)
    return {
        "mcp list says that it is connected": "Connected" in listed.stdout,
        f"lists the {len(tools)} tools of the token": tools == _tools_of(instance, url),
        "is connected in a session": {"name": "bakedbrie", "status": "connected"} in _servers(start),
        "calls whoami and passes its answer to the model": _has_answer(model),
        "ends well": done.returncode == 0,
    }


def _codex(instance: Instance, url: str, model: Model, home: Path) -> dict[str, bool]:
    env = _environment(instance, home, CODEX_HOME=str(home), FAKE_KEY="fake")
    program = MODULES / ".bin/codex"
    (home / "config.toml").write_text(
        f"""
model = "fake"
model_provider = "loopback"
approval_policy = "never"

[model_providers.loopback]
name = "loopback"
base_url = "{model.url("/v1")}"
wire_api = "responses"
env_key = "FAKE_KEY"

[mcp_servers.bakedbrie]
url = "{url}"
bearer_token_env_var = "{TOKEN}"
default_tools_approval_mode = "approve"
"""
    )
    listed = run([program, "mcp", "list", "--json"], env=env, cwd=home)
    done = run([program, "exec", "--json", "--skip-git-repo-check", PROMPT], env=env, cwd=home)
    calls = [line["item"] for line in _lines(done.stdout) if line.get("item", {}).get("type") == "mcp_tool_call"]
    tools = {name for space, name in model.tools if space.startswith(PREFIX.rstrip("_"))}
    _say("codex", listed, done)
    return {
        "mcp list names the server": "bakedbrie" in listed.stdout,
        f"gives the model the {len(tools)} tools of the token": tools == _tools_of(instance, url),
        "calls whoami": any(call["tool"] == "whoami" and call["status"] == "completed" for call in calls),
        "passes its answer to the model": _has_answer(model),
        "ends well": done.returncode == 0,
    }


def _tools_of(instance: Instance, url: str) -> set[str]:
    return {tool.name for tool in McpClient(url.removesuffix("/mcp"), instance.token).tools()}


def _environment(instance: Instance, home: Path, **more: str) -> dict[str, str]:
    """Nothing of whoever runs this: no account, no settings, no proxy."""
    return {"HOME": str(home), "PATH": environment()["PATH"], TOKEN: instance.token, **more}


def _lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def _servers(start: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": server["name"], "status": server["status"]} for server in start.get("mcp_servers", [])]


def _has_answer(model: Model) -> bool:
    return any("untrusted_data" in result and "Bakery" in result for result in model.results)


def _say(name: str, *ended: subprocess.CompletedProcess[str]) -> None:
    """Show what did not end well."""
    for done in ended:
        if done.returncode != 0:
            print(f"{name}: {done.args[1:4]} ended with {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-500:]}")


if __name__ == "__main__":
    main()
