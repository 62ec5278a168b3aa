"""Which refusals a piece of code can give, read from the names it uses.

It follows functions, classes and tables of them through our own packages, and takes every branch as possible. What an
object's method refuses is not followed unless its class is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import unwrap
from types import CodeType, FunctionType, ModuleType
from typing import Any

from bakedbrie.lib.refusals import Refusal

OURS = ("agents", "bakedbrie", "boards", "destinations", "reviews", "workflows", "workspaces")


def refusals_of(function: object, owner: type | None = None) -> frozenset[Refusal]:
    """Return what ``function`` can refuse; ``owner`` is the class whose methods it calls on ``self``."""
    found: set[Refusal] = set()
    seen: set[int] = set()
    waiting: list[tuple[object, type | None]] = [(function, owner)]
    while waiting:
        value, of = waiting.pop()
        if isinstance(value, Refusal):
            found.add(value)
        elif id(value) not in seen:
            seen.add(id(value))
            waiting += _named_by(value, of)
    return frozenset(found)


def _named_by(value: object, owner: type | None) -> Iterator[tuple[object, type | None]]:
    if isinstance(value, FunctionType):
        inner = unwrap(value)
        for one in {value, inner} if isinstance(inner, FunctionType) else {value}:
            if _is_ours(one):
                yield from _used_in(one, owner)
    elif isinstance(value, type) and _is_ours(value):
        yield from ((part, value) for part in vars(value).values() if isinstance(part, FunctionType | property))
    elif isinstance(value, property):
        yield value.fget, owner
    elif isinstance(value, Mapping):
        yield from ((one, None) for one in value.values())
    elif isinstance(value, tuple | list):
        yield from ((one, None) for one in value)


def _used_in(function: FunctionType, owner: type | None) -> Iterator[tuple[object, type | None]]:
    names = set(_names(function.__code__))
    modules = [value for name in names if isinstance(value := function.__globals__.get(name), ModuleType)]
    for name in names:
        yield function.__globals__.get(name), None
        yield getattr(owner, name, None), owner
        yield from ((getattr(module, name, None), None) for module in modules if _is_ours(module))
    for cell in function.__closure__ or ():
        yield cell.cell_contents, owner


def _names(code: CodeType) -> Iterator[str]:
    """Return the names a function uses, with those of the functions written inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_ours(value: Any) -> bool:
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    return module.partition(".")[0] in OURS
