"""What an S3 service says, as data: outcomes with a code, and lists of objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from urllib.parse import unquote_plus
from xml.etree import ElementTree

from bakedbrie.lib.outbound.messages import Headers, find_header

SHA256_HEADER = "x-amz-meta-sha256"
_WHOLE = 200
_LABEL = re.compile(r"[A-Za-z0-9.]{1,60}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class S3Code(StrEnum):
    """What came of a request. ``REFUSED`` is every other 4xx; `Outcome.status` says which."""

    OK = "OK"
    UNCHANGED = "UNCHANGED"
    NOT_FOUND = "NOT_FOUND"
    NO_BUCKET = "NO_BUCKET"
    EXISTS = "EXISTS"
    AUTH_FAILED = "AUTH_FAILED"
    ELSEWHERE = "ELSEWHERE"
    RATE_LIMITED = "RATE_LIMITED"
    UNAVAILABLE = "UNAVAILABLE"
    REFUSED = "REFUSED"
    MALFORMED = "MALFORMED"


class NotReadable(ValueError):
    """The service answered something that is no answer of S3."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a request ended. ``error`` is the service's own word for it; ``sha256`` what was noted when it was put."""

    code: S3Code
    status: int
    error: str = ""
    etag: str = ""
    bytes: int | None = None
    sha256: str = ""
    media_type: str = ""

    @property
    def is_ok(self) -> bool:
        return self.code is S3Code.OK


@dataclass(frozen=True, kw_only=True)
class Object:
    """One object of a list."""

    key: str
    bytes: int
    etag: str
    changed_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Listing:
    """One page of a list; ``cursor`` asks for the next one and is empty after the last."""

    outcome: Outcome
    objects: tuple[Object, ...] = field(default=())
    cursor: str = ""


_BY_ERROR = {
    "NoSuchBucket": S3Code.NO_BUCKET,
    "NoSuchKey": S3Code.NOT_FOUND,
    "SlowDown": S3Code.RATE_LIMITED,
    "TooManyRequests": S3Code.RATE_LIMITED,
    "AuthorizationHeaderMalformed": S3Code.ELSEWHERE,
    "PermanentRedirect": S3Code.ELSEWHERE,
    "InvalidAccessKeyId": S3Code.AUTH_FAILED,
    "SignatureDoesNotMatch": S3Code.AUTH_FAILED,
    "ConditionalRequestConflict": S3Code.EXISTS,
}
_BY_STATUS = {
    304: S3Code.UNCHANGED,
    401: S3Code.AUTH_FAILED,
    403: S3Code.AUTH_FAILED,
    404: S3Code.NOT_FOUND,
    412: S3Code.EXISTS,
    429: S3Code.RATE_LIMITED,
}


def read_outcome(status: int, headers: Headers, body: bytes = b"") -> Outcome:
    """Sort an answer. The head of one without a body has only its status to tell."""
    error = "" if status < 300 else _error_of(body)
    return Outcome(
        code=_code_of(status, error),
        status=status,
        error=error,
        etag=_etag(find_header(headers, "etag") or ""),
        bytes=_length(find_header(headers, "content-length")),
        sha256=_noted(find_header(headers, SHA256_HEADER) or ""),
        media_type=(find_header(headers, "content-type") or "")[:100],
    )


def read_whole(status: int, headers: Headers, body: bytes = b"") -> Outcome:
    """Sort the answer to a question. Of what succeeds, only 200 tells of a whole object: a part of one, or what a
    proxy put in its place, is no answer."""
    outcome = read_outcome(status, headers, body)
    return Outcome(code=S3Code.MALFORMED, status=status) if outcome.is_ok and status != _WHOLE else outcome


def read_copy(status: int, headers: Headers, body: bytes) -> Outcome:
    """Sort the answer to a copy, which may tell an error under status 200."""
    outcome = read_outcome(status, headers, body)
    if not outcome.is_ok:
        return outcome
    error = _error_of(body)
    if error:
        return Outcome(code=_BY_ERROR.get(error, S3Code.UNAVAILABLE), status=status, error=error)
    try:
        return Outcome(code=S3Code.OK, status=status, etag=_etag(_text(_parse(body), "ETag")))
    except NotReadable:
        return Outcome(code=S3Code.MALFORMED, status=status)


def read_listing(status: int, headers: Headers, body: bytes) -> Listing:
    """Read one page of ListObjectsV2."""
    outcome = read_whole(status, headers, body)
    if not outcome.is_ok:
        return Listing(outcome=outcome)
    try:
        root = _parse(body)
        is_escaped = _text(root, "EncodingType") == "url"
        objects = tuple(_object(one, is_escaped) for one in _children(root, "Contents"))
    except NotReadable:
        return Listing(outcome=Outcome(code=S3Code.MALFORMED, status=status))
    more = _text(root, "IsTruncated").lower() == "true"
    return Listing(outcome=outcome, objects=objects, cursor=_text(root, "NextContinuationToken") if more else "")


def _code_of(status: int, error: str) -> S3Code:
    if status < 300:
        return S3Code.OK
    if error in _BY_ERROR:
        return _BY_ERROR[error]
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status < 400:
        return S3Code.ELSEWHERE
    return S3Code.UNAVAILABLE if status >= 500 else S3Code.REFUSED


def _error_of(body: bytes) -> str:
    """Return the service's code, a plain word, or nothing: an error page of a proxy is none."""
    try:
        root = _parse(body)
    except NotReadable:
        return ""
    code = _text(root, "Code") if _tag(root) == "Error" else ""
    return code if _LABEL.fullmatch(code) else ""


def _parse(body: bytes) -> ElementTree.Element:
    """Parse XML without a document type: nothing that S3 says has one, and entities come with it."""
    try:
        text = body.decode()
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise NotReadable
        return ElementTree.fromstring(text)
    except (UnicodeDecodeError, ElementTree.ParseError, ValueError):
        raise NotReadable from None


def _object(element: ElementTree.Element, is_escaped: bool) -> Object:
    key, size = _text(element, "Key"), _length(_text(element, "Size"))
    if not key or size is None:
        raise NotReadable
    try:
        changed_at = datetime.fromisoformat(_text(element, "LastModified").replace("Z", "+00:00"))
    except ValueError:
        changed_at = None
    return Object(
        key=unquote_plus(key) if is_escaped else key,
        bytes=size,
        etag=_etag(_text(element, "ETag")),
        changed_at=changed_at,
    )


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _children(element: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    return (child for child in element if _tag(child) == name)


def _text(element: ElementTree.Element, name: str) -> str:
    found = next(_children(element, name), None)
    return (found.text or "") if found is not None else ""


def _length(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None


def _noted(text: str) -> str:
    return text if _SHA256.fullmatch(text) else ""


def _etag(text: str) -> str:
    return text.strip()[:200]
