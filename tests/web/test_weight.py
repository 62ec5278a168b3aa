"""What goes over the wire: pages that may be compressed are, the others never; static files stay for a year."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client

from tests.factories.boards import make_board
from tests.support.cast import browser
from tests.web.pages import text_of, url
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

GZIP = {"Accept-Encoding": "gzip, br"}
ROOT = Path(__file__).resolve().parent.parent.parent


def test_a_page_is_compressed_for_who_takes_it(alice: Caller) -> None:
    client, address = browser(alice), url("board", make_board(alice).pk)

    plain, small = client.get(address), client.get(address, headers=GZIP)

    assert (plain.has_header("Content-Encoding"), small["Content-Encoding"]) == (False, "gzip")
    assert b"</html>" in gzip.decompress(small.content)
    assert len(small.content) < len(plain.content) / 2
    assert "Accept-Encoding" in small["Vary"]


def test_what_reflects_the_request_is_never_compressed(alice: Caller) -> None:
    client = browser(alice)

    asked = [
        client.get(path, headers=GZIP) for path in ("/search/?q=loaf", "/docs/?q=loaf", "/settings/tokens/?of=own")
    ]
    sent = client.post("/settings/", {"name": ""}, headers=GZIP)
    minted = client.post("/settings/tokens/", {"label": "x", "preset": "read_only", "request_id": "r-1"}, headers=GZIP)

    assert "bb_" in text_of(minted)
    assert [answer.has_header("Content-Encoding") for answer in (*asked, sent, minted)] == [False] * 5


def test_the_length_of_a_page_tells_little(alice: Caller) -> None:
    client = browser(alice)

    lengths = {len(client.get("/docs/", headers=GZIP).content) for _ in range(12)}

    assert len(lengths) > 1


def test_machines_get_their_answers_as_they_are(alice: Caller) -> None:
    assert not Client().get("/api/schema", headers=GZIP).has_header("Content-Encoding")


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("static")
    own = {
        "DJANGO_SETTINGS_MODULE": "bakedbrie.settings",
        "BAKEDBRIE_DATA": str(data),
        "SECRET_KEY": django_settings.SECRET_KEY,
        "SEALING_KEYS": django_settings.SEALING_KEYS,
    }
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **own}, check=True)
    return data / "static" / "bakedbrie"


def test_what_is_collected_is_small_and_bears_the_hash_of_what_it_holds(collected: Path) -> None:
    sizes = {}
    for name in ("site.css", "app.js", "app-board.js", "app-card.js"):
        stem, _, kind = name.partition(".")
        hashed = [
            path.name for path in collected.iterdir() if re.fullmatch(rf"{stem}\.[0-9a-f]{{12}}\.{kind}", path.name)
        ]
        if hashed:
            sizes[name] = (collected / f"{hashed[0]}.gz").stat().st_size

    assert {"site.css", "app.js", "app-board.js"} <= set(sizes)
    assert max(sizes.values()) < 25_000
