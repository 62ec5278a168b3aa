"""What a form on a page shows again after it was refused: what was typed, what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import INVALID_INPUT, Refused

_UNPROCESSABLE = 422


@dataclass(frozen=True, kw_only=True)
class Form:
    """``request_id`` goes out hidden and comes back with the form: a double submit acts once.

    A refused form gets a new one, because it is sent again with other values.
    """

    request_id: str = field(default_factory=lambda: str(ids.new_id()))
    values: Mapping[str, str] = field(default_factory=dict)
    refused: Refused | None = None

    @property
    def errors(self) -> Mapping[str, list[str]]:
        """Return the problems by field."""
        fields = self.refused.details.get("fields") if self.refused else None
        return fields if isinstance(fields, dict) else {}

    @property
    def is_open(self) -> bool:
        """A refused form stays open."""
        return self.refused is not None


def refused_status(refused: Refused) -> int:
    """Return the status of a page with a refused form in it: 422 for what was typed, else the refusal's own."""
    return _UNPROCESSABLE if refused.code == INVALID_INPUT.code else refused.refusal.status
