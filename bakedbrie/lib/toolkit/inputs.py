"""Input models: strict, closed, and every problem told at once."""

from __future__ import annotations

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


def _one_line(most: int) -> Callable[[str], str]:
    """Return a check for one visible line; NFC may lengthen a text, so it is measured as it will be stored."""

    def check(text: str) -> str:
        text = unicodedata.normalize("NFC", text).strip()
        if any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in text):
            raise ValueError("must be one line without control characters")
        if not any(unicodedata.category(character)[0] not in {"Z", "C", "M"} for character in text):
            raise ValueError("must contain something that can be seen")
        if len(text) > most:
            raise ValueError(f"must have at most {most} characters")
        return text

    return check


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
