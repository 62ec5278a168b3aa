"""Every refusal there is: what the apps refuse, and what the REST door itself refuses. A code stands for one thing."""

from __future__ import annotations

from collections import Counter

import agents.refusals
import boards.refusals
import connecting.refusals
import destinations.refusals
import reviews.refusals
import workflows.refusals
import workspaces.refusals
from bakedbrie.lib import refusals
from bakedbrie.lib.refusals import Refusal
from bakedbrie.lib.web import errors as page_errors

METHOD_NOT_ALLOWED = Refusal(
    "METHOD_NOT_ALLOWED", 405, "This address does not take that method.", fix="Use one of the methods in Allow."
)
NOT_ACCEPTABLE = Refusal(
    "NOT_ACCEPTABLE", 406, "Answers are JSON.", fix="Send 'Accept: application/json', or leave Accept out."
)
MEDIA_TYPE_UNSUPPORTED = Refusal(
    "MEDIA_TYPE_UNSUPPORTED",
    415,
    "A body of this type is not taken here.",
    fix="Send 'Content-Type: application/json'.",
)
BODY_TOO_LARGE = Refusal("BODY_TOO_LARGE", 413, "The body is too large.", fix="Send less, or attach it as a file.")

REFUSALS = (METHOD_NOT_ALLOWED, NOT_ACCEPTABLE, MEDIA_TYPE_UNSUPPORTED, BODY_TOO_LARGE)


def _checked(*refused: Refusal) -> dict[str, Refusal]:
    twice = [code for code, count in Counter(refusal.code for refusal in refused).items() if count > 1]
    if twice:
        raise ValueError(f"Refusal codes defined twice: {', '.join(sorted(twice))}.")
    return {refusal.code: refusal for refusal in sorted(refused, key=lambda refusal: refusal.code)}


CATALOG: dict[str, Refusal] = _checked(
    *refusals.REFUSALS,
    *page_errors.REFUSALS,
    *workspaces.refusals.REFUSALS,
    *boards.refusals.REFUSALS,
    *connecting.refusals.REFUSALS,
    *agents.refusals.REFUSALS,
    *destinations.refusals.REFUSALS,
    *reviews.refusals.REFUSALS,
    *workflows.refusals.REFUSALS,
    *REFUSALS,
)
