"""The ids that every log line of one request or job carries: bound once, read by the formatter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_bound: ContextVar[dict[str, str] | None] = ContextVar("log_context", default=None)


@contextmanager
def fresh(**ids: object) -> Iterator[None]:
    """Begin with these ids alone; what `bind` adds until the end goes with them."""
    token = _bound.set({name: str(value) for name, value in ids.items()})
    try:
        yield
    finally:
        _bound.reset(token)


def bind(**ids: object) -> None:
    """Add ids to those of the request or job at work, or replace them; outside of both nothing is kept."""
    bound = _bound.get()
    if bound is not None:
        bound.update({name: str(value) for name, value in ids.items()})


def current() -> Mapping[str, str]:
    """Return the ids of the request or job at work."""
    return _bound.get() or {}
