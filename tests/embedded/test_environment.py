"""Where the data lies, which keys it holds, and how manage.py finds both."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from bakedbrie.embedded import environment
from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.memory import recall, remember
from bakedbrie.embedded.trouble import Trouble


@pytest.fixture
def folder(place: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    monkeypatch.setenv("BAKEDBRIE_DATA", str(place))
    folder = DataFolder.here()
    folder.make()
    return folder


def test_keys_are_made_once_and_only_their_owner_reads_them(folder: DataFolder) -> None:
    first = environment.for_django(folder, {})

    second = environment.for_django(folder, {"SECRET_KEY": "of a shell", "SEALING_KEYS": "of a shell"})

    assert second == first
    for name in ("secret_key", "sealing_keys"):
        assert stat.S_IMODE((folder.path / name).stat().st_mode) == 0o600


def test_an_emptied_key_file_is_not_replaced_by_a_new_key(folder: DataFolder) -> None:
    environment.for_django(folder, {})
    (folder.path / "sealing_keys").write_text("")

    with pytest.raises(Trouble):
        environment.for_django(folder, {})

    assert (folder.path / "sealing_keys").read_text() == ""


def test_manage_py_finds_the_install_beside_it(folder: DataFolder) -> None:
    made = environment.for_django(folder, {})
    found: dict[str, str] = {}

    environment.complete(found, "shell")

    assert found == made


def test_manage_py_leaves_an_environment_alone_that_an_operator_wrote(folder: DataFolder) -> None:
    given = {"DATABASE_HOST": "db.example"}

    environment.complete(given, "migrate")

    assert given == {"DATABASE_HOST": "db.example"}


def test_before_the_first_start_manage_py_keeps_no_key(folder: DataFolder) -> None:
    first: dict[str, str] = {}
    second: dict[str, str] = {}

    environment.complete(first, "up")
    environment.complete(second, "up")

    assert set(first) == {"SECRET_KEY", "SEALING_KEYS"}
    assert first["SECRET_KEY"] != second["SECRET_KEY"]
    assert not folder.has_keys()


def test_the_local_model_is_the_one_loopback_address_beside_those_the_operator_lists(folder: DataFolder) -> None:
    remember(folder.memory, uses_local_model=True, model_port=8101)

    made = environment.for_django(folder, {"OUTBOUND_LOOPBACK": "127.0.0.1:11434"})

    assert made["OUTBOUND_LOOPBACK"] == "127.0.0.1:11434,127.0.0.1:8101"
    assert recall(folder.memory).web_port is None
