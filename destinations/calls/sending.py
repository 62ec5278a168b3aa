"""Sending a delivery: each file looks whether it is there, is claimed, written once, and settled.

Safe to call any number of times and by several processes at once: only the claim's winner sends.
"""

from __future__ import annotations

import uuid
from datetime import timedelta

from bakedbrie.lib import log_context, once
from bakedbrie.lib.outbound.errors import MaybeSent, NotSent, OutboundError
from bakedbrie.lib.s3.answers import Outcome, S3Code
from bakedbrie.lib.s3.client import S3
from bakedbrie.lib.s3.pace import timeout_s
from boards.contents import ContentGone, content_of, open_content
from destinations.calls.keys import KeyUnusable, open_bucket
from destinations.calls.outcomes import code_of
from destinations.models import DeliveryStep
from destinations.services.attempts import Ending, claim_step, next_step, obstacle_to, refuse_step, settle_step
from destinations.states import DeliveryCode, StepState

_MOST_EXCHANGES = 6  # two looks that may read the object, two writes where a service does not know a header
_NOT_IMPLEMENTED = 501


def run_delivery(delivery_id: uuid.UUID) -> None:
    """Send what is left of a delivery, file by file; do nothing when there is nothing to send."""
    while (step := next_step(delivery_id)) is not None:
        log_context.bind(workspace=step.delivery.destination.workspace_id)
        if not _run(step):
            return


def _run(step: DeliveryStep) -> bool:
    """Send one file, and tell whether the next may follow."""
    obstacle = obstacle_to(step)
    if obstacle is not None:
        refuse_step(step, obstacle)
        return False
    try:
        bucket = open_bucket(step.delivery.destination, timeout_s=timeout_s(step.bytes))
    except KeyUnusable:
        refuse_step(step, DeliveryCode.KEY_UNUSABLE)
        return False
    try:
        attempt = claim_step(step, deadline=timedelta(seconds=_MOST_EXCHANGES * bucket.timeout_s))
    except once.LostRace:
        return False
    log_context.bind(call=attempt)
    ending = deliver_file(bucket, step)
    return settle_step(step.pk, attempt, ending) and ending.to is StepState.DONE


def deliver_file(bucket: S3, step: DeliveryStep) -> Ending:
    """Write a claimed file unless it is there already; something else at its path is never written over."""
    try:
        there = _look(bucket, step)
        if there is not None:
            return there
        ending = _write(bucket, step)
        # Somebody was first between the look and the write; it may have been an earlier try of this very file.
        return (_look(bucket, step) or ending) if ending.code == DeliveryCode.PATH_TAKEN else ending
    except OutboundError:  # a look: nothing was written
        return Ending(to=StepState.FAILED, code=DeliveryCode.UNAVAILABLE)


def _look(bucket: S3, step: DeliveryStep) -> Ending | None:
    """Return how it ends where something lies at the path or the look is refused; None where nothing lies there."""
    found = bucket.head(step.path)
    if found.code is S3Code.NOT_FOUND:
        return None
    if not found.is_ok:
        return _failed(found)
    taken = Ending(to=StepState.FAILED, code=DeliveryCode.PATH_TAKEN, etag=found.etag, http_status=found.status)
    if found.bytes != step.bytes:
        return taken
    # The bytes tell, not the hash that is noted beside them: whoever writes there may copy that note.
    read = bucket.hash(step.path, max_bytes=step.bytes + 1)
    if not read.outcome.is_ok:
        return _failed(read.outcome)
    if read.sha256 != step.sha256:
        return taken
    return Ending(to=StepState.DONE, etag=read.outcome.etag, http_status=read.outcome.status, was_there=True)


def _write(bucket: S3, step: DeliveryStep) -> Ending:
    try:
        written = _put(bucket, step, if_none_match=True)
        if written.status == _NOT_IMPLEMENTED:
            written = _put(bucket, step, if_none_match=False)
    except ContentGone:
        return Ending(to=StepState.FAILED, code=DeliveryCode.CONTENT_GONE)
    except NotSent:
        return Ending(to=StepState.FAILED, code=DeliveryCode.UNAVAILABLE)
    except MaybeSent:
        return Ending(to=StepState.UNKNOWN, code=DeliveryCode.OUTCOME_UNKNOWN)
    if written.is_ok:
        return Ending(to=StepState.DONE, etag=written.etag, http_status=written.status)
    if written.code in {S3Code.UNAVAILABLE, S3Code.MALFORMED}:  # the service itself does not know
        return Ending(to=StepState.UNKNOWN, code=DeliveryCode.OUTCOME_UNKNOWN, http_status=written.status)
    return _failed(written)


def _put(bucket: S3, step: DeliveryStep, *, if_none_match: bool) -> Outcome:
    with open_content(content_of(step)) as stream:
        return bucket.put(
            step.path,
            stream,
            size=step.bytes,
            sha256=step.sha256,
            media_type=step.media_type,
            if_none_match=if_none_match,
        )


def _failed(outcome: Outcome) -> Ending:
    return Ending(to=StepState.FAILED, code=code_of(outcome), http_status=outcome.status)
