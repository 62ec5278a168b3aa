"""Settings from the environment: all that is wrong is said at once, and the documents' table is what the code reads."""

from __future__ import annotations

import base64
import os
import re
import runpy
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from bakedbrie.env import WrongSettings

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "bakedbrie/settings.py"
KEY = "k1:" + base64.b64encode(bytes(range(32))).decode()
RIGHT = {"SECRET_KEY": "only for this test: " + "x7" * 30, "SEALING_KEYS": KEY}
READ = re.compile(r'env(text|int|bool|list|secret|url|choice)\(\s*"([A-Z_]+)"(?:, ([^,)]+))?')
DOCUMENT = (ROOT / "docs/operations.md").read_text()
ROW = re.compile(r"^\| `([A-Z_]+)` \| ([^|]*) \| ([^|]*) \|([^|]*)\|$", re.MULTILINE)


def load(monkeypatch: pytest.MonkeyPatch, **environment: str) -> dict[str, object]:
    """Read the settings as a process does that starts with this environment alone."""
    for _, name, _ in READ.findall(SETTINGS.read_text()):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(SETTINGS))


def problems(monkeypatch: pytest.MonkeyPatch, **environment: str) -> list[str]:
    with pytest.raises(WrongSettings) as stopped:
        load(monkeypatch, **environment)
    return stopped.value.problems


def rows() -> dict[str, tuple[str, str]]:
    """Return default and example of every variable of the table."""
    return {name: (default, example.strip()) for name, default, _, example in ROW.findall(DOCUMENT)}


def test_two_secrets_are_all_that_must_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load(monkeypatch, **RIGHT)

    assert loaded["APP_URL"] == "http://127.0.0.1:8000"
    assert (loaded["DEBUG"], loaded["BEHIND_PROXY"], loaded["SECURE_SSL_REDIRECT"]) == (False, False, False)


def test_no_secret_has_a_default(monkeypatch: pytest.MonkeyPatch) -> None:
    said = problems(monkeypatch)

    assert [sentence.split(" ")[0] for sentence in said] == ["SECRET_KEY", "SEALING_KEYS"]


def test_every_wrong_value_is_named_at_once_and_no_secret_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {
        "SECRET_KEY": RIGHT["SECRET_KEY"],
        "SEALING_KEYS": "k1:c2hvcnQ=",
        "APP_URL": "http://board.example.com",
        "DEBUG": "perhaps",
        "DATABASE_PORT": "70000",
        "REDIS_URL": "https://user:hidden-word@cache.example",
        "CELERY_BROKER_URL": "amqp://user:hidden-word@broker:port/",
        "OUTBOUND_LOOPBACK": "127.0.0.1",
        "FILES_BUCKET": "cards",
        "LOG_LEVEL": "loud",
        "LOG_FORMAT": "xml",
        "WORKER_THREADS": "0",
    }

    said = problems(monkeypatch, **wrong)

    named = {name for name in wrong if any(sentence.startswith(name) for sentence in said)}
    assert named == set(wrong) - {"SECRET_KEY", "FILES_BUCKET"}
    assert {"FILES_ACCESS_KEY", "FILES_SECRET_KEY"} <= {sentence.split(" ")[0] for sentence in said}
    assert not [sentence for sentence in said if "hidden-word" in sentence or "c2hvcnQ" in sentence]


def test_debug_never_meets_an_address_that_others_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    said = problems(monkeypatch, **RIGHT, DEBUG="true", APP_URL="https://board.example.com")

    assert [sentence.split(" ")[0] for sentence in said] == ["DEBUG"]
    assert load(monkeypatch, **RIGHT, DEBUG="true")["DEBUG"] is True


def test_secrets_come_from_files_as_well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in RIGHT.items():
        (tmp_path / name).write_text(value + "\n")
    empty = tmp_path / "empty"
    empty.touch()

    files = {f"{name}_FILE": str(tmp_path / name) for name in RIGHT}

    assert load(monkeypatch, **files)["SECRET_KEY"] == RIGHT["SECRET_KEY"]
    assert problems(monkeypatch, **{**files, "SECRET_KEY_FILE": str(empty)})
    assert problems(monkeypatch, **{**files, "SEALING_KEYS_FILE": str(tmp_path / "absent")})


@pytest.mark.parametrize("between", [",", "\n", " , "])
def test_no_key_of_several_stands_in_a_log(monkeypatch: pytest.MonkeyPatch, between: str) -> None:
    other = base64.b64encode(bytes(range(32, 64))).decode()
    loaded = load(monkeypatch, **{**RIGHT, "SEALING_KEYS": f"{KEY}{between}k2:{other}"})

    redactor = loaded["LOGGING"]["formatters"]["chosen"]["redactor"]  # type: ignore[index]

    assert redactor.text(f"{KEY} and {other}") == "k1:[removed] and [removed]"


def test_an_empty_variable_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("REDIS_URL", "CELERY_BROKER_URL", "DATABASE_PORT", "LOG_LEVEL", "DEBUG")

    loaded = load(monkeypatch, **RIGHT, **dict.fromkeys(names, ""))

    assert (loaded["REDIS_URL"], loaded["LOG_LEVEL"]) == ("redis://127.0.0.1:6379/0", "INFO")


def test_the_table_has_every_variable_once_and_no_other() -> None:
    read = {name for _, name, _ in READ.findall(SETTINGS.read_text())}
    told = [name for name, *_ in ROW.findall(DOCUMENT)]

    assert len(read) > 30
    assert sorted(told) == sorted(read)


def test_the_table_tells_the_defaults_of_the_code() -> None:
    told = rows()

    for kind, name, default in READ.findall(SETTINGS.read_text()):
        if kind == "int" or default.startswith('"'):
            plain = default.strip('"').replace("_", "") if kind == "int" else default.strip('"')
            assert told[name][0] == (f"`{plain}`" if plain else "none"), name


def test_the_examples_of_the_table_are_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = {name: example.strip("`") for name, (_, example) in rows().items() if example}

    loaded = load(monkeypatch, **{**examples, **RIGHT})

    assert len(examples) > 20
    assert loaded["APP_URL"] == examples["APP_URL"]


def test_the_documented_production_settings_pass_the_check_for_deployment(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (block,) = re.findall(r"```sh\n# production\n(.*?)```", DOCUMENT, re.DOTALL)
    told = dict(line.split("=", 1) for line in block.strip().splitlines())
    made = {"SECRET_KEY_FILE": secrets.token_urlsafe(48), "SEALING_KEYS_FILE": KEY, "METRICS_TOKEN_FILE": "t" * 40}
    for name, value in made.items():
        (tmp_path / name).write_text(value)
    files = {name: str(tmp_path / name) for name in told if name.endswith("_FILE")}
    for name in files:
        (tmp_path / name).write_text(made.get(name, "of the database"))

    checked = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **told, **files, "BAKEDBRIE_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_wrong_setting_stops_every_process_in_plain_words() -> None:
    for command in (["manage.py", "migrate"], ["manage.py", "check"]):
        started = subprocess.run(
            [sys.executable, *command],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], **RIGHT, "DEBUG": "perhaps", "TURN_DEADLINE_S": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

        assert started.returncode == 1
        assert started.stderr.splitlines() == [
            "BakedBrie cannot start with these settings:",
            "  - DEBUG must be true or false, not 'perhaps'.",
            "  - TURN_DEADLINE_S must be a whole number of at least 5, not '1'.",
        ]
