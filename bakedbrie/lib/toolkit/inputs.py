"""Input models: strict, closed, and every problem told at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from bakedbrie.lib.refusals import INVALID_INPUT

InputT = TypeVar("InputT", bound="Input")


def _storable(value: object) -> None:
    """Refuse text that Postgres or UTF-8 cannot hold, wherever in the input it hides."""
    if isinstance(value, str):
        if "\x00" in value:
            raise ValueError("may not contain the character NUL")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise ValueError("may not contain half of a surrogate pair")
    elif isinstance(value, dict):
        for key, item in value.items():
            _storable(key)
            _storable(item)
    elif isinstance(value, list):
        for item in value:
            _storable(item)


def _one_line(text: str) -> str:
    """Return ``text`` in NFC without outer white space; refuse line breaks, controls and what looks empty."""
    text = unicodedata.normalize("NFC", text).strip()
    if any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in text):
        raise ValueError("must be one line without control characters")
    if not any(unicodedata.category(character)[0] not in {"Z", "C", "M"} for character in text):
        raise ValueError("must contain something that can be seen")
    return text


Id = Annotated[str, Field(max_length=64, description="An id that BakedBrie gave you.")]
Name = Annotated[str, Field(min_length=1, max_length=120), AfterValidator(_one_line)]
Title = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_one_line)]


class Input(BaseModel):
    """What one tool or REST body takes. Unknown fields are refused, and no value is quietly converted."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_what_cannot_be_stored(cls, value: Any) -> Any:
        _storable(value)
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
