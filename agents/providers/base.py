"""What every provider gives: the request for one turn, and what its answer means."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from agents.providers.outcomes import AiCode
from bakedbrie.lib.outbound.messages import Answer, Headers, Request
from bakedbrie.lib.strictjson import NotJson

ANSWER_BYTES = 32_000_000  # a stream takes up to 300 bytes for a word of three letters
CHECK_BYTES = 4_000_000
_MOST_TOKENS = 2**31 - 1
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, kw_only=True)
class Image:
    """A picture that goes to the model as it is."""

    media_type: str
    data: bytes = field(repr=False)

    @property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode()


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One turn, ready to be written in a provider's words. ``asks_for_counts`` where a stream has none unasked."""

    base_url: str
    model: str
    system: str = field(repr=False)
    text: str = field(repr=False)
    images: tuple[Image, ...] = field(default=(), repr=False)
    answer_tokens: int
    asks_for_counts: bool = True
    timeout_s: float


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens as the provider counted them. ``read`` is all of the prompt, cached parts included."""

    read: int
    written: int
    cache_read: int = 0
    cache_written: int = 0


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What one answer means. ``text`` is there for a finished and for a cut answer."""

    code: AiCode
    text: str = field(default="", repr=False)
    stop_reason: str = ""
    usage: Usage | None = None
    request_id: str = ""
    http_status: int
    retry_after_s: int | None = None


class Events(Protocol):
    """One provider's events. ``is_whole`` once the answer has ended by the provider's own word, or by its error."""

    is_whole: bool

    def take(self, event: dict[str, object]) -> str:
        """Take one event and return the text that it adds to the answer."""

    def end(self) -> None:
        """Take note that no further event comes."""

    def reply(self) -> Reply:
        """Say what the events mean. Only asked when they are whole."""

    def usage(self) -> Usage | None:
        """Return the tokens, as far as the provider has counted them by now."""


class Provider(Protocol):
    """One wire. Pure: it builds requests and reads answers, and never sees the key."""

    key_header: str
    key_prefix: str
    base_url: str
    model: str
    context_tokens: int
    answer_tokens: int
    takes_images: bool

    def ask(self, ask: Ask) -> Request:
        """Return the request for one turn, whose answer is to be streamed."""

    def events(self, headers: Headers) -> Events:
        """Return what takes the events of a streamed answer with these headers."""

    def read(self, answer: Answer) -> Reply:
        """Say what an answer in one piece means. Never raises, whatever came back."""

    def check(self, base_url: str, timeout_s: float) -> Request:
        """Return a harmless request that only a good key is answered on."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """What the harmless request told. ``models`` is None when the answer lists none."""

    code: AiCode
    models: frozenset[str] | None = None


def read_check(provider: Provider, answer: Answer) -> Check:
    """Say what the answer to `Provider.check` means: DONE only for a list of models."""
    if answer.status != 200:
        return Check(code=provider.read(answer).code)
    body = body_of(answer)
    listed = body.get("data") if body else None
    if not isinstance(listed, list):
        return Check(code=AiCode.ANSWER_UNREADABLE)
    return Check(code=AiCode.DONE, models=frozenset(text_of(entry, "id") for entry in listed))


def json_request(url: str, body: Mapping[str, object], headers: Headers, timeout_s: float) -> Request:
    """Return a POST of ``body``."""
    return Request(
        method="POST",
        url=url,
        headers=(("Content-Type", "application/json"), ("Accept", "text/event-stream, application/json"), *headers),
        body=json.dumps(body, ensure_ascii=False).encode(),
        timeout_s=timeout_s,
        max_bytes=ANSWER_BYTES,
    )


def list_request(url: str, headers: Headers, timeout_s: float) -> Request:
    """Return the GET that lists models."""
    return Request(
        method="GET",
        url=url,
        headers=(("Accept", "application/json"), *headers),
        timeout_s=timeout_s,
        max_bytes=CHECK_BYTES,
    )


def body_of(answer: Answer) -> dict[str, object] | None:
    """Return the JSON object of an answer, or None. Some services wrap it in a list of one."""
    try:
        value = answer.json()
    except NotJson:
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None


def get(value: object, *keys: str) -> object:
    """Return what stands under the keys, or None where anything else is in the way."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_of(value: object, *keys: str) -> str:
    """Return the text under the keys, or an empty one."""
    found = get(value, *keys)
    return found if isinstance(found, str) else ""


def tokens_of(value: object, *keys: str) -> int | None:
    """Return the count under the keys, or None when it is no count."""
    found = get(value, *keys)
    if isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= _MOST_TOKENS:
        return found
    return None


def usage_of(read: int | None, written: int | None, cache_read: int | None, cache_written: int | None) -> Usage | None:
    """Return the usage when both ends are known; a count that contradicts them is left out."""
    if read is None or written is None:
        return None
    cached = (cache_read or 0, cache_written or 0)
    if sum(cached) > read:
        cached = (0, 0)
    return Usage(read=read, written=written, cache_read=cached[0], cache_written=cached[1])


def items_of(value: object) -> Iterator[object]:
    """Yield the items of a list; anything else has none."""
    if isinstance(value, list):
        yield from value


def storable(text: str) -> str:
    """Return the text without NUL and without half surrogates: the database takes neither.

    Two halves that came in two pieces are one character; a single one is replaced.
    """
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\x00", "")


def label(text: str, length: int) -> str:
    """Return a short word of the provider's (an id, a stop reason) as it may be kept and shown; never a sentence."""
    word = next(iter(text.split()), "")
    return "".join(character for character in word if character.isascii() and character.isprintable())[:length]


def finished(text: str) -> AiCode:
    """Return DONE for a finished answer, or ANSWER_EMPTY when nothing can be seen in it."""
    return AiCode.DONE if text.strip() else AiCode.ANSWER_EMPTY


def retry_after(answer: Answer) -> int | None:
    """Return the seconds the provider asks to wait, when it names a sensible number."""
    value = (answer.header("retry-after") or "").strip()
    if value.isascii() and value.isdigit() and len(value) <= 5:
        return int(value)
    return None
