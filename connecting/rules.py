"""Where an assistant may be sent back to, how it is shown, and what it says of itself. No row and no socket here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

LONGEST_REDIRECT = 1000
MOST_REDIRECTS = 20
LONGEST_NAME = 80
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
# Programs on a person's computer that take such an address. Names with a dot are somebody's own, as RFC 8252 asks.
_APP_SCHEMES = frozenset({"cursor", "vscode", "vscode-insiders", "windsurf", "zed"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_URI = re.compile(r"[A-Za-z0-9\-._~:/?\[\]!$&'()*+,;=%]+")
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_NOT_SHOWN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # controls, marks that turn text round, and the like


class WrongMetadata(ValueError):
    """What a client says of itself cannot be taken. ``error`` is RFC 7591's word; the message may be shown."""

    def __init__(self, message: str, error: str = "invalid_client_metadata") -> None:
        super().__init__(message)
        self.error = error


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """What is kept of what a client says of itself."""

    name: str
    redirect_uris: tuple[str, ...]


def read_metadata(given: object) -> Metadata:
    """Return what is kept of RFC 7591's metadata, from a registration or from the client's own document."""
    if not isinstance(given, Mapping):
        raise WrongMetadata("The metadata must be a JSON object.")
    _require_known("grant_types", given, "authorization_code")
    _require_known("response_types", given, "code")
    uris = given.get("redirect_uris")
    if not isinstance(uris, list) or not 0 < len(uris) <= MOST_REDIRECTS:
        raise WrongMetadata(f"redirect_uris must hold 1 to {MOST_REDIRECTS} addresses.", "invalid_redirect_uri")
    for uri in uris:
        check_redirect_uri(uri)
    name = given.get("client_name", "")
    if not isinstance(name, str):
        raise WrongMetadata("client_name must be text.")
    return Metadata(name=shown_name(name), redirect_uris=tuple(dict.fromkeys(uris)))


def check_redirect_uri(uri: object) -> None:
    """Raise `WrongMetadata` unless it is https, plain http on the person's own computer, or an app's own scheme."""
    if not isinstance(uri, str) or not 0 < len(uri) <= LONGEST_REDIRECT or not _URI.fullmatch(uri):
        raise WrongMetadata(
            f"A redirect URI has at most {LONGEST_REDIRECT} plain ASCII characters and no fragment.",
            "invalid_redirect_uri",
        )
    try:
        parts = urlsplit(uri)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise WrongMetadata("A redirect URI cannot be read.", "invalid_redirect_uri") from None
    is_right = {
        "https": bool(_HOST.fullmatch(host)) or host in LOOPBACK,
        "http": host in LOOPBACK,
    }.get(parts.scheme, _is_app_scheme(parts.scheme))
    if not is_right or uri.partition(":")[0] != parts.scheme:
        raise WrongMetadata(
            "A redirect URI must be https with a full host name, http on 127.0.0.1, [::1] or localhost, or an app's"
            " own scheme.",
            "invalid_redirect_uri",
        )


def host_of(uri: str) -> str:
    """Return the host to show for an address, in ASCII; for an app's own scheme, the scheme."""
    parts = urlsplit(uri)
    return (parts.hostname or "") if parts.scheme in {"http", "https"} else f"{parts.scheme}:"


def is_on_this_computer(uri: str) -> bool:
    parts = urlsplit(uri)
    return parts.scheme in {"http", "https"} and parts.hostname in LOOPBACK


def origin_of_redirect(uri: str) -> str:
    """Return the source for the page's form-action: browsers hold a form to it also where its answer leads on."""
    parts = urlsplit(uri)
    has_name = parts.scheme in {"http", "https"} and "[" not in parts.netloc  # a policy cannot name an IPv6 address
    return f"{parts.scheme}://{parts.netloc}" if has_name else f"{parts.scheme}:"


def shown_name(name: str) -> str:
    """Return one line of a name that somebody else chose, without anything that could change how the page reads."""
    kept = "".join(" " if character.isspace() else character for character in unicodedata.normalize("NFC", name))
    kept = "".join(character for character in kept if unicodedata.category(character) not in _NOT_SHOWN)
    return " ".join(kept.split())[:LONGEST_NAME].strip()


def _is_app_scheme(scheme: str) -> bool:
    return bool(_SCHEME.fullmatch(scheme)) and (scheme in _APP_SCHEMES or "." in scheme)


def _require_known(field: str, given: Mapping[str, object], needed: str) -> None:
    kinds = given.get(field, [needed])
    if not isinstance(kinds, list) or needed not in kinds:
        raise WrongMetadata(f"{field} must name {needed}.")
