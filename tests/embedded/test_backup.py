"""A backup of a running install, restored elsewhere: the same rows, the same files, and nothing is sent twice."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.test import override_settings

from bakedbrie.embedded.data_folder import CODE, DataFolder
from bakedbrie.embedded.environment import for_django
from bakedbrie.lib import sealing
from tests.embedded.conftest import Install

# What a restore changes on purpose.
SETTLED = {
    "agents_turn",
    "boards_boardevent",
    "django_session",
    "workspaces_requestrecord",
    "workspaces_signinlink",
    "workspaces_workspace",
}
NEWER: dict[str, dict[str, object]] = {
    "version": {"version": "99.0.0"},
    "migration": {},
    "format": {"format": 2},
    "postgres": {"postgres": 99},
}
Rows = dict[str, tuple[int, str]]


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A backup of an install, what the install held, and what the backup said."""

    folder: Path
    archive: Path
    keys: Path
    rows: Rows
    files: dict[str, str]
    printed: str


def embedded(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m bakedbrie.embedded`` on a data folder."""
    command = [sys.executable, "-m", "bakedbrie.embedded", *arguments]
    environment = {**os.environ, "BAKEDBRIE_DATA": str(folder)}
    return subprocess.run(command, cwd=CODE, env=environment, capture_output=True, text=True, check=False, timeout=240)


def filling(folder: DataFolder, function: str) -> subprocess.Popen[str]:
    """Start a function of `tests.embedded.fill_install` on an install whose stores run."""
    code = f"from tests.embedded import fill_install; fill_install.{function}()"
    environment = for_django(folder, {**os.environ, "LOG_LEVEL": "ERROR"})
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", code]
    return subprocess.Popen(command, cwd=CODE, env=environment, text=True, stdout=subprocess.PIPE)


def rows_of(install: Install) -> Rows:
    """Return for every table how many rows it has, and one hash over all of them."""
    tables = install.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    found: Rows = {}
    for (table,) in tables:
        query = f"SELECT count(*), md5(coalesce(string_agg(t::text, chr(10) ORDER BY t::text), '')) FROM {table} t"
        ((count, digest),) = install.sql(query)
        found[str(table)] = (int(str(count)), str(digest))
    return found


def files_of(install: Install) -> dict[str, str]:
    root = install.folder.files
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def shelf() -> Iterator[Path]:
    """A folder that Postgres' own account may pass through."""
    path = Path(tempfile.mkdtemp(prefix="bakedbrie-backup-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def saved(shelf: Path) -> Iterator[Saved]:
    install = Install(shelf / "first")
    install.start()
    try:
        with filling(install.folder, "main") as process:
            assert process.wait(240) == 0
        archive = shelf / "saved.tar"
        done = embedded(install.folder.path, "backup", "--to", str(archive))
        assert done.returncode == 0, done.stderr
        yield Saved(
            folder=install.folder.path,
            archive=archive,
            keys=shelf / "saved.tar.keys",
            rows=rows_of(install),
            files=files_of(install),
            printed=done.stdout,
        )
    finally:
        install.stop()


@dataclass(frozen=True, kw_only=True)
class Restored:
    """``rows`` and ``files`` are those of its first moment: other tests go on with it."""

    install: Install
    rows: Rows
    files: dict[str, str]


@pytest.fixture(scope="module")
def as_restored(shelf: Path, saved: Saved) -> Iterator[Restored]:
    install = Install(shelf / "second")
    done = embedded(install.folder.path, "restore", str(saved.archive))
    assert done.returncode == 0, done.stderr + done.stdout
    install.start()
    yield Restored(install=install, rows=rows_of(install), files=files_of(install))
    install.stop()


@pytest.fixture
def restored(as_restored: Restored) -> Install:
    return as_restored.install


def test_rows_and_files_are_those_of_the_backup(saved: Saved, as_restored: Restored) -> None:
    rows, files = as_restored.rows, as_restored.files

    differing = {table for table in rows.keys() | saved.rows.keys() if rows.get(table) != saved.rows.get(table)}
    assert differing == SETTLED
    assert saved.rows["boards_card"][0] == 5
    assert files == saved.files
    assert len(files) == 3
    assert sum(name.startswith("folders/") for name in files) == 1


def test_a_backup_says_what_lies_elsewhere(saved: Saved) -> None:
    assert "What lies in the buckets of 1 destinations" in saved.printed
    assert "demo" not in saved.printed


def test_secrets_open_with_the_restored_keys(restored: Install) -> None:
    (row,) = restored.sql(
        "SELECT sealed, workspace_id || ':' || purpose FROM workspaces_sealedsecret s "
        "JOIN workspaces_workspace w ON w.id = workspace_id WHERE w.name LIKE 'Charlie%'"
    )
    sealed, context = row

    with override_settings(SEALING_KEYS=restored.folder.sealing_keys()):
        opened = sealing.unseal(bytes(sealed), context=str(context))  # type: ignore[call-overload]  # bytes from SQL

    assert opened.reveal() == "sk-of-charlie"


def test_nothing_that_was_under_way_is_sent_again(restored: Install) -> None:
    turns = restored.sql("SELECT state, code FROM agents_turn ORDER BY state")
    workspaces = restored.sql("SELECT dispatch_paused, left(dispatch_reason, 25) FROM workspaces_workspace")
    records = restored.sql("SELECT DISTINCT state FROM workspaces_requestrecord WHERE request_id = 'under-way'")

    assert turns == [("queued", ""), ("unknown", "AI_OUTCOME_UNKNOWN")]
    assert workspaces == [(True, "Restored from a backup of")] * 2
    assert records == [("unknown",)]


def test_sessions_and_sign_in_links_of_the_past_are_over(saved: Saved, restored: Install) -> None:
    left = restored.sql("SELECT (SELECT count(*) FROM django_session), (SELECT count(*) FROM workspaces_signinlink)")

    assert (saved.rows["django_session"][0], saved.rows["workspaces_signinlink"][0]) == (1, 2)
    assert left == [(0, 0)]


def test_archive_and_keys_are_for_their_owners_eyes_and_apart(saved: Saved) -> None:
    with tarfile.open(saved.archive) as tar:
        names = tar.getnames()
    secrets = json.loads(saved.keys.read_text())
    content = saved.archive.read_bytes()

    assert [stat.S_IMODE(path.stat().st_mode) for path in (saved.archive, saved.keys)] == [0o600, 0o600]
    assert names[:2] == ["manifest.json", "database.dump"]
    assert not [name for name, secret in secrets.items() if secret.encode() in content]
    assert not [name for name, secret in secrets.items() if secret in saved.printed]


def test_a_restore_wants_an_empty_folder(saved: Saved, restored: Install) -> None:
    before = rows_of(restored)

    refused = embedded(restored.folder.path, "restore", str(saved.archive))

    assert refused.returncode == 1
    assert "is not empty" in refused.stderr
    assert rows_of(restored) == before


@pytest.mark.parametrize("damage", ["cut", "changed", "no archive"])
def test_a_damaged_archive_changes_nothing(saved: Saved, shelf: Path, damage: str) -> None:
    content = bytearray(saved.archive.read_bytes())
    if damage == "cut":
        del content[len(content) // 2 :]
    elif damage == "changed":
        content[len(content) - 300_000] ^= 1
    else:
        content = bytearray(b"not a tar file")
    broken = shelf / f"{damage}.tar"
    broken.write_bytes(content)
    target = shelf / f"for-{damage}"

    refused = embedded(target, "restore", str(broken), "--keys", str(saved.keys))

    assert refused.returncode == 1
    assert "is no whole backup" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert not target.exists()


@pytest.mark.parametrize("change", NEWER)
def test_a_backup_of_a_newer_version_is_refused(saved: Saved, shelf: Path, change: str) -> None:
    newer = shelf / f"newer-{change}.tar"
    with tarfile.open(saved.archive) as tar, tarfile.open(newer, "w") as copy:
        for member in tar:
            content = tar.extractfile(member)
            assert content is not None
            if member.name == "manifest.json":
                manifest = json.load(content)
                manifest["migrations"]["boards"] += ["0099_later"] if change == "migration" else []
                manifest |= NEWER[change]
                (shelf / "manifest.json").write_text(json.dumps(manifest))
                copy.add(shelf / "manifest.json", "manifest.json")
            else:
                copy.addfile(member, content)

    refused = embedded(shelf / "for-newer", "restore", str(newer), "--keys", str(saved.keys))

    assert refused.returncode == 1
    assert ("Postgres 99" if change == "postgres" else "newer BakedBrie") in refused.stderr
    assert not (shelf / "for-newer").exists()


def test_without_the_right_keys_nothing_is_restored(saved: Saved, shelf: Path) -> None:
    other = shelf / "other.keys"
    other.write_text(json.dumps({"secret_key": "x", "sealing_keys": "k1:y"}))

    answers = [
        embedded(shelf / "keyless", "restore", str(saved.archive), "--keys", str(keys))
        for keys in (other, shelf / "nowhere.keys", saved.archive)
    ]

    assert [answer.returncode for answer in answers] == [1, 1, 1]
    assert "holds other keys" in answers[0].stderr
    assert "KEYS=none" in answers[1].stderr
    assert "holds other keys" in answers[2].stderr
    assert [len(answer.stderr.splitlines()) for answer in answers] == [1, 1, 1]
    assert not (shelf / "keyless").exists()


def test_a_backup_writes_over_nothing(saved: Saved, shelf: Path, restored: Install) -> None:
    before = saved.archive.read_bytes()

    refused = embedded(restored.folder.path, "backup", "--to", str(saved.archive))

    assert refused.returncode == 1
    assert saved.archive.read_bytes() == before


def test_files_that_lie_in_a_bucket_are_not_called_lost(
    saved: Saved, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = saved.folder / "files" / min(saved.files)
    lost.rename(shelf / "elsewhere")

    on_disk = embedded(saved.folder, "backup", "--to", str(shelf / "on-disk.tar"))
    monkeypatch.setenv("FILES_BUCKET", "cards")
    in_a_bucket = embedded(saved.folder, "backup", "--to", str(shelf / "in-a-bucket.tar"))

    (shelf / "elsewhere").rename(lost)
    assert on_disk.stdout.count("bytes were gone") == 1
    assert "bytes were gone" not in in_a_bucket.stdout
    assert "lie in a bucket" in in_a_bucket.stdout


def test_files_that_come_and_go_meanwhile_leave_no_gap(saved: Saved, shelf: Path) -> None:
    printed: list[str] = []
    with filling(DataFolder(saved.folder), "come_and_go") as busy:
        assert busy.stdout is not None
        busy.stdout.readline()
        while busy.poll() is None:
            done = embedded(saved.folder, "backup", "--to", str(shelf / f"busy-{len(printed)}.tar"))
            printed.append(done.stdout + done.stderr)

    assert len(printed) > 1
    assert [text for text in printed if "Saved the database" not in text or "bytes were gone" in text] == []


def test_what_a_broken_restore_left_is_not_taken_for_an_install(shelf: Path) -> None:
    (shelf / "broken" / "restoring").mkdir(parents=True)

    refused = [embedded(shelf / "broken", "up"), embedded(shelf / "broken", "restore", "any.tar")]

    assert [answer.returncode for answer in refused] == [1, 1]
    assert ["was broken off" in answer.stderr for answer in refused] == [True, True]


@pytest.mark.parametrize("place", ["/proc/there", "/etc/hostname"])
def test_a_place_where_no_folder_can_be_is_refused_in_one_sentence(saved: Saved, place: str) -> None:
    refused = embedded(Path(place), "restore", str(saved.archive))

    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1


def test_a_folder_without_an_install_is_not_backed_up(shelf: Path) -> None:
    refused = embedded(shelf / "nothing", "backup")

    assert refused.returncode == 1
    assert not (shelf / "nothing").exists()


def test_the_sealing_key_is_changed_while_the_install_rests(saved: Saved, restored: Install) -> None:
    old = restored.folder.sealing_keys()
    while_running = embedded(restored.folder.path, "rotate-keys")
    restored.stop()

    rotated = embedded(restored.folder.path, "rotate-keys")
    resting = embedded(restored.folder.path, "backup", "--to", str(saved.archive.with_name("resting.tar")))

    restored.start()
    new = restored.folder.sealing_keys()
    names = {sealing.key_name(bytes(row[0])) for row in restored.sql("SELECT sealed FROM workspaces_sealedsecret")}  # type: ignore[call-overload]
    assert (while_running.returncode, rotated.returncode, resting.returncode) == (1, 0, 0), rotated.stderr
    assert new != old
    assert "," not in new
    assert names == {new.partition(":")[0]}
    assert new not in rotated.stdout + rotated.stderr
