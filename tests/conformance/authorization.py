"""The scenarios for who gives the tokens: they print the address of the page, where the owner then says yes."""

from __future__ import annotations

import re
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
from django.core.management import call_command

from tests.conformance.node import environment, node
from tests.support.instance import Instance
from tests.web.pages import form_of

WITHIN_S = 120
TOTAL = r"Total: (\d+) passed, (\d+) failed"


def authorization(scenarios: Path, instance: Instance, address: str) -> bool:
    """Run them all as one: the second reads what the first one found."""
    call_command("collectstatic", interactive=False, verbosity=0)  # what the page for people is made with
    port = _free_port()
    registered = httpx2.post(
        f"{address}/oauth/register/",
        json={"client_name": "Conformance", "redirect_uris": [f"http://127.0.0.1:{port}/callback"]},
        trust_env=False,
    )
    options = ["--url", address, "--client-id", registered.json()["client_id"], "--resource", f"{address}/mcp"]
    command = [node(), scenarios, "authorization", *options, "-p", str(port)]
    told = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as running:
        assert running.stdout is not None
        for line in running.stdout:
            told += line
            if line.startswith(f"{address}/oauth/authorize/"):
                httpx2.get(_yes(line.strip(), instance), trust_env=False)
        running.wait(WITHIN_S)
    counts = re.search(TOTAL, told)
    is_right = running.returncode == 0 and counts is not None and counts[2] == "0"
    checks = f"{counts[1]} checks passed, {counts[2]} failed" if counts else "no checks"
    print(f"conformance of who gives the tokens: {'passed, ' if is_right else 'FAILED, '}{checks}")
    if not is_right:
        print(told)
    return is_right


def _yes(url: str, instance: Instance) -> str:
    """Answer the page as the owner does, and return where that leads."""
    with httpx2.Client(cookies=_cookies(instance), trust_env=False) as http:
        page = http.get(url)
        parts = urlsplit(url)
        form = form_of(page, f"{parts.path}?{parts.query}")
        answer = http.post(url, data={**form, "answer": "yes"})
    return answer.headers["location"]


def _cookies(instance: Instance) -> dict[str, str]:
    """Sign the owner in."""
    # Imported here: the models need the settings, and those the addresses of what was just started.
    from tests.support.cast import browser  # noqa: PLC0415
    from workspaces.access import caller_from_token  # noqa: PLC0415

    return {name: morsel.value for name, morsel in browser(caller_from_token(instance.token)).cookies.items()}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
