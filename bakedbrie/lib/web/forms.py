"""What a form on a page shows again after it was refused: what was typed, what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import INVALID_INPUT, NOT_FOUND, Refused

_FORBIDDEN = 403
_UNPROCESSABLE = 422


@dataclass(frozen=True, kw_only=True)
class Form:
    """``request_id`` goes out hidden and comes back with the form: a double submit acts once.

    A form that was refused gets a new one, because it is sent again with other values.
    """

    request_id: str = field(default_factory=lambda: str(ids.new_id()))
    values: Mapping[str, str] = field(default_factory=dict)
    refused: Refused | None = None
    is_open: bool = False

    @property
    def is_shown(self) -> bool:
        """Return whether a form that hides behind a button is unfolded."""
        return self.is_open or self.refused is not None

    @property
    def errors(self) -> Mapping[str, list[str]]:
        """Return the problems by field."""
        fields = self.refused.details.get("fields") if self.refused else None
        return fields if isinstance(fields, dict) else {}


def show_in_place(refused: Refused) -> Refused:
    """Return a refusal that belongs beside its form; raise one that concerns the whole page."""
    if refused.refusal.status in {_FORBIDDEN, NOT_FOUND.status}:
        raise refused
    return refused


def refused_status(refused: Refused) -> int:
    """Return the status of a page with a refused form in it: 422 for what was typed, else the refusal's own."""
    return _UNPROCESSABLE if refused.code == INVALID_INPUT.code else refused.refusal.status
