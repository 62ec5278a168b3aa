"""One bucket, asked over HTTP: each method sends one request, once, and returns what came of it.

`NotSent` and `MaybeSent` of the outbound door pass through. Bodies are streamed both ways; nothing is kept in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bakedbrie.lib.outbound.client import send, stream
from bakedbrie.lib.outbound.messages import Answer, Readable, Request, StreamedBody
from bakedbrie.lib.s3 import answers
from bakedbrie.lib.s3.answers import Listing, Outcome, S3Code
from bakedbrie.lib.s3.bucket import Bucket, escape
from bakedbrie.lib.s3.signing import NOTHING_SHA256, sign
from bakedbrie.lib.sealing import Secret

_MOST_TOLD_BYTES = 65_536
_MOST_LISTED_BYTES = 4_194_304
MOST_LISTED = 1000


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An object that is arriving. ``chunks`` is empty unless the outcome is OK; reading it may raise `MaybeSent`."""

    outcome: Outcome
    chunks: Iterator[bytes] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Hashed:
    """What the bytes of an object are."""

    outcome: Outcome
    bytes: int = 0
    sha256: str = ""


class S3:
    """A bucket and the secret of its key. ``timeout_s`` bounds each exchange. Keys are whole: `Bucket.key` makes them.

    Addresses that OUTBOUND_LOOPBACK lists are open, as they are for AI accounts.
    """

    def __init__(self, bucket: Bucket, secret: Secret, *, timeout_s: float) -> None:
        self.bucket = bucket
        self._secret = secret
        self.timeout_s = timeout_s

    def put(
        self,
        key: str,
        content: Readable,
        *,
        size: int,
        sha256: str,
        media_type: str,
        if_none_match: bool = False,
    ) -> Outcome:
        """Write an object of a known length and hash, and note the hash beside it.

        ``if_none_match`` asks the service to refuse where something lies there (EXISTS); not every service knows it.
        """
        headers = {"Content-Type": media_type, answers.SHA256_HEADER: sha256}
        if if_none_match:
            headers["If-None-Match"] = "*"
        body = StreamedBody(content=content, length=size)
        return _outcome(self._ask("PUT", self.bucket.url(key), headers, body=body, sha256=sha256))

    def head(self, key: str) -> Outcome:
        """Ask what lies at a key; a missing bucket and a missing object look alike here."""
        answer = self._ask("HEAD", self.bucket.url(key))
        return answers.read_whole(answer.status, answer.headers)

    @contextmanager
    def get(self, key: str, *, max_bytes: int, if_none_match: str = "") -> Iterator[Opened]:
        """Open an object. With the etag of an earlier look an unchanged one answers UNCHANGED, without bytes."""
        headers = {"If-None-Match": if_none_match} if if_none_match else {}
        url = self.bucket.url(key)
        request = self._request("GET", url, headers, max_bytes=max(max_bytes, _MOST_TOLD_BYTES))
        with stream(request, allow_loopback=True) as answer:
            if answer.status == 200:
                outcome = answers.read_outcome(answer.status, answer.headers)
                yield Opened(outcome=outcome, chunks=answer.chunks)
            else:
                told = _at_most(answer.chunks, _MOST_TOLD_BYTES)
                yield Opened(outcome=answers.read_whole(answer.status, answer.headers, told), chunks=iter(()))

    def hash(self, key: str, *, max_bytes: int, if_none_match: str = "") -> Hashed:
        """Read an object whole, keeping nothing of it but its length and hash."""
        digest, size = hashlib.sha256(), 0
        with self.get(key, max_bytes=max_bytes, if_none_match=if_none_match) as opened:
            for chunk in opened.chunks:
                digest.update(chunk)
                size += len(chunk)
        if not opened.outcome.is_ok:
            return Hashed(outcome=opened.outcome)
        return Hashed(outcome=opened.outcome, bytes=size, sha256=digest.hexdigest())

    def copy(self, source: str, target: str) -> Outcome:
        """Copy an object within the bucket, with what was noted beside it; the service moves the bytes."""
        headers = {"x-amz-copy-source": f"/{self.bucket.name}/{escape(source)}"}
        answer = self._ask("PUT", self.bucket.url(target), headers, body=b"")
        return answers.read_copy(answer.status, answer.headers, answer.body)

    def delete(self, key: str) -> Outcome:
        """Remove an object; one that is not there is OK as well."""
        outcome = _outcome(self._ask("DELETE", self.bucket.url(key)))
        return Outcome(code=S3Code.OK, status=outcome.status) if outcome.code is S3Code.NOT_FOUND else outcome

    def list(self, prefix: str, *, cursor: str = "", limit: int = MOST_LISTED) -> Listing:
        """List objects whose key begins with ``prefix``, in the order of their keys, one page at a time."""
        query = {"list-type": "2", "prefix": prefix, "max-keys": str(limit), "encoding-type": "url"}
        if cursor:
            query["continuation-token"] = cursor
        answer = self._ask("GET", self.bucket.url(query=query), max_bytes=_MOST_LISTED_BYTES)
        return answers.read_listing(answer.status, answer.headers, answer.body)

    def _ask(
        self,
        method: str,
        url: str,
        headers: dict[str, str] | None = None,
        *,
        body: bytes | StreamedBody = b"",
        sha256: str = NOTHING_SHA256,
        max_bytes: int = _MOST_TOLD_BYTES,
    ) -> Answer:
        request = self._request(method, url, headers or {}, body=body, sha256=sha256, max_bytes=max_bytes)
        return send(request, allow_loopback=True)

    def _request(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        *,
        body: bytes | StreamedBody = b"",
        sha256: str = NOTHING_SHA256,
        max_bytes: int,
    ) -> Request:
        signed = sign(self.bucket, self._secret, method=method, url=url, headers=headers, sha256=sha256)
        return Request(method=method, url=url, headers=signed, body=body, timeout_s=self.timeout_s, max_bytes=max_bytes)


def _outcome(answer: Answer) -> Outcome:
    return answers.read_outcome(answer.status, answer.headers, answer.body)


def _at_most(chunks: Iterator[bytes], most: int) -> bytes:
    told = b""
    for chunk in chunks:
        told += chunk
        if len(told) >= most:
            break
    return told[:most]
