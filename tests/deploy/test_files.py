"""The Dockerfile, the compose file and the units: linted, and held to what the code reads and runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from bakedbrie.embedded.data_folder import CODE
from bakedbrie.embedded.stack import SETTLE_MARGIN_S
from bakedbrie.lib import sealing

DEPLOY = CODE / "deploy"
BIN = Path(sys.executable).parent
APP = ("release", "web", "worker", "beat")
OF_PYTHON = {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}
SECRETS = ["database_password", "metrics_token", "sealing_keys", "secret_key"]
UNITS = ("bakedbrie.service", "bakedbrie-web.service", "bakedbrie-worker.service", "bakedbrie-beat.service")
MOST_EXPOSURE = 20  # of 100, as systemd-analyze counts it

needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not here")


def dockerfile() -> str:
    return (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def unit(name: str) -> list[tuple[str, str]]:
    lines = (DEPLOY / "systemd" / name).read_text().splitlines()
    return [(line.partition("=")[0], line.partition("=")[2]) for line in lines if "=" in line and line[0] != "#"]


def procfile() -> dict[str, list[str]]:
    """Return the commands, as they are where nobody sets PORT or WORKER_THREADS."""
    text = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", (CODE / "Procfile").read_text())
    return {name: shlex.split(command) for name, _, command in (line.partition(": ") for line in text.splitlines())}


def read_names() -> set[str]:
    """Return every name that the settings read, with the _FILE of each that may come from a file."""
    text = (CODE / "bakedbrie/settings.py").read_text()
    names = set(re.findall(r'env\w+\("([A-Z_]+)"', text))
    return names | {f"{name}_FILE" for name in re.findall(r'envsecret\("([A-Z_]+)"', text)}


def test_the_linters_find_nothing() -> None:
    hadolint = subprocess.run([BIN / "hadolint", DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    schema: list[str | Path] = [
        BIN / "check-jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
        DEPLOY / "compose.yaml",
    ]
    valid = subprocess.run(schema, capture_output=True, text=True, check=False)

    assert (hadolint.stdout, hadolint.returncode) == ("", 0)
    assert (valid.returncode, valid.stderr) == (0, "")


def test_every_name_in_an_environment_is_one_that_is_read() -> None:
    docker = re.findall(r"([A-Z_]+)=\S", " ".join(re.findall(r"^ENV (.*)$", dockerfile(), re.MULTILINE)))
    composed = [name for part in APP for name in compose()["services"][part]["environment"]]
    units = [value.partition("=")[0] for name, value in unit("hardening.conf") if name == "Environment"]

    assert set(docker) - OF_PYTHON - read_names() == set()
    assert {*composed, *units} - read_names() == set()
    assert {"SECRET_KEY_FILE", "SEALING_KEYS_FILE", "DATABASE_PASSWORD_FILE"} <= {*composed} & {*units}


def test_parts_run_what_the_procfile_says() -> None:
    parts = procfile()
    image = yaml.safe_load(re.findall(r"^CMD (.*)$", dockerfile(), re.MULTILINE)[-1])
    services = compose()["services"]
    started = {name: shlex.split(dict(unit(f"bakedbrie-{name}.service"))["ExecStart"]) for name in APP[1:]}
    beat = [*parts["beat"], "--pidfile", ""]

    assert image == parts["web"]
    assert "command" not in services["web"]
    assert services["release"]["command"] == ["sh", "-c", shlex.join(parts["release"]).replace("'&&'", "&&")]
    assert services["worker"]["command"] == parts["worker"]
    assert sorted(services["beat"]["command"]) == sorted(beat)
    for name, command in started.items():
        assert command[0] == f"/opt/bakedbrie/.venv/bin/{parts[name][0]}"
        assert (BIN / parts[name][0]).exists()
    assert [part if part != "0.0.0.0" else "127.0.0.1" for part in parts["web"][1:]] == started["web"][1:]
    assert started["worker"][1:] == parts["worker"][1:]


def test_containers_hold_no_rights_they_do_not_need() -> None:
    services = compose()["services"]

    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert name in APP or "user" in service, name
        assert name in {"web"} or "healthcheck" in service, name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
    assert compose()["networks"]["inside"] == {"internal": True}
    assert [services[name]["networks"] for name in ("postgres", "valkey")] == [["inside"], ["inside"]]
    assert re.findall(r"^USER (.*)$", dockerfile(), re.MULTILINE) == ["10001:10001"]


def test_no_secret_stands_in_a_file() -> None:
    text = "".join(path.read_text() for path in DEPLOY.rglob("*") if path.is_file() and path.parent.name != "secrets")

    assert sorted(compose()["secrets"]) == SECRETS
    assert [secret["file"] for _, secret in sorted(compose()["secrets"].items())] == [f"./secrets/{n}" for n in SECRETS]
    assert re.findall(r"^ARG ", dockerfile(), re.MULTILINE) == []
    assert re.findall(r"(?:PASSWORD|SECRET|KEYS?|TOKEN)(?:=|: )[^/%\s]", text) == []


def test_workers_are_given_the_time_that_a_call_may_take() -> None:
    needed = settings.TURN_DEADLINE_S + SETTLE_MARGIN_S

    assert int(compose()["services"]["worker"]["stop_grace_period"].removesuffix("s")) >= needed
    assert int(dict(unit("bakedbrie-worker.service"))["TimeoutStopSec"]) >= needed
    assert int(dict(unit("bakedbrie.service"))["TimeoutStopSec"]) > needed


def test_secrets_are_made_once_and_can_be_used(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    command = [DEPLOY / "make-secrets", folder]

    first = subprocess.run(command, capture_output=True, text=True, check=True)
    made = {path.name: path.read_text() for path in folder.iterdir()}
    subprocess.run(command, capture_output=True, check=True)

    assert sorted(made) == SECRETS
    assert {path.name: path.read_text() for path in folder.iterdir()} == made
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    sealing.check_keys(made["sealing_keys"].strip())
    assert len(made["secret_key"].strip()) >= 50
    assert [name for name, secret in made.items() if secret.strip() in first.stdout] == []


def test_what_the_image_copies_is_enough_to_run(tmp_path: Path) -> None:
    copied = re.findall(r"^COPY (?!--from)(\S+) \S+$", dockerfile(), re.MULTILINE)
    ignored = (CODE / ".dockerignore").read_text().splitlines()
    app, data = tmp_path / "app", tmp_path / "data"
    app.mkdir()
    for name in copied:
        source = CODE / name
        skip = shutil.ignore_patterns("__pycache__")
        _ = shutil.copytree(source, app / name, ignore=skip) if source.is_dir() else shutil.copy(source, app / name)
    subprocess.run([DEPLOY / "make-secrets", tmp_path / "secrets"], check=True, capture_output=True)
    environment = {
        **{name: value for name, value in os.environ.items() if name.startswith(("DATABASE_", "REDIS_", "PATH"))},
        **{f"{name.upper()}_FILE": str(tmp_path / "secrets" / name) for name in ("secret_key", "sealing_keys")},
        "APP_URL": "https://board.example.com",
        "BEHIND_PROXY": "true",
        "HSTS_SECONDS": "31536000",
        "BAKEDBRIE_DATA": str(data),
        "CELERY_BROKER_URL": os.environ["WORKER_BROKER_URL"],
    }
    data.mkdir(mode=0o700)

    ran = [
        subprocess.run(
            [sys.executable, *command], cwd=app, env=environment, capture_output=True, text=True, check=False
        )
        for command in (
            ["-m", "compileall", "-q", "."],
            ["manage.py", "check", "--deploy", "--fail-level", "WARNING"],
            ["manage.py", "collectstatic", "--noinput", "--verbosity", "0"],
            ["-c", "import bakedbrie.asgi, bakedbrie.celery; bakedbrie.celery.app.loader.import_default_modules()"],
        )
    ]

    assert [(done.returncode, done.stderr[-1000:]) for done in ran if done.returncode] == []
    assert {f"!{name}" for name in copied} == {line for line in ignored if line.startswith("!")}


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units as they are installed, with this interpreter's folder in place of the documented one."""
    for name in (*UNITS, "bakedbrie.target"):
        text = (DEPLOY / "systemd" / name).read_text().replace("/opt/bakedbrie/.venv/bin", str(BIN))
        (tmp_path / name).write_text(text.replace("/opt/bakedbrie", str(CODE)))
    drop_ins = tmp_path / "bakedbrie-.service.d"
    drop_ins.mkdir()
    text = (DEPLOY / "systemd" / "hardening.conf").read_text().replace("/opt/bakedbrie", str(CODE))
    (drop_ins / "hardening.conf").write_text(text)
    return tmp_path


@needs_systemd
@pytest.mark.parametrize("name", UNITS)
def test_systemd_takes_the_units_and_finds_them_hardened(units: Path, name: str) -> None:
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:"}
    security = ["security", "--offline=true", f"--threshold={MOST_EXPOSURE}", "--no-pager"]

    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", units / name],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    judged = subprocess.run(
        ["systemd-analyze", *security, units / name], env=environment, capture_output=True, text=True, check=False
    )

    assert (verified.returncode, verified.stderr) == (0, "")
    assert judged.returncode == 0, judged.stdout
