"""What the forms of destinations take. The secret is in none of them: it is sealed before anything else is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from django.http import HttpRequest
from pydantic import AfterValidator

from bakedbrie.lib.refusals import INVALID_INPUT, Refused
from bakedbrie.lib.toolkit.inputs import Id, Input, InputT, Name, parse
from bakedbrie.lib.web.forms import Form
from destinations.inputs import S3ConfigIn, Template
from destinations.models import Destination
from destinations.rules import DEFAULT_TEMPLATE, template_problems
from destinations.services.destinations import BucketConfig

PLACE = ("endpoint", "region", "bucket", "prefix", "access_key_id")
TYPED = ("name", *PLACE, "path_template")
SECRET = "secret_access_key"
_LEFT_OUT_IF_EMPTY = frozenset({"region", "path_template", "board_id"})
_MOST_DIGITS = 9


def _template(text: str) -> str:
    problems = template_problems(text)
    if problems:
        raise ValueError(", ".join(problems))
    return text


def _agreed(is_agreed: bool) -> bool:
    if not is_agreed:
        raise ValueError("needed: look at where it goes, and agree")
    return is_agreed


class PlaceIn(S3ConfigIn):
    """A bucket, its name here, and how its paths are made."""

    name: Name
    path_template: Annotated[Template, AfterValidator(_template)] = DEFAULT_TEMPLATE

    @property
    def bucket_config(self) -> BucketConfig:
        return BucketConfig(**self.model_dump(include=set(S3ConfigIn.model_fields)))


class NewDestinationIn(PlaceIn):
    """``board_id`` is the board whose default it becomes."""

    board_id: Id | None = None
    confirm: Annotated[bool, AfterValidator(_agreed)]


class EditDestinationIn(PlaceIn):
    expected_revision: int
    confirm: bool


class DefaultIn(Input):
    """A board, and the destination of its finished cards."""

    board_id: Id
    destination_id: Id
    confirm: bool


class OverrideIn(Input):
    """A card, and the destination that it alone goes to."""

    card_id: Id
    destination_id: Id
    confirm: bool


class DestinationIn(Input):
    destination_id: Id


class BoardIn(Input):
    board_id: Id


class CardIn(Input):
    card_id: Id


def typed_in(request: HttpRequest, *more: str) -> dict[str, str]:
    """Return what is shown again after a refusal: everything but the secret."""
    return {name: request.POST.get(name, "").strip() for name in (*TYPED, *more)}


def given_from(typed: Mapping[str, str]) -> dict[str, Any]:
    """Return what the input models take: optional fields without a value are left out, a tick is a boolean."""
    given: dict[str, Any] = {name: value for name, value in typed.items() if value or name not in _LEFT_OUT_IF_EMPTY}
    return {**given, "confirm": bool(typed.get("confirm"))}


def parse_all(model: type[InputT], given: Mapping[str, Any], problems: Mapping[str, list[str]]) -> InputT:
    """Do as `parse`, and tell what else is wrong in the same refusal."""
    try:
        parsed = parse(model, dict(given))
    except Refused as refused:
        raise INVALID_INPUT(fields={**Form(refused=refused).errors, **problems}) from None
    if problems:
        raise INVALID_INPUT(fields=dict(problems))
    return parsed


def number(text: str) -> int | str:
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else text


def values_of(destination: Destination) -> dict[str, str]:
    """Return what the form of a destination begins with."""
    place = {name: str(destination.config[name]) for name in PLACE}
    return {"name": destination.name, **place, "path_template": destination.path_template}
