"""System checks: each wrong setting has its own number."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import Settings

from bakedbrie.checks import check_settings


def problems() -> list[str | None]:
    return [problem.id for problem in check_settings(None)]


def test_the_tests_own_settings_are_right() -> None:
    assert problems() == []


@pytest.mark.parametrize("keys", ["", "a", "a:b", "a:AAAA", "a:" + "A" * 43 + "=,a:" + "A" * 43 + "="])
def test_sealing_keys_must_be_readable_and_are_never_shown(settings: Settings, keys: str) -> None:
    settings.SEALING_KEYS = keys

    (problem,) = check_settings(None)

    assert problem.id == "bakedbrie.E001"
    assert "AAAA" not in problem.msg


def test_the_zone_is_utc(settings: Settings) -> None:
    settings.TIME_ZONE = "Europe/Paris"

    assert problems() == ["bakedbrie.E002"]


@pytest.mark.parametrize(
    "url",
    [
        "http://board.example.com",
        "ftp://127.0.0.1",
        "board.example.com",
        "",
        "https://",
        "https://me@board.example.com",
        "http://127.0.0.1.example.com",
    ],
)
def test_the_app_url_is_https_or_this_computer(settings: Settings, url: str) -> None:
    settings.APP_URL = url

    assert problems() == ["bakedbrie.E003"]


@pytest.mark.parametrize("path", ["//brie", "/br%69e", "/../brie", "/brie/", "/a b"])
def test_a_path_in_the_app_url_is_plain(settings: Settings, path: str) -> None:
    settings.APP_URL = f"https://example.com{path}"

    assert problems() == ["bakedbrie.E003"]


@pytest.mark.parametrize("path", ["/boards", "/api/brie", "/mcp", "/static", "/admin"])
def test_a_path_in_the_app_url_is_none_of_ours(settings: Settings, path: str) -> None:
    settings.APP_URL = f"https://example.com{path}"

    assert problems() == ["bakedbrie.E006"]


@pytest.mark.parametrize(
    "url",
    [
        "https://board.example.com",
        "http://127.0.0.1:8000",
        "http://localhost",
        "http://[::1]:1",
        "https://example.com/a/brie",
    ],
)
def test_right_app_urls(settings: Settings, url: str) -> None:
    settings.APP_URL = url

    assert problems() == []


@pytest.mark.parametrize(
    "entry", ["127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "10.0.0.0/8", "http://127.0.0.1:1", "*:80"]
)
def test_outbound_loopback_takes_exact_pairs(settings: Settings, entry: str) -> None:
    settings.OUTBOUND_LOOPBACK = ["127.0.0.1:11434", entry]

    assert problems() == ["bakedbrie.E004"]


def test_right_loopback_pairs(settings: Settings) -> None:
    settings.OUTBOUND_LOOPBACK = ["127.0.0.1:11434", "[::1]:8080", "localhost:1"]

    assert problems() == []
