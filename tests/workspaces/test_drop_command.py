"""The command of a drop, run for real: by a shell, with curl, against a listening server."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer
from rest_framework.test import APIClient

from tests.factories.workspaces import make_workspace, token_caller
from tests.support.cast import api, token_of
from workspaces.caller import Caller
from workspaces.models import SecretDrop
from workspaces.services.drops import MAX_BYTES, consume_drop, drop_command, prepare_drop
from workspaces.services.secrets import open_secret
from workspaces.states import SecretPurpose

SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "ksh", "busybox") if shutil.which(shell)]
ODD_VALUES = {
    "plain": "sk-canary-4f1e",
    "quotes": """it's "quoted" and \\"escaped\\" """,
    "backslashes": "\\ \\\\ \\n \\t \\x41 \\u0041 \\",
    "lines": "-----BEGIN KEY-----\nMIIE+/=\n\n  indented\r\n-----END KEY-----",
    "shell": "$(id) `id` $HOME ${PATH} ; rm -rf ~ | & > < * ? [a] ! # ~",
    "formats": "%s %d %n 100% %%",
    "data": "@/etc/passwd&=+%26&data=1",
    "options": '-K x\nurl = "http://127.0.0.1:1/"\ndata = "x"',
    "unicode": "\ufeffключ-🔑-é",
    "controls": "\x01\x1b[31m\x7f\t\x0b\x0c",
    "spaces": "  leading and trailing\t ",
    "long": "0123456789abcdef" * (MAX_BYTES // 16),
}


@pytest.fixture
def token(live_server: LiveServer, settings: Settings) -> str:
    if shutil.which("curl") is None:
        pytest.skip("this machine has no curl")
    settings.APP_URL = live_server.url
    return token_of(make_workspace())


def prepared(caller: Caller) -> SecretDrop:
    return prepare_drop(caller, kind="openai", purpose=SecretPurpose.AI_ACCOUNT, env_var="OPENAI_API_KEY")


def run(command: str, shell: str = "sh", **environment: str) -> subprocess.CompletedProcess[str]:
    shell_words = ["busybox", "sh"] if shell == "busybox" else [shell]
    clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **environment}
    return subprocess.run(
        [*shell_words, "-c", command], env=clean, capture_output=True, text=True, timeout=60, check=False
    )


def received(token: str, drop: SecretDrop) -> str:
    secret = consume_drop(token_caller(token), drop_id=drop.pk, purpose=SecretPurpose.AI_ACCOUNT)
    return open_secret(secret).reveal()


@pytest.mark.requirement("W068", "W069", "C097")
@pytest.mark.parametrize("name", list(ODD_VALUES))
def test_every_value_arrives_byte_for_byte(token: str, name: str) -> None:
    drop = prepared(token_caller(token))

    done = run(drop_command(drop), BAKEDBRIE_TOKEN=token, OPENAI_API_KEY=ODD_VALUES[name])

    assert (done.returncode, done.stderr) == (0, "")
    assert f'"drop_id":"{drop.pk}","state":"filled"' in done.stdout
    assert received(token, drop) == ODD_VALUES[name]


@pytest.mark.requirement("W068")
@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_runs_in_every_shell_of_this_machine(token: str, shell: str) -> None:
    drop = prepared(token_caller(token))

    done = run(drop_command(drop), shell, BAKEDBRIE_TOKEN=token, OPENAI_API_KEY=ODD_VALUES["quotes"])

    assert (done.returncode, done.stderr) == (0, "")
    assert received(token, drop) == ODD_VALUES["quotes"]


@pytest.mark.requirement("W068", "W069")
def test_neither_token_nor_value_is_an_argument_of_any_program(token: str, tmp_path: Path) -> None:
    """Every program the command could start is replaced by one that writes its arguments down first."""
    log = tmp_path / "arguments"
    for name in ("curl", "od", "sed", "printf", "cat", "env"):
        real = shutil.which(name)
        assert real is not None
        spy = tmp_path / name
        spy.write_text(f"""#!/bin/sh\necho "{name} $*" >> {log}\nexec {real} "$@"\n""")
        spy.chmod(spy.stat().st_mode | stat.S_IXUSR)
    drop = prepared(token_caller(token))

    run(drop_command(drop), PATH=f"{tmp_path}:{os.environ['PATH']}", BAKEDBRIE_TOKEN=token, OPENAI_API_KEY="sk-canary")

    arguments = log.read_text()
    assert sorted(line.split()[0] for line in arguments.splitlines()) == ["curl", "od", "sed"]
    assert token not in arguments
    assert "sk-canary" not in arguments
    assert received(token, drop) == "sk-canary"


@pytest.mark.requirement("W069")
def test_the_answer_shows_neither_even_with_a_talkative_curlrc(token: str, tmp_path: Path) -> None:
    (tmp_path / ".curlrc").write_text("verbose\ninclude\n")
    drop = prepared(token_caller(token))

    done = run(drop_command(drop), HOME=str(tmp_path), BAKEDBRIE_TOKEN=token, OPENAI_API_KEY="sk-canary")

    assert token not in done.stdout + done.stderr
    assert "sk-canary" not in done.stdout + done.stderr
    assert received(token, drop) == "sk-canary"


@pytest.mark.requirement("C097")
@pytest.mark.parametrize("environment", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": "\n"}])
def test_an_empty_or_absent_variable_is_named(token: str, environment: dict[str, str]) -> None:
    drop = prepared(token_caller(token))

    done = run(drop_command(drop), BAKEDBRIE_TOKEN=token, **environment)

    assert '"code":"SECRET_EMPTY"' in done.stdout
    drop.refresh_from_db()
    assert drop.state == "prepared"


def test_without_the_token_nobody_is_let_in(token: str) -> None:
    drop = prepared(token_caller(token))

    done = run(drop_command(drop), OPENAI_API_KEY="sk-canary")

    assert '"code":"UNAUTHENTICATED"' in done.stdout
    assert "sk-canary" not in done.stdout


@pytest.mark.requirement("C097")
@pytest.mark.parametrize(
    "body", ["6", "zz", "ff fe", "41" * (MAX_BYTES + 1), "41 " * 1_000_000, "é"], ids=lambda body: body[:6]
)
def test_a_body_that_the_command_does_not_send_is_refused(mia: Caller, body: str) -> None:
    raw = token_of(mia)
    drop = prepared(token_caller(raw))

    response = APIClient().post(f"/api/v1/drops/{drop.pk}", body, content_type="text/plain", headers={"X-API-Key": raw})

    assert (response.status_code, response.json()["error"]["code"]) == (400, "INVALID_INPUT")
    drop.refresh_from_db()
    assert drop.state == "prepared"


@pytest.mark.requirement("W073", "C092")
def test_a_foreign_an_absent_and_a_misspelt_drop_answer_alike(mia: Caller, charlie: Caller) -> None:
    foreign = prepared(token_caller(token_of(charlie)))
    client = api(mia)

    answers = [
        client.post(f"/api/v1/drops/{drop_id}", "41", content_type="text/plain")
        for drop_id in (foreign.pk, mia.workspace.pk, "nonsense")
    ]

    assert {answer.status_code for answer in answers} == {409}
    assert len({str(answer.json()["error"]) for answer in answers}) == 1
