"""docs/refusals.md, from the catalogue of refusals, the outcomes of a turn and the reasons on a card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agents.providers.outcomes import OUTCOMES, AiCode
from bakedbrie.api.refusals import CATALOG
from bakedbrie.lib.outbound.errors import TEXTS
from bakedbrie.lib.web.words import REASONS

HEAD = """# Refusals

Every code that BakedBrie answers or writes on a card. `manage.py render_docs` writes this page from the catalogues; do
not edit it by hand. A code never changes its meaning; the texts may.

A refusal is `{"error": {"code", "message", "fix", …}, "request_id"}` with the HTTP status below, over REST and in the
error result of a tool. What else stands beside `fix` belongs to the code: `fields` with `INVALID_INPUT`,
`current_revision` with `REVISION_CONFLICT`, `capability` with `CAPABILITY_OFF`, `reason` where there is one. With
`"retryable": true` the same call may be sent again later.
"""
OUTCOMES_HEAD = """## How a turn ended

The `code` of a turn that did not go well. It tells what happened at the provider. The account itself counts as
unusable after a code that is marked so, until `check_ai_account` finds it well again.
"""
REASONS_HEAD = """## Why a card waits or is blocked

The `state_reason` of a card, and the `reason` of a turn that waits, where it is none of the outcomes above.
"""
UNREACHED_HEAD = """## Why a provider could not be reached

The `reason` of `AI_PROVIDER_UNREACHABLE`, where it is none of the outcomes above.
"""


def render_refusals() -> str:
    sections = [
        [HEAD, *_table(("code", "status", "means", "what to do"), _refusals())],
        [OUTCOMES_HEAD, *_table(("code", "the turn is", "means, and what to do"), _outcomes())],
        [REASONS_HEAD, *_table(("code", "means, and what to do"), _reasons())],
        [UNREACHED_HEAD, *_table(("reason", "means"), _unreached())],
    ]
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


def _refusals() -> Iterator[Sequence[str]]:
    for code, refusal in sorted(CATALOG.items()):
        again = " May be sent again." if refusal.retryable else ""
        yield f"`{code}`", str(refusal.status), refusal.message, refusal.fix + again


def _outcomes() -> Iterator[Sequence[str]]:
    for code, outcome in sorted(OUTCOMES.items()):
        if code is not AiCode.DONE:
            blocks = " The account counts as unusable." if outcome.blocks_account else ""
            yield f"`{code}`", outcome.state.value, outcome.message + blocks


def _reasons() -> Iterator[Sequence[str]]:
    for code, text in sorted(REASONS.items()):
        if code not in {outcome.value for outcome in OUTCOMES}:
            yield f"`{code}`", text


def _unreached() -> Iterator[Sequence[str]]:
    for code, text in sorted(TEXTS.items()):
        yield f"`{code}`", f"{text}."


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
