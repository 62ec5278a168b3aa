"""The tool type: name, what it needs, what it does to the world, and the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from bakedbrie.lib.toolkit.inputs import Input

CallerT = TypeVar("CallerT")
Answer = Mapping[str, Any]


class Effect(StrEnum):
    """What a call does: read nothing but rows, write rows, or send something outside while the caller waits."""

    READ = "read"
    WRITE = "write"
    SEND = "send"


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[CallerT]):
    """One thing that MCP and REST offer.

    ``description`` is read by assistants: what it does, when to use it, what to confirm first. ``capabilities`` must
    all be on. ``reads`` names the actions of a writing tool that only read. ``shown_once`` names answer fields that a
    replay of the same request_id leaves empty.
    """

    name: str
    title: str
    description: str
    input: type[Input]
    handler: Callable[[CallerT, Any], Answer]
    effect: Effect
    capabilities: tuple[str, ...] = ()
    reads: frozenset[str] = frozenset()
    shown_once: frozenset[str] = frozenset()
    is_base: bool = False
    is_destructive: bool = False
    serves_runner: bool = False

    def effect_of(self, arguments: object) -> Effect:
        """Return what this call would do, judged before the input is checked."""
        action = arguments.get("action") if isinstance(arguments, Mapping) else None
        return Effect.READ if isinstance(action, str) and action in self.reads else self.effect

    @property
    def only_reads(self) -> bool:
        return self.effect is Effect.READ
