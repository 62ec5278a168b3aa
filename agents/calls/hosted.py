"""A turn on the user's own provider key: read the card, claim, send once, settle.

Safe to call any number of times and by several processes at once: only the claim's winner sends. Whatever happens
after the claim, nothing is sent a second time; a process that dies leaves a row that the sweep names unknown.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TypeAlias

from django.conf import settings

from agents.calls import material
from agents.calls.keys import KeyUnusable, open_key
from agents.calls.material import Material
from agents.calls.sending import send_turn
from agents.models import AiAccount, Turn
from agents.prompt import DoesNotFit, Prompt, Section, build
from agents.providers import KINDS
from agents.providers.base import Ask
from agents.providers.outcomes import AiCode
from agents.services.approvals import Leave, ask_first, leave_to_read
from agents.services.attempts import (
    Held,
    Obstacle,
    Written,
    claim_turn,
    obstacle_of,
    put_aside,
    settle_claimed,
    unavailable,
)
from agents.services.pickups import StillReading, pick_up
from agents.states import TurnState
from bakedbrie.lib import log_context, once
from bakedbrie.lib.outbound.messages import Request

SectionsOf: TypeAlias = Callable[[Turn], Sequence[Section]]


def no_sections(_: Turn) -> Sequence[Section]:
    """Add nothing to the prompt."""
    return ()


def run_turn(turn_id: uuid.UUID, sections: SectionsOf = no_sections) -> None:
    """Run a queued turn to its end; do nothing when it is not queued.

    ``sections`` tells what apps above add to the prompt, read as late as everything else.
    """
    turn = pick_up(turn_id)
    if turn is None:
        return
    log_context.bind(workspace=turn.card.board.workspace_id)
    try:
        _run(turn, sections)
    except Held as held:
        _put_aside(turn, held.obstacle)
    except once.LostRace:
        return


def _run(turn: Turn, sections: SectionsOf) -> None:
    obstacle = obstacle_of(turn)
    if obstacle is not None:
        raise Held(obstacle)
    account = turn.account
    assert account is not None  # obstacle_of answers a missing one
    try:
        key = open_key(account.provider, account.secret)
    except KeyUnusable:
        raise Held(unavailable("its key cannot be opened")) from None
    leave = leave_to_read(turn)
    if leave.question is not None:
        ask_first(turn, leave.question)
        return
    prompt, read = _prompt(turn, account, leave, sections(turn))
    written = Written(
        sha256=prompt.sha256,
        record={
            "parts": [*material.trusted_parts(turn), *prompt.parts],
            "estimated_tokens": prompt.estimated_tokens + read.image_tokens,
        },
        notes=[{"code": "ASKED_AND_DENIED"}] if leave.was_denied else [],
        approval=leave.approval,
    )
    request = _request(account, prompt, read)
    attempt = claim_turn(turn, written=written, deadline=timedelta(seconds=settings.TURN_DEADLINE_S))
    log_context.bind(call=attempt)
    settle_claimed(turn, attempt, send_turn(turn, account, request, key))


def _put_aside(turn: Turn, obstacle: Obstacle) -> None:
    try:
        put_aside(turn, obstacle)
    except once.LostRace:
        return


def _prompt(turn: Turn, account: AiAccount, leave: Leave, further: Sequence[Section]) -> tuple[Prompt, Material]:
    room = account.context_tokens - account.answer_tokens
    takes_images = KINDS[account.provider].takes_images
    read = material.gather(
        turn, room=room, takes_images=takes_images, leave=leave, further=further, before_each_file=StillReading(turn)
    )
    try:
        return build(read.sections, room=room - read.image_tokens), read
    except DoesNotFit:
        message = (
            "The agent's instructions and the board's guidelines leave no room for the card in this model's context. "
            "Shorten them, or use an account with more context_tokens."
        )
        obstacle = Obstacle(to=TurnState.REFUSED, code=AiCode.PROMPT_TOO_LONG, message=message)
        raise Held(obstacle) from None


def _request(account: AiAccount, prompt: Prompt, read: Material) -> Request:
    ask = Ask(
        base_url=account.base_url,
        model=account.model,
        system=prompt.system,
        text=prompt.text,
        images=read.images,
        answer_tokens=account.answer_tokens,
        asks_for_counts=account.asks_for_counts,
        timeout_s=settings.TURN_DEADLINE_S,
    )
    return KINDS[account.provider].ask(ask)
