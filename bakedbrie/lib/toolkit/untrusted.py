"""Everything a tool answers was written by somebody else: it travels wrapped, and readers are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def wrap(answer: Mapping[str, Any], request_id: str) -> dict[str, Any]:
    """Return the success body of every tool (W062): content under ``untrusted_data``, and the call's id."""
    return {"untrusted_data": dict(answer), "request_id": request_id}
