"""The scripts of single pages, joined to the script of all pages."""

from __future__ import annotations

from pathlib import Path

from django.contrib.staticfiles import finders
from pytest_django.fixtures import Settings

from bakedbrie.page_scripts import PageScripts


def test_a_page_gets_the_script_of_all_pages_and_its_own_in_one_file(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path

    found = finders.find("bakedbrie/app-board.js")

    parts = [Path(str(finders.find(f"bakedbrie/{name}.js"))).read_bytes() for name in ("app", "board")]
    assert Path(str(found)).read_bytes() == b"\n".join(parts)


def test_what_is_collected_has_them_and_nothing_that_is_not_there(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path

    sizes = {name: files.size(name) for name, files in PageScripts().list(None)}

    assert "bakedbrie/app-board.js" in sizes
    assert (finders.find("bakedbrie/app-nothing.js"), all(sizes.values())) == (None, True)
