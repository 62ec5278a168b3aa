"""Paths: what a template may hold, and what it makes of a card. Pure; the same words give the same path."""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from bakedbrie.lib.hashing import canonical_hash
from bakedbrie.lib.slugs import card_hash, slug

DEFAULT_TEMPLATE = "{board-slug}/{yyyy-mm-dd}-{card-slug}-{card-hash}.md"
MOST_TEMPLATE = 200
MOST_SEGMENT_BYTES = 190  # room for a number, and for the name of a file beside it
MOST_PATH_BYTES = 330
MOST_PREFIX_BYTES = 100
_WIDTHS = {"board-slug": 96, "card-slug": 96, "yyyy-mm-dd": 10, "card-hash": 6}
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_FORBIDDEN = frozenset('\\:*?"<>|')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])", re.IGNORECASE)
_ENDING = re.compile(r"[a-z0-9]{1,10}")
_MOST_BESIDE_BYTES = 40
_PLACE = ("endpoint", "region", "bucket", "prefix", "path_style")


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a path tells of a card: its names, the day it was finished, and ``n`` above 1 where a path was taken."""

    board_name: str
    card_title: str
    card_id: uuid.UUID
    day: date
    n: int = 1


def place_of(kind: str, config: Mapping[str, object], path_template: str) -> str:
    """Return the hash of everything that tells where bytes go. The name of a destination and its key are no part of
    it: with another key the bytes lie where they were meant to."""
    place = {name: config.get(name) for name in _PLACE}
    return canonical_hash("place", {"kind": kind, "path_template": path_template, **place})


def target_text(config: Mapping[str, object]) -> str:
    """Return in one line where a bucket is."""
    return f"{config['endpoint']}/{config['bucket']}/{config['prefix']}"


def template_problems(template: str) -> list[str]:
    """Return everything that is wrong with a path template; an empty list for a good one."""
    problems = []
    if len(template) > MOST_TEMPLATE:
        problems.append(f"may have at most {MOST_TEMPLATE} characters")
    unknown = sorted({name for name in _PLACEHOLDER.findall(template) if name not in _WIDTHS})
    problems += [f"does not know the placeholder {{{name}}}" for name in unknown]
    if set(_PLACEHOLDER.sub("", template)) & set("{}"):
        problems.append("holds a brace that belongs to no placeholder")
    problems += path_problems(_PLACEHOLDER.sub("x", template))
    segments = template.split("/")
    widths = [_width(segment) for segment in segments]
    if max(widths) > MOST_SEGMENT_BYTES or sum(widths) + len(widths) > MOST_PATH_BYTES:
        problems.append("would make names that are too long")
    return problems


def path_problems(path: str) -> list[str]:
    """Return everything that is wrong with a path as somebody wrote it; it has no slash at either end."""
    problems = []
    if any(unicodedata.category(one) in {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"} for one in path):
        problems.append("may not hold characters that cannot be seen")
    if set(path) & _FORBIDDEN:
        problems.append('may not hold any of \\ : * ? " < > |')
    segments = path.split("/")
    if any(not segment.strip() for segment in segments):
        problems.append("may not begin or end with a slash, nor hold two in a row")
    if any(segment.startswith(".") or segment != segment.strip(" ") or segment.endswith(".") for segment in segments):
        problems.append("may not hold names that begin or end with a dot or a space")
    return problems


def paths(template: str, subject: Subject, names: Sequence[str], *, has_result: bool) -> list[str]:
    """Return a path for each of ``names``: the first is the result where there is one, the others lie beside it.

    No two paths are alike, also where capitals do not count.
    """
    values = {
        "board-slug": slug(subject.board_name, otherwise="board"),
        "card-slug": slug(subject.card_title),
        "yyyy-mm-dd": subject.day.isoformat(),
        "card-hash": card_hash(subject.card_id),
    }
    filled = _PLACEHOLDER.sub(lambda found: values[found[1]], template)
    *folders, last = [_safe(segment) for segment in filled.split("/")]
    stem, ending = _split(last)
    stem = stem if subject.n == 1 else f"{stem}-{subject.n}"
    made: list[str] = []
    for position, name in enumerate(names):
        is_result = position == 0 and has_result
        file = f"{stem}{ending}" if is_result else _beside(stem, name, made)
        made.append(file)
    return ["/".join([*folders, file]) for file in made]


def _beside(stem: str, name: str, taken: Sequence[str]) -> str:
    own, ending = _split(name.lower())
    ending = ending if _ENDING.fullmatch(ending[1:]) else ""
    word = slug(own, otherwise="file").encode()[:_MOST_BESIDE_BYTES].decode(errors="ignore").strip("-")
    used = {one.casefold() for one in taken}
    n = 1
    while (file := f"{stem}-{word}{'' if n == 1 else f'-{n}'}{ending}").casefold() in used:
        n += 1
    return file


def _split(name: str) -> tuple[str, str]:
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if stem else (name, "")


def _safe(segment: str) -> str:
    return f"_{segment}" if _RESERVED.fullmatch(segment.split(".")[0]) else segment


def _width(segment: str) -> int:
    placed = [name for name in _PLACEHOLDER.findall(segment) if name in _WIDTHS]
    return len(_PLACEHOLDER.sub("", segment).encode()) + sum(_WIDTHS[name] for name in placed)
