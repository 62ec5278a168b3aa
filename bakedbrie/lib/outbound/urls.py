"""One reading of a URL, used when it is saved and when it is called, so that both mean the same host.

A URL is https with a name of at least two labels on port 443. The only exceptions are the exact ``host:port`` pairs
that the operator listed: these may be plain http, any port, a single label or an IP address.

A name is written in one way: UTS 46 mapping, then lower-case ASCII (punycode) without a final dot. A name from a
foreign script is therefore shown as ``xn--…``, never as something that looks like another name.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

import idna

_SHAPE = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?]+)(?P<path>/[^?]*)?(?P<query>\?.*)?", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::(?P<port>[0-9]{1,5}))?", re.ASCII)
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PATH = re.compile(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*")
_QUERY = re.compile(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*")
_DOTS = re.compile(r"(?:\.|%2e){1,2}", re.IGNORECASE)
_MOST_CHARACTERS = 2048
_DEFAULT_PORTS = {"https": 443, "http": 80}


class UrlRefused(ValueError):
    """The URL may not be called. The message says why and never quotes it."""


class NotPublic(UrlRefused):
    """It is none of the public internet's https addresses. The operator may list its host and port all the same."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A URL taken apart: ``target`` is path and query as they go on the wire."""

    scheme: str
    host: str
    port: int
    target: str
    is_listed: bool = False

    @property
    def authority(self) -> str:
        """The host, with the port where it is not the usual one: the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The one spelling of this URL, to keep and to show."""
        return f"{self.scheme}://{self.authority}{self.target}"


def parse_url(text: str, *, loopback: Collection[str] = ()) -> Target:
    """Return what ``text`` means, or raise `UrlRefused`. ``loopback`` holds the operator's ``host:port`` pairs."""
    _check_characters(text)
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise UrlRefused("It must start with https:// and a host.")
    scheme = match["scheme"].lower()
    raw_host, port = _split_authority(match["authority"], _DEFAULT_PORTS[scheme])
    target = _check_target(match["path"] or "/", match["query"] or "")
    if _as_pair(raw_host, port) in {pair.lower() for pair in loopback}:
        host = raw_host.lower().removesuffix(".").strip("[]")
        return Target(scheme=scheme, host=host, port=port, target=target, is_listed=True)
    if scheme != "https":
        raise NotPublic("It must start with https://.")
    if port != 443:
        raise NotPublic("Only port 443 is allowed.")
    return Target(scheme=scheme, host=_check_name(raw_host), port=port, target=target)


def parse_base_url(text: str, *, loopback: Collection[str] = ()) -> str:
    """Return the one spelling of a base URL, without a final slash: `join` adds paths to it. Refuses a query."""
    target = parse_url(text.strip(" "), loopback=loopback)
    if "?" in target.target:
        raise UrlRefused("A base URL has no query.")
    return target.url.rstrip("/")


def join(base_url: str, path: str) -> str:
    """Return ``base_url`` followed by ``path``, which starts with a slash and is no part of anybody's input."""
    if not path.startswith("/"):
        raise ValueError("A path starts with a slash.")
    return base_url.rstrip("/") + path


def check_pair(text: str) -> None:
    """Raise `UrlRefused` unless ``text`` is an exact ``host:port``, as the operator's list holds them."""
    match = _AUTHORITY.fullmatch(text)
    if match is None or match["port"] is None or not text.isascii() or set(text) & set("*/@%\\ "):
        raise UrlRefused("It must be an exact host:port.")
    _split_authority(text, 0)


def _check_characters(text: str) -> None:
    if len(text) > _MOST_CHARACTERS:
        raise UrlRefused(f"It may have at most {_MOST_CHARACTERS} characters.")
    if any(character.isspace() or ord(character) < 0x21 or ord(character) == 0x7F for character in text):
        raise UrlRefused("It may not hold spaces or control characters.")
    if "\\" in text:
        raise UrlRefused("It may not hold a backslash.")
    if "#" in text:
        raise UrlRefused("It may not hold a fragment (#).")


def _split_authority(authority: str, default_port: int) -> tuple[str, int]:
    if "@" in authority:
        raise UrlRefused("It may not hold a user name.")
    if "%" in authority:
        raise UrlRefused("The host may not be percent-encoded.")
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        raise UrlRefused("The host or the port is not written as a URL wants it.")
    port = int(match["port"]) if match["port"] else default_port
    if not 0 < port < 65536:
        raise UrlRefused("There is no such port.")
    return match["host"], port


def _as_pair(raw_host: str, port: int) -> str:
    return f"{raw_host.lower().removesuffix('.')}:{port}"


def _check_name(raw_host: str) -> str:
    """Return the ASCII name, or refuse whatever is, or could be read as, an IP address or a machine nearby."""
    if raw_host.startswith("["):
        raise NotPublic("The host must be a name, not an IP address.")
    host = _to_ascii(raw_host)
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise UrlRefused("The host is not a valid name.")
    if _NUMBER.fullmatch(labels[-1]):
        raise NotPublic("The host must be a name, not an IP address.")
    if len(labels) < 2 or labels[-1] == "localhost":
        raise NotPublic("The host must be a full public name.")
    return host


def _to_ascii(raw_host: str) -> str:
    try:
        host = idna.encode(raw_host, uts46=True, std3_rules=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise UrlRefused("The host is not a valid name.") from None
    return host.lower().removesuffix(".")


def _check_target(path: str, query: str) -> str:
    if not _PATH.fullmatch(path):
        raise UrlRefused("The path holds characters that must be percent-encoded.")
    if any(_DOTS.fullmatch(segment) for segment in path.split("/")):
        raise UrlRefused("The path may not hold . or .. as a segment.")
    if not _QUERY.fullmatch(query.removeprefix("?")):
        raise UrlRefused("The query holds characters that must be percent-encoded.")
    return path + query
