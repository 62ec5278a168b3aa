"""Card files: streamed in, capped, named safely, typed by their bytes."""

from __future__ import annotations

import hashlib
import io
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from django.core.files.storage import FileSystemStorage
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.storage import (
    HEAD_BYTES,
    INLINE_TYPES,
    TooLarge,
    delete,
    open_file,
    safe_name,
    sniff,
    store,
)

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


class FullDisk(FileSystemStorage):
    """A storage that fails after it wrote a part."""

    def _save(self, name: str, content: object) -> str:
        path = Path(self.path(name))
        path.parent.mkdir(parents=True)
        path.write_bytes(b"part")
        raise OSError(28, "No space left on device")


class Endless:
    """A stream that never ends and counts what was taken from it."""

    taken = 0

    def read(self, size: int, /) -> bytes:
        self.taken += size
        return b"x" * size


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    with override_settings(STORAGES={"default": _disk(tmp_path)}):
        yield tmp_path


def _disk(path: Path, backend: str = "django.core.files.storage.FileSystemStorage") -> dict[str, object]:
    return {"BACKEND": backend, "OPTIONS": {"location": path}}


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_stored_file_is_read_back_whole() -> None:
    content = PNG + bytes(range(256)) * 2000

    stored = store(io.BytesIO(content), key_prefix="w1/c1", max_bytes=1_000_000)

    assert (stored.bytes, stored.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert stored.head == content[:HEAD_BYTES]
    assert UUID(stored.key.removeprefix("w1/c1/")).version == 7
    with open_file(stored.key) as kept:
        assert kept.read() == content


def test_an_empty_file_is_a_file() -> None:
    stored = store(io.BytesIO(b""), key_prefix="w1", max_bytes=1)

    assert (stored.bytes, stored.head, stored.sha256) == (0, b"", hashlib.sha256(b"").hexdigest())


def test_two_files_never_share_a_key() -> None:
    keys = {store(io.BytesIO(b"same"), key_prefix="w1", max_bytes=9).key for _ in range(20)}

    assert len(keys) == 20


def test_the_cap_itself_is_allowed_and_one_byte_more_leaves_nothing(folder: Path) -> None:
    assert store(io.BytesIO(b"12345"), key_prefix="w1", max_bytes=5).bytes == 5
    with pytest.raises(TooLarge) as refused:
        store(io.BytesIO(b"123456"), key_prefix="w1", max_bytes=5)

    assert refused.value.max_bytes == 5
    assert len(files_in(folder)) == 1


def test_a_stream_that_never_ends_is_read_up_to_the_cap(folder: Path) -> None:
    stream = Endless()

    with pytest.raises(TooLarge):
        store(stream, key_prefix="w1", max_bytes=1_000_000)

    assert stream.taken < 1_100_000
    assert files_in(folder) == []


def test_a_storage_that_fails_halfway_leaves_nothing(folder: Path) -> None:
    with (
        override_settings(STORAGES={"default": _disk(folder, "tests.lib.test_storage.FullDisk")}),
        pytest.raises(OSError, match="No space"),
    ):
        store(io.BytesIO(b"12345"), key_prefix="w1", max_bytes=5)

    assert files_in(folder) == []


def test_a_deleted_file_is_gone_and_deleting_again_is_fine(folder: Path) -> None:
    stored = store(io.BytesIO(b"1"), key_prefix="w1", max_bytes=5)

    delete(stored.key)
    delete(stored.key)

    assert files_in(folder) == []
    with pytest.raises(FileNotFoundError):
        open_file(stored.key)


@pytest.mark.requirement("C051", "C088")
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("plan+v2 [1].pdf", "plan+v2 [1].pdf"),
        ("re\u0301po\u0308rts.csv", "répörts.csv"),
        ("报告.docx", "报告.docx"),
        ("🎉🎉.png", "🎉🎉.png"),
        ("👩\u200d🚀.png", "👩\u200d🚀.png"),
        ("..", "file"),
        (".", "file"),
        ("", "file"),
        ("   \t\n ", "file"),
        ("\u200b\u202e", "file"),
        (".env", "env"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("../../.github/workflows/x", "_.._.github_workflows_x"),
        ("a/b\\c", "a_b_c"),
        ("C:\\Users\\me\\cv.pdf", "C__Users_me_cv.pdf"),
        ("a\x00b\x1b[31m.txt", "ab[31m.txt"),
        ("two\r\nlines  and   spaces .txt. ", "two lines and spaces .txt"),
        ("CON", "_CON"),
        ("con.txt", "_con.txt"),
        ("Lpt1.tar.gz", "_Lpt1.tar.gz"),
        ("COM².txt", "_COM².txt"),
        ("console.txt", "console.txt"),
        ("what?*.txt", "what__.txt"),
        ("half\ud83d.txt", "half.txt"),
        ("x%2Fy", "x%2Fy"),
    ],
)
def test_a_file_name_is_made_safe(text: str, name: str) -> None:
    assert safe_name(text) == name


@pytest.mark.requirement("C051")
def test_a_long_name_is_cut_between_characters_and_keeps_its_ending() -> None:
    assert safe_name("ä" * 600 + ".pdf") == "ä" * 98 + ".pdf"
    assert safe_name("a" * 600) == "a" * 200
    assert safe_name("a." + "b" * 600) == "a." + "b" * 198
    assert safe_name("🎉" * 100) == "🎉" * 50


@given(st.text(max_size=300))
def test_any_text_gives_a_name_that_every_system_takes(text: str) -> None:
    name = safe_name(text)

    assert 1 <= len(name.encode()) <= 201
    assert name == unicodedata.normalize("NFC", name)
    assert not set(name) & set('/\\<>:"|?*\x00\n\r')
    assert name.strip(" .") == name
    assert name.split(".")[0].lower() not in {"con", "prn", "aux", "nul", "com1", "lpt9"}
    assert safe_name(name) == name


@pytest.mark.parametrize(
    ("head", "name", "media_type"),
    [
        (PNG, "x.html", "image/png"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 20, "x", "image/jpeg"),
        (b"%PDF-1.7\n1 0 obj\n", "x.txt", "application/pdf"),
        (b"PK\x03\x04" + b"\0" * 30, "x.zip", "application/zip"),
        (b"a,b\n1,2\n", "x.CSV", "text/csv"),
        (b"# Title\n", "notes.md", "text/markdown"),
        (b"# Title\n", "notes.markdown", "text/markdown"),
        (b'{"a": 1}', "x.json", "application/json"),
        (b"BMW,Audi\n", "cars.txt", "text/plain"),
        (b"<html><script>alert(1)</script>", "x.html", "text/plain"),
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "x.svg", "text/plain"),
        (b"<?xml version='1.0'?><svg/>", "x.png", "text/plain"),
        ("Größe".encode(), "x", "text/plain"),
        ("\ufeffa;b".encode(), "x.csv", "text/csv"),
        (b"", "x.md", "text/markdown"),
        (b"\x00\x01\x02", "x.txt", "application/octet-stream"),
        (b"esc \x1b[31m", "x.txt", "application/octet-stream"),
        ("Größe".encode("latin-1"), "x.txt", "application/octet-stream"),
        (b"MZ" + b"\x90\x00\x03" + b"\0" * 60, "x.png", "application/x-msdownload"),
    ],
)
def test_the_bytes_decide_what_a_file_is(head: bytes, name: str, media_type: str) -> None:
    assert sniff(head, name) == media_type


def test_a_character_cut_at_the_end_of_the_head_is_still_text() -> None:
    content = b"x" + "ä".encode() * HEAD_BYTES

    assert sniff(content[:HEAD_BYTES], "x.txt") == "text/plain"
    assert sniff(content[:100], "x.txt") == "application/octet-stream"


@given(st.binary(max_size=400), st.text(max_size=20))
def test_no_bytes_and_no_name_make_a_type_that_a_browser_runs(head: bytes, name: str) -> None:
    media_type = sniff(head, name)

    assert not any(word in media_type for word in ("html", "svg", "xml+", "+xml", "javascript"))
    assert not any(word in " ".join(INLINE_TYPES) for word in ("html", "svg", "xml"))
