"""One reading of a URL for checking and calling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.outbound.urls import UrlRefused, check_pair, join, parse_base_url, parse_url

NUMBERS = [
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://127.1/",
    "https://127.0.0.1./",
    "https://0/",
    "https://10.1/",
    "https://1.2.3.4/",
    "https://93.184.216.34/",
    "https://１２７.0.0.1/",
    "https://example.0x7f/",
    "https://[::1]/",
    "https://[::ffff:169.254.169.254]/",
    "https://[64:ff9b::a9fe:a9fe]/",
]
MOVED = [
    "https://api.example.com@169.254.169.254/",
    "https://api.example.com\\@evil.test/",
    "https://api.example.com#@evil.test/",
    "https://example.com%2eevil.test/",
    "https://exa\tmple.com/",
    "https://exam\nple.com/",
    " https://example.com/",
    "https://example.com/a b",
    "https://[fe80::1%25eth0]/",
    "https://api.example.com:8443/",
    "https://api.example.com:443:80/",
    "https://api.example.com:0/",
    "https://api.example.com:٤٤٣/",
    "https://api.example.com/v1/../admin",
    "https://api.example.com/v1/%2e%2E/admin",
    "https://api.example.com/v1/./admin",
    "https://api.example.com/%zz",
    "https://api.example.com/ä",
    "https://api.example.com/?q=ä",
    "http://api.example.com/",
    "ftp://api.example.com/",
    "//api.example.com/",
    "https:/api.example.com/",
    "https:api.example.com",
    "https:///path",
    "https://localhost/",
    "https://app.localhost/",
    "https://intranet/",
    "https://a..example.com/",
    "https://example.com../",
    "https://-a.example.com/",
    "https://a_b.example.com/",
    "https://xn--a.com/",
    "https://" + "a" * 64 + ".com/",
    "https://" + "a." * 130 + "com/",
    "https://example.com/" + "a" * 2048,
    "",
]


@pytest.mark.requirement("C033")
@pytest.mark.parametrize("text", NUMBERS)
def test_an_address_in_any_spelling_is_no_host(text: str) -> None:
    with pytest.raises(UrlRefused):
        parse_url(text)


@pytest.mark.requirement("C036")
@pytest.mark.parametrize("text", MOVED)
def test_a_spelling_that_could_move_the_host_is_refused(text: str) -> None:
    with pytest.raises(UrlRefused) as refused:
        parse_url(text)

    assert "example" not in str(refused.value)


@pytest.mark.requirement("C036")
@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://API.EXAMPLE.COM/v1", "https://api.example.com/v1"),
        ("HTTPS://api.example.com./v1", "https://api.example.com/v1"),
        ("https://api.example.com:443", "https://api.example.com/"),
        ("https://ⓔxample.com/", "https://example.com/"),
        ("https://example。com/", "https://example.com/"),
        ("https://аpple.com/", "https://xn--pple-43d.com/"),
        ("https://xn--pple-43d.com/", "https://xn--pple-43d.com/"),
        ("https://faß.de/", "https://xn--fa-hia.de/"),
        ("https://api.example.com?x=1", "https://api.example.com/?x=1"),
        ("https://api.example.com/a%2Fb/..%2Fc?x=%2e&y=/?", "https://api.example.com/a%2Fb/..%2Fc?x=%2e&y=/?"),
    ],
)
def test_one_host_has_one_spelling(text: str, url: str) -> None:
    assert parse_url(text).url == url


@pytest.mark.requirement("C036")
def test_a_base_url_has_no_query_and_no_final_slash() -> None:
    assert parse_base_url(" https://API.example.com/v1/ ") == "https://api.example.com/v1"
    assert parse_base_url("https://api.example.com") == "https://api.example.com"
    with pytest.raises(UrlRefused):
        parse_base_url("https://api.example.com/v1?x=1")


def test_a_path_is_joined_with_one_slash() -> None:
    assert join("https://api.example.com/v1", "/models") == "https://api.example.com/v1/models"
    assert join("https://api.example.com/v1/", "/models") == "https://api.example.com/v1/models"


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("http://127.0.0.1:8080/v1", "127.0.0.1:8080"),
        ("http://localhost:11434/v1", "localhost:11434"),
        ("https://[::1]:8443/", "[::1]:8443"),
        ("http://Ollama/", "ollama:80"),
    ],
)
def test_a_listed_pair_may_be_plain_http_and_nearby(text: str, pair: str) -> None:
    assert parse_url(text, loopback=[pair]).is_listed is True
    with pytest.raises(UrlRefused):
        parse_url(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1:8081/",
        "http://127.0.0.2:8080/",
        "http://127.1:8080/",
        "http://localhost:8080/",
        "http://x@127.0.0.1:8080/",
        "http://127.0.0.1:8080/../",
    ],
)
def test_only_the_exact_pair_is_listed(text: str) -> None:
    with pytest.raises(UrlRefused):
        parse_url(text, loopback=["127.0.0.1:8080"])


@pytest.mark.parametrize("text", ["127.0.0.1:8080", "localhost:11434", "[::1]:80"])
def test_a_pair_is_an_exact_host_and_port(text: str) -> None:
    check_pair(text)


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "*:80", "http://localhost:80", "localhost:", "::1:80", "a:99999", "", "ä:80"]
)
def test_a_pattern_is_no_pair(text: str) -> None:
    with pytest.raises(UrlRefused):
        check_pair(text)


@given(st.text(max_size=60))
def test_any_text_is_a_target_or_refused(text: str) -> None:
    try:
        target = parse_url(f"https://{text}")
    except UrlRefused:
        return
    assert target.scheme == "https"
    assert target.port == 443
    assert target.host.isascii()
    assert target.host == target.host.lower()
    assert "." in target.host
    assert parse_url(target.url) == target


@given(st.from_regex(r"([0-9a-fxX]{0,6}\.){0,3}([0-9]{1,10}|0[xX][0-9a-fA-F]{0,8})\.?", fullmatch=True))
def test_what_a_resolver_could_read_as_a_number_is_refused(host: str) -> None:
    with pytest.raises(UrlRefused):
        parse_url(f"https://{host}/")
