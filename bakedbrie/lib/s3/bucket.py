"""A bucket of somebody's S3, R2 or compatible service: where it is, and how a key in it is written in a URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{1,61}[a-z0-9])")
_REGION = re.compile(r"[a-z0-9-]{1,40}")
_ACCESS_KEY_ID = re.compile(r"[A-Za-z0-9_.~/+=-]{1,128}")
_UNESCAPED = "-._~"
MOST_KEY_BYTES = 640  # three characters in the URL for each, and the URL has an end


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """``prefix`` stands before every path and ends with a slash, or is empty. The secret is not part of it."""

    endpoint: str
    region: str
    name: str
    prefix: str = ""
    path_style: bool = True
    access_key_id: str

    def key(self, path: str) -> str:
        """Return the key of a path below the prefix."""
        return self.prefix + path

    def url(self, key: str = "", query: Mapping[str, str] | None = None) -> str:
        """Return the address of a key, or of the bucket: each byte but letters, digits and -._~ is escaped once."""
        scheme, _, authority = self.endpoint.rstrip("/").partition("://")
        place = f"{scheme}://{authority}/{self.name}" if self.path_style else f"{scheme}://{self.name}.{authority}"
        asked = "&".join(
            f"{quote(name, safe=_UNESCAPED)}={quote(value, safe=_UNESCAPED)}"
            for name, value in sorted((query or {}).items())
        )
        path = f"{place}/{escape(key)}" if key or not self.path_style else place
        return f"{path}?{asked}" if asked else path


def escape(key: str) -> str:
    """Return a key as it stands in a URL: slashes stay, every other reserved byte is escaped once."""
    return quote(key, safe=_UNESCAPED + "/")


def is_bucket_name(text: str) -> bool:
    """Whether S3 takes this as a bucket's name."""
    return _NAME.fullmatch(text) is not None and ".." not in text


def is_region(text: str) -> bool:
    """Whether this can be a region's name; R2 calls its only one ``auto``."""
    return _REGION.fullmatch(text) is not None


def is_access_key_id(text: str) -> bool:
    """Whether this can stand in a signed header as the name of a key."""
    return _ACCESS_KEY_ID.fullmatch(text) is not None
