"""What a REST view says of itself beside its code: one line of words, what it takes and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar

from rest_framework import serializers

from bakedbrie.lib.paging import PageInput
from bakedbrie.lib.toolkit.inputs import Input

ViewT = TypeVar("ViewT", bound=Callable[..., Any])
Shape = Mapping[str, "serializers.Field[Any, Any, Any, Any]"]

_ATTRIBUTE = "operation"


@dataclass(frozen=True)
class Operation:
    """Decorates the method of a view. The OpenAPI document is made from it, and what it does not name is refused.

    ``answer`` holds the fields beside request_id; None is an answer without a body. ``query`` and ``body`` are the
    models that the view reads. ``takes`` names the media types of a body that is no JSON.
    """

    summary: str
    _: KW_ONLY
    answer: Shape | None = None
    query: type[Input] | None = None
    body: type[Input] | None = None
    status: int = 200
    takes: tuple[str, ...] = ()
    is_download: bool = False

    def __call__(self, view: ViewT) -> ViewT:
        setattr(view, _ATTRIBUTE, self)
        return view

    @property
    def is_paged(self) -> bool:
        return self.query is not None and issubclass(self.query, PageInput)


def operation_of(view: object) -> Operation | None:
    found = getattr(view, _ATTRIBUTE, None)
    return found if isinstance(found, Operation) else None
