"""Input models: strict, closed, and every problem told at once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from bakedbrie.lib import strictjson
from bakedbrie.lib.refusals import INVALID_INPUT

InputT = TypeVar("InputT", bound="Input")


_LEVELS = 20


def _check_storable(value: object) -> None:
    """Refuse text that Postgres or UTF-8 cannot hold, wherever in the input it hides."""
    if not strictjson.is_at_most(value, _LEVELS):
        raise ValueError(f"may not be nested deeper than {_LEVELS} levels")
    rest = [value]
    while rest:
        node = rest.pop()
        if isinstance(node, str):
            _check_text(node)
        elif isinstance(node, dict):
            rest += [*node.keys(), *node.values()]
        elif isinstance(node, list):
            rest += node


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise ValueError("may not contain the character NUL")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("may not contain half of a surrogate pair")


# Letters and symbols by their category, but drawn as nothing: fillers of Hangul, the blank of Braille, a note head.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\U0001d159")
# They turn the text around them, in a list also the text of others.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


# Format characters that are drawn: signs over Arabic, Syriac and Kaithi numbers, and the tags that end a flag.
_SHOWN_FORMATS = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U000e0020-\U000e007f]")


def is_visible(text: str) -> bool:
    """Tell whether a reader sees anything: not only spaces, marks, controls, format characters and blanks."""
    return any(unicodedata.category(one)[0] not in {"Z", "C", "M"} and one not in _BLANK for one in text)


def _one_line(most: int) -> Callable[[str], str]:
    """Return the check of every name and title, told in one sentence:

    One line in NFC that shows something, without controls and without characters that turn the direction of what
    follows; what cannot be seen at its ends is taken off, and its length is counted in characters as it is stored.

    Everything else stays as it was given: emoji, look-alikes, every script, and signs that a spreadsheet would run.
    """

    def check(text: str) -> str:
        text = _bare(unicodedata.normalize("NFC", text))
        if any(unicodedata.category(one) in {"Cc", "Zl", "Zp"} for one in text):
            raise ValueError("must be one line without control characters")
        if any(one in _TURNING for one in text):
            raise ValueError("may not contain characters that turn the direction of the text")
        if not is_visible(text):
            raise ValueError("must contain something that can be seen")
        if len(text) > most:
            raise ValueError(f"must have at most {most} characters")
        return text

    return check


def _bare(text: str) -> str:
    """Take white space, format characters and blanks off both ends; marks stay, they belong to what is before them."""
    start, end = 0, len(text)
    while start < end and _is_nothing(text[start]):
        start += 1
    while end > start and _is_nothing(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_nothing(character: str) -> bool:
    if character in _TURNING:
        return False  # refused, not taken off
    is_format = unicodedata.category(character) == "Cf" and not _SHOWN_FORMATS.fullmatch(character)
    return character.isspace() or character in _BLANK or is_format


Id = Annotated[str, Field(max_length=64, description="An id that BakedBrie gave you.")]
Name = Annotated[str, Field(min_length=1, max_length=120), AfterValidator(_one_line(120))]
Title = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_one_line(300))]


class Input(BaseModel):
    """What one tool or REST body takes. Unknown fields are refused, and no value is quietly converted.

    So fields are what JSON holds: words are a `Literal` (an Enum would want its own members), ids and times are text.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_what_cannot_be_stored(cls, value: Any) -> Any:
        _check_storable(value)
        return value


class ActionInput(Input):
    """An input whose ``action`` decides which of the other fields it needs and which it takes."""

    needs: ClassVar[Mapping[str, tuple[str, ...]]]
    takes: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    @model_validator(mode="after")
    def _check_action(self) -> Self:
        action: str = getattr(self, "action")  # noqa: B009 - declared by each subclass as its own Literal
        needed = self.needs[action]
        allowed = {"action", *needed, *self.takes.get(action, ())}
        missing = [name for name in needed if getattr(self, name) is None]
        surplus = sorted(name for name in self.model_fields_set - allowed if getattr(self, name) is not None)
        problems = [f"{name}: needed by {action}" for name in missing]
        problems += [f"{name}: not taken by {action}" for name in surplus]
        if problems:
            raise ValueError("; ".join(problems))
        return self


def field_errors(error: ValidationError) -> dict[str, list[str]]:
    """Return each problem under the name of its field; problems of the whole stand under an empty name."""
    fields: dict[str, list[str]] = {}
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        text = problem["msg"].removeprefix("Value error, ")
        if problem["loc"]:
            fields.setdefault(".".join(str(part) for part in problem["loc"]), []).append(text)
            continue
        for part in text.split("; "):
            name, separator, reason = part.partition(": ")
            fields.setdefault(name if separator else "", []).append(reason or part)
    return fields


def parse(model: type[InputT], raw: object) -> InputT:
    """Return the checked input, or refuse with INVALID_INPUT and ``fields``: every problem by its field's name."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise INVALID_INPUT(fields=field_errors(error)) from None


def parse_query(model: type[InputT], raw: Mapping[str, str]) -> InputT:
    """Do as `parse` for the query of an address, where numbers and booleans are spelt as text."""
    try:
        return model.model_validate_strings(dict(raw), strict=False)
    except ValidationError as error:
        raise INVALID_INPUT(fields=field_errors(error)) from None
