"""The doctor, on real instances that are really broken: each fault has its own finding, and the others still speak."""

from __future__ import annotations

import base64
import os
import shutil
import socket
import ssl
import tempfile
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
import time_machine
import trustme
from django.conf import settings as django_settings
from django.core import signing
from django.db import connection
from django.test import Client, override_settings
from pytest_django.fixtures import Settings

from agents.models import Turn
from bakedbrie.doctor import address
from bakedbrie.doctor.address import check_address
from bakedbrie.doctor.checkup import CHECKS, examine
from bakedbrie.doctor.finding import Finding, State, as_lines, is_well, ok, wrong
from bakedbrie.doctor.machine import check_data_folder
from bakedbrie.doctor.stores import check_clock
from bakedbrie.doctor.work import check_beat, check_capabilities, check_queue, check_sealing_keys, check_worker
from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.memory import remember
from bakedbrie.embedded.valkey import Valkey, broker_url, url
from bakedbrie.lib import clock, presence
from bakedbrie.lib.presence import Sign
from tests.acceptance.worker import until
from tests.factories.workflows import make_line
from tests.operations.doctor import Visit, manage, proxy
from tests.support.canary import KEY
from tests.support.fake_provider import FakeProvider
from tests.support.web_process import WebProcess, web_process
from workspaces.caller import Caller
from workspaces.services.secrets import seal_secret
from workspaces.states import SecretPurpose

OF_THE_DATABASE = {
    *("MIGRATIONS", "CLOCK", "BEAT", "WORKER", "QUEUE", "SEALING_KEYS", "ACCOUNTS", "CAPABILITIES"),
    *("DELIVERIES", "WORK_FOLDERS", "STORAGE_QUOTA", "REVIEWS"),
}
OTHER_KEY = base64.b64encode(b"another key with the same name.."[:32]).decode()


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """A data folder with its static files."""
    folder = Path(tempfile.mkdtemp(prefix="bakedbrie-doctor-"))
    keys = {"SECRET_KEY": "only to collect", "SEALING_KEYS": django_settings.SEALING_KEYS}
    collected = manage({**keys, "BAKEDBRIE_DATA": str(folder)}, "collectstatic", "--noinput", "--verbosity", "0")
    assert collected.returncode == 0, collected.stderr
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def web(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    with web_process(tmp_path_factory.mktemp("web"), BEHIND_PROXY="true") as running:
        until(lambda: check_address_of(running.address) is State.OK, "the web process answers")
        yield running


def check_address_of(app_url: str) -> State:
    with override_settings(APP_URL=app_url):
        return address.check_address("ADDRESS").state


@pytest.fixture
def healthy(transactional_db: None, data: Path, web: WebProcess) -> dict[str, str]:
    """The environment of an instance in which all is well: a web process answers, and there are signs of life."""
    at = connection.settings_dict
    environment = {
        "SECRET_KEY": django_settings.SECRET_KEY,
        "SEALING_KEYS": django_settings.SEALING_KEYS,
        "BAKEDBRIE_DATA": str(data),
        "DATABASE_HOST": str(at["HOST"]),
        "DATABASE_PORT": str(at["PORT"]),
        "DATABASE_NAME": str(at["NAME"]),
        "DATABASE_USER": str(at["USER"]),
        "REDIS_URL": django_settings.REDIS_URL,
        "CELERY_BROKER_URL": os.environ["WORKER_BROKER_URL"],
        "LIVE_PREFIX": django_settings.LIVE_PREFIX,
        "APP_URL": web.address,
    }
    for sign in Sign:
        presence.note(sign)
    return environment


@pytest.fixture
def empty_database(healthy: dict[str, str]) -> Iterator[str]:
    name = f"{healthy['DATABASE_NAME']}_empty"
    server: dict[str, Any] = {
        "host": healthy["DATABASE_HOST"],
        "port": healthy["DATABASE_PORT"],
        "user": healthy["DATABASE_USER"],
    }
    with psycopg.connect(**server, dbname="postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
        yield name
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def forget(sign: Sign) -> None:
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        client.delete(presence._key(sign))


def test_where_all_is_well_it_says_so_and_ends_with_0(healthy: dict[str, str], alice: Caller) -> None:
    seal_secret(alice.workspace, purpose=SecretPurpose.AI_ACCOUNT, value=KEY)

    visit = Visit(healthy)

    assert (visit.status, visit.is_well, visit.wrong(), visit.skipped()) == (0, True, set(), set())
    assert list(visit.findings) == list(CHECKS)


def test_for_people_each_finding_is_a_line_and_its_fix_another() -> None:
    lines = as_lines([ok("VALKEY", "Valkey answers."), wrong("BROKER", "It does not answer.", "Start it.")])

    assert lines == [
        "ok       VALKEY             Valkey answers.",
        "wrong    BROKER             It does not answer.",
        "                            To mend it: Start it.",
        "",
        "1 of 2 things are wrong.",
    ]
    assert as_lines([ok("VALKEY", "Valkey answers.")])[-1] == "All is well."


def test_everything_down_at_once_is_told_part_by_part(healthy: dict[str, str], tmp_path: Path) -> None:
    nowhere = {"DATABASE_HOST": str(tmp_path), "REDIS_URL": "redis://127.0.0.1:1/0", "APP_URL": "http://127.0.0.1:1"}
    away = {**healthy, **nowhere, "CELERY_BROKER_URL": "redis://127.0.0.1:1/0", "BAKEDBRIE_DATA": str(tmp_path / "no")}

    visit = Visit(away)

    assert visit.status == 1
    assert visit.wrong() == {"DATA_FOLDER", "DATABASE", "VALKEY", "BROKER", "STATIC_FILES", "ADDRESS"}
    assert visit.skipped() == OF_THE_DATABASE | {"STORAGE"}
    assert all(visit.findings[id]["fix"] for id in visit.wrong())


def test_a_stopped_valkey_is_found_and_so_is_its_broker(healthy: dict[str, str]) -> None:
    place = Path(tempfile.mkdtemp(prefix="bakedbrie-doctor-"))
    valkey = Valkey(place / "valkey", place / "valkey.log", keeps_data=False)
    valkey.start()
    own = {**healthy, "REDIS_URL": url(valkey.data), "CELERY_BROKER_URL": broker_url(valkey.data)}

    valkey.stop()
    stopped = Visit(own)

    shutil.rmtree(place)
    assert stopped.wrong() == {"VALKEY", "BROKER"}
    assert stopped.skipped() == {"BEAT", "WORKER", "QUEUE"}


def test_a_wrong_sealing_key_is_named_and_never_shown(healthy: dict[str, str], alice: Caller) -> None:
    seal_secret(alice.workspace, purpose=SecretPurpose.AI_ACCOUNT, value=KEY)
    used = django_settings.SEALING_KEYS.partition(":")[0]

    visit = Visit({**healthy, "SEALING_KEYS": f"{used}:{OTHER_KEY}"})
    with override_settings(SEALING_KEYS=f"renamed:{OTHER_KEY}"):
        renamed = check_sealing_keys("SEALING_KEYS")

    assert visit.wrong() == {"SEALING_KEYS"}
    assert visit.says("SEALING_KEYS") == f"1 of 1 stored secrets do not open: 1 sealed with {used}."
    assert renamed.says == visit.says("SEALING_KEYS")
    assert OTHER_KEY not in visit.text
    assert KEY not in visit.text


def test_a_database_without_its_migrations_is_found(healthy: dict[str, str], empty_database: str) -> None:
    visit = Visit({**healthy, "DATABASE_NAME": empty_database})

    assert visit.wrong() == {"MIGRATIONS"}
    assert visit.skipped() == OF_THE_DATABASE - {"MIGRATIONS", "CLOCK"}
    assert "account.0001_initial" in visit.says("MIGRATIONS")


def test_a_port_that_another_program_has_is_found(transactional_db: None) -> None:
    folder = DataFolder(Path(tempfile.mkdtemp(prefix="bakedbrie-doctor-")))
    folder.path.chmod(0o711)
    folder.make()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        remember(folder.memory, web_port=port)
        during = Visit({"BAKEDBRIE_DATA": str(folder.path)})

    shutil.rmtree(folder.path)
    assert during.says("INSTALL") == f"BakedBrie does not run, and another program has its port {port}."
    assert {during.state("INSTALL"), during.state("DATABASE")} == {"wrong"}


def test_missing_static_files_and_a_store_that_takes_nothing_are_found(healthy: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    (folder / "files").write_text("not a folder")

    visit = Visit({**healthy, "BAKEDBRIE_DATA": str(folder)})

    assert visit.wrong() == {"STATIC_FILES", "STORAGE"}


def test_a_data_folder_that_others_look_into_is_found(settings: Settings, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    settings.DATA = tmp_path

    finding = check_data_folder("DATA_FOLDER")

    assert (finding.state, finding.fix) == (State.WRONG, f"chmod o-rw {tmp_path}")


@pytest.mark.parametrize(("lost", "at_fault"), [(Sign.BEAT, "BEAT"), (Sign.WORKER, "WORKER"), (Sign.SWEEP, "WORKER")])
def test_a_part_that_gives_no_sign_is_found(db: None, lost: Sign, at_fault: str) -> None:
    for sign in Sign:
        presence.note(sign)
    forget(lost)

    found = [check_beat("BEAT"), check_worker("WORKER"), check_queue("QUEUE")]

    assert [one.id for one in found if one.state is State.WRONG] == [at_fault]


def test_a_queue_that_is_stuck_is_found(db: None, alice: Caller, settings: Settings) -> None:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        turn = make_line(alice, provider).start()
    assert check_queue("QUEUE").state is State.OK
    Turn.objects.filter(pk=turn.pk).update(rings=3)

    finding = check_queue("QUEUE")

    assert finding.state is State.WRONG
    assert finding.says.startswith("1 turns are queued")


def test_a_capability_without_its_need_is_told_and_breaks_nothing(alice: Caller) -> None:
    alice.workspace.capabilities = [*alice.workspace.capabilities, "connections_oauth"]
    alice.workspace.save(update_fields=["capabilities"])

    finding = check_capabilities("CAPABILITIES")

    assert finding.state is State.NOTE
    assert "connections_oauth (needs connections)" in finding.says
    assert is_well([finding])


def test_wrong_settings_are_findings_and_nothing_else_is_looked_at(healthy: dict[str, str]) -> None:
    wrong = {**healthy, "DEBUG": "perhaps", "SEALING_KEYS": "k1:short"}

    ended = manage(wrong, "doctor")
    told = manage(wrong, "doctor", "--json")

    assert (ended.returncode, told.returncode) == (1, 1)
    assert ended.stdout.count("wrong    SETTINGS") == 2
    assert told.stdout.count('"id": "SETTINGS"') == 2
    assert ended.stderr == told.stderr == ""


def test_another_program_at_our_address_is_found(settings: Settings) -> None:
    with proxy() as port:
        settings.APP_URL = f"http://127.0.0.1:{port}"
        other = check_address("ADDRESS")
    nobody = check_address("ADDRESS")
    with proxy(location="https://elsewhere.example/") as port:
        settings.APP_URL = f"http://127.0.0.1:{port}"
        led = check_address("ADDRESS")

    assert other.says == f"Something else answers at {other.says.split()[4]} (200)."
    assert nobody.says.startswith("Nobody answers at http://127.0.0.1:")
    assert led.says.endswith("leads elsewhere (302).")
    assert {other.state, nobody.state, led.state} == {State.WRONG}


def test_a_proxy_that_changes_the_host_is_found(settings: Settings, web: WebProcess) -> None:
    with proxy(web.address) as port:
        settings.APP_URL = f"http://127.0.0.1:{port}"
        right = check_address("ADDRESS")
    with proxy(web.address, host="backend:8000") as port:
        settings.APP_URL = f"http://127.0.0.1:{port}"
        changed = check_address("ADDRESS")

    assert right.state is State.OK
    assert changed.says == f"A request for 127.0.0.1:{port} arrives as one for backend:8000."


def test_a_proxy_that_speaks_https_must_say_so_and_be_trusted(
    settings: Settings, web: WebProcess, tmp_path: Path
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(tls)

    with proxy(web.address, tls=tls, proto="https") as port:
        settings.APP_URL = f"https://localhost:{port}"
        untrusted = check_address("ADDRESS")
        settings.OUTBOUND_CA_FILE = str(tmp_path / "ca.pem")
        right = check_address("ADDRESS")
    with proxy(web.address, tls=tls) as port:
        settings.APP_URL = f"https://localhost:{port}"
        silent = check_address("ADDRESS")

    assert untrusted.says.endswith("is not trusted.")
    assert right.state is State.OK
    assert silent.says == "A request over https arrives as one over http."


def test_clocks_that_disagree_are_found(db: None) -> None:
    with time_machine.travel(clock.now() - timedelta(minutes=2)):
        finding = check_clock("CLOCK")

    assert (finding.state, finding.says) == (
        State.WRONG,
        "The database's clock is 120 s ahead of this machine's.",
    )
    assert check_clock("CLOCK").state is State.OK


def test_a_check_that_hangs_or_breaks_keeps_no_other_from_speaking() -> None:
    never = threading.Event()

    def hang(id: str) -> Finding:
        never.wait()
        return ok(id, "")

    def fail(id: str) -> Finding:
        raise RuntimeError("unforeseen")

    found = list(examine({"HANGS": hang, "FAILS": fail, "SPEAKS": lambda id: ok(id, "here")}, within_s=0.2))

    never.set()
    assert [(one.id, one.state) for one in found] == [
        ("HANGS", State.WRONG),
        ("FAILS", State.WRONG),
        ("SPEAKS", State.OK),
    ]
    assert "RuntimeError: unforeseen" in found[1].says


@pytest.mark.parametrize("ticket", ["", "x", "made-up:1:2"])
def test_how_a_request_arrived_is_told_to_nobody_without_a_ticket(ticket: str) -> None:
    answer = Client().get(address.PATH, {"ticket": ticket})

    assert (answer.status_code, answer.content) == (404, b"")


def test_a_ticket_is_good_for_a_minute_and_for_nothing_else() -> None:
    ticket = signing.dumps("nonce", salt="bakedbrie.doctor.ask")

    with time_machine.travel(clock.now() + timedelta(seconds=50)):
        in_time = Client().get(address.PATH, {"ticket": ticket})
    with time_machine.travel(clock.now() + timedelta(seconds=70)):
        late = Client().get(address.PATH, {"ticket": ticket})
    other = Client().get(address.PATH, {"ticket": signing.dumps("nonce", salt="another")})

    assert (in_time.status_code, late.status_code, other.status_code) == (200, 404, 404)
