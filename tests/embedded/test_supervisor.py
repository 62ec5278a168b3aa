"""The supervisor and its children, killed at the worst time: nothing outlives it, and nothing is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.embedded.conftest import Install, wait_until_gone


def test_a_killed_supervisor_takes_its_children_along_and_loses_nothing(install: Install) -> None:
    install.start()
    install.sql("CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n")
    with install.valkey() as client:
        client.rpush("kept", "a", "b")
    assert install.supervisor is not None

    install.supervisor.kill()
    wait_until_gone(install.postgres_pid)
    wait_until_gone(install.valkey_pid)
    install.stop()
    install.start()

    assert install.sql("SELECT count(*) FROM kept") == [(1000,)]
    with install.valkey() as client:
        assert client.lrange("kept", 0, -1) == [b"a", b"b"]


def test_killed_servers_run_again_with_their_rows(install: Install) -> None:
    install.start()
    install.sql("CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n")
    with install.valkey() as client:
        client.set("kept", "yes")

    os.kill(install.postgres_pid, signal.SIGKILL)
    install.read_until("postgres   runs again")
    os.kill(install.valkey_pid, signal.SIGKILL)
    install.read_until("valkey     runs again")

    assert install.sql("SELECT count(*) FROM kept") == [(1000,)]
    with install.valkey() as client:
        assert client.get("kept") == b"yes"


def test_a_second_start_on_the_same_data_is_refused_in_one_sentence(install: Install) -> None:
    install.start()

    second = install.run("up")

    assert second.returncode == 1
    assert second.stdout == ""
    assert len(second.stderr.splitlines()) == 1
    assert f"(process {install.supervisor.pid})" in second.stderr if install.supervisor else False
    assert install.sql("SELECT 1") == [(1,)]


def test_wrong_settings_are_all_named_before_anything_starts(install: Install) -> None:
    second = install.run("up", LOG_LEVEL="loud", HSTS_SECONDS="soon")

    assert second.returncode == 1
    assert second.stdout.splitlines()[1:] == []
    assert [line.split()[1] for line in second.stderr.splitlines()[1:]] == ["HSTS_SECONDS", "LOG_LEVEL"]
    assert not install.folder.postgres.exists()


def test_down_stops_what_another_shell_started(install: Install) -> None:
    install.start()

    first, second = install.run("down"), install.run("down")

    assert (first.returncode, second.returncode) == (0, 0)
    assert first.stdout.splitlines()[-1] == f"BakedBrie on {install.folder.path} has stopped."
    assert second.stdout == f"BakedBrie is not running on {install.folder.path}.\n"
    wait_until_gone(install.postgres_pid)
    wait_until_gone(install.valkey_pid)


def test_a_pid_file_of_a_number_that_was_given_out_again_does_not_stop_a_start(install: Install) -> None:
    install.start()
    install.stop()
    for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
        stale = install.folder.postgres / name
        stale.write_text(f"{os.getpid()}\n{install.folder.postgres}\n1700000000\n5432\n\n\n\nready\n")
        os.chown(stale, install.folder.postgres.stat().st_uid, -1)

    install.start()

    assert install.sql("SELECT 1") == [(1,)]


def test_an_unknown_language_and_a_long_path_are_no_hindrance(deep_place: Path) -> None:
    install = Install(deep_place)
    try:
        install.start(LANG="xx_YY.UTF-8", LC_ALL="xx_YY.UTF-8")

        assert install.sql("SELECT datcollate, datlocale FROM pg_database WHERE datname = 'bakedbrie'") == [
            ("C", "C.UTF-8")
        ]
        with install.valkey() as client:
            assert client.ping() is True
    finally:
        install.stop()
