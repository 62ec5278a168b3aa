"""Flower behind the admin's sign-in: a real Flower on its socket, asked through the door."""

from __future__ import annotations

import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from django.conf import settings as django_settings
from django.test import Client
from pytest_django.fixtures import Settings

from bakedbrie.adminsite.flower import INLINE_SCRIPT, SCRIPT_HASH
from bakedbrie.adminsite.flower_socket import ask, socket_path
from tests.acceptance.worker import Broker, until
from tests.support.cast import browser
from workspaces.caller import Caller
from workspaces.services.users import set_operator

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parent.parent.parent
TABLE = {"draw": "1", "start": "0", "length": "10", "order[0][column]": "0", "columns[0][data]": "name"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(autouse=True)
def our_data(settings: Settings, data: Path) -> None:
    settings.DATA = data


@pytest.fixture(scope="module")
def environment(data: Path) -> Iterator[dict[str, str]]:
    """What an operator sets, with a broker of this module's own, and with a variable that would open Flower's API."""
    broker = Broker(7 if os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0" else 8)
    yield {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "bakedbrie.settings",
        "SECRET_KEY": django_settings.SECRET_KEY,
        "BAKEDBRIE_DATA": str(data),
        "CELERY_BROKER_URL": broker.url,
        "FLOWER_UNAUTHENTICATED_API": "true",
    }
    broker.close()


@pytest.fixture(scope="module")
def worker(environment: dict[str, str], data: Path) -> Iterator[None]:
    """A worker as the Procfile starts it."""
    line = re.search(r"^worker: celery (.+)$", (ROOT / "Procfile").read_text(), re.MULTILINE)
    assert line is not None
    options = line[1].replace("${WORKER_THREADS:-8}", "1").split()
    with (data / "worker.log").open("wb") as log, running("-m", "celery", *options, env=environment, log=log):
        yield


@pytest.fixture(scope="module")
def flower(environment: dict[str, str], data: Path) -> Iterator[None]:
    """Flower as `make flower` starts it, until it answers."""
    log = (data / "flower.log").open("wb")
    with log, running("manage.py", "flower", env=environment, log=log) as process:
        until(lambda: process.poll() is not None or is_there(data / "flower" / "socket"), "Flower listens")
        assert process.poll() is None, (data / "flower.log").read_text()
        yield


@contextmanager
def running(*command: str, env: dict[str, str], log: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=env, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=20)


def is_there(path: Path) -> bool:
    """Tell whether somebody listens on the socket."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == 0


def test_operators_see_its_pages_and_what_they_need(operator: Client, flower: None) -> None:
    page = operator.get("/admin/flower/")
    text = page.content.decode()

    linked = re.findall(r'(?:src|href)="(/admin/flower/[^"]+)"', text)
    assert page.status_code == 200
    assert re.findall(r"<script[^>]*>([^<]+)</script>", text) == [INLINE_SCRIPT]
    assert "/admin/flower/tasks" in linked
    assert {operator.get(path).status_code for path in linked} == {200}
    assert {operator.get(f"/admin/flower/{path}").status_code for path in ("workers", "tasks", "broker")} == {200}


def test_a_worker_and_its_jobs_are_seen(operator: Client, worker: None, flower: None) -> None:
    def online() -> bool:
        return "celery@" in operator.get("/admin/flower/workers?json=1").content.decode()

    until(online, "Flower sees the worker")

    assert operator.get("/admin/flower/workers").status_code == 200


def test_its_table_of_jobs_is_read_by_post(flower: None, alice: Caller) -> None:
    set_operator(alice.member.user, is_operator=True)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.member.user)

    table = strict.post("/admin/flower/tasks/datatable", TABLE)

    assert (table.status_code, table.json()["recordsTotal"]) == (200, 0)


@pytest.mark.parametrize("path", ["", "tasks", "static/css/flower.css", "api/workers", "tasks/datatable"])
def test_nobody_else_sees_anything(flower: None, alice: Caller, client: Client, path: str) -> None:
    address = f"/admin/flower/{path}"

    owner, stranger = browser(alice), client.get(address)

    assert (owner.get(address).status_code, owner.post(address).status_code) == (404, 404)
    assert (stranger.status_code, stranger["Location"]) == (302, f"/admin/login/?next={address}")


@pytest.mark.parametrize(
    "path", ["api/workers", "api/worker/shutdown/one", "api/task/send-task/turns.run", "login", "worker/celery@here"]
)
def test_nothing_is_done_through_it(operator: Client, flower: None, path: str) -> None:
    answers = [operator.get(f"/admin/flower/{path}").status_code, operator.post(f"/admin/flower/{path}").status_code]

    assert answers == [404, 404]
    assert operator.post("/admin/flower/workers").status_code == 405
    assert operator.delete("/admin/flower/tasks").status_code == 405


def test_only_its_one_script_is_let_through_and_only_there(operator: Client, flower: None) -> None:
    policy = operator.get("/admin/flower/")["Content-Security-Policy"]
    elsewhere = operator.get("/admin/")["Content-Security-Policy"]

    assert f"script-src 'self' {SCRIPT_HASH};" in policy + ";"
    assert "unsafe" not in policy
    assert "sha256" not in elsewhere


def test_it_is_told_no_cookie_and_lets_nobody_else_in(operator: Client, flower: None, data: Path) -> None:
    page = operator.get("/admin/flower/")
    api = ask("GET", "/admin/flower/api/workers", headers={})

    assert "Set-Cookie" not in page.headers
    assert stat.S_IMODE((data / "flower").stat().st_mode) == 0o700
    assert api.status == 401


def test_without_flower_the_page_says_so(operator: Client, settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path

    page = operator.get("/admin/flower/")

    assert page.status_code == 503
    assert "make flower" in page.content.decode()
    assert not socket_path().exists()
