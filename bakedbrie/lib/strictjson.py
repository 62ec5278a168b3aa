"""JSON from outside: text or a plain refusal, however deep, doubled or odd it is."""

from __future__ import annotations

import json

MAX_DEPTH = 64


class NotJson(ValueError):
    """The text is no JSON that we take. Its message never quotes the text."""


def loads(text: str | bytes, *, max_depth: int = MAX_DEPTH, unique_keys: bool = False) -> object:
    """Return the value, or raise `NotJson`: also for NaN, for too many levels and, if asked, for a key given twice."""
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        value: object = json.loads(
            decoded, parse_constant=_refuse_constant, object_pairs_hook=_unique if unique_keys else None
        )
    except NotJson:
        raise
    except UnicodeDecodeError:
        raise NotJson("It is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise NotJson(f"It is not JSON: line {error.lineno}, column {error.colno}.") from None
    except ValueError:
        raise NotJson("It holds a number with too many digits.") from None
    except RecursionError:
        raise NotJson(f"It is nested deeper than {max_depth} levels.") from None
    if not is_at_most(value, max_depth):
        raise NotJson(f"It is nested deeper than {max_depth} levels.")
    return value


def is_at_most(value: object, max_depth: int) -> bool:
    """Tell whether lists and objects are nested at most ``max_depth`` deep; never recurses."""
    level = [value]
    for _ in range(max_depth):
        level = [child for node in level for child in _children(node)]
        if not level:
            return True
    return not any(isinstance(node, dict | list) for node in level)


def _children(node: object) -> list[object]:
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list) else []


def _refuse_constant(_: str) -> object:
    raise NotJson("NaN and Infinity are no JSON.")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise NotJson("A key is given twice.")
    return value
