"""request_id replay: the same call repeated gives the same answer and has no second effect.

write  record and work are one transaction. A twin waits on the unique index, then reads the stored answer.
send   the record is committed as in progress, then the call runs. A twin gets REQUEST_IN_PROGRESS; after a crash, or
       when nothing was heard for `IN_PROGRESS_AT_MOST`, it gets OUTCOME_UNKNOWN and nothing is sent again.

A write that is refused changed nothing and leaves no record: whoever does what the refusal's fix says may repeat the
call with the same id. What a send was refused with is an answer and is stored, except where it says "send it again" or
concerns the caller and not the call.
Records are kept for `KEPT_FOR`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from bakedbrie.lib.hashing import canonical_hash
from bakedbrie.lib.refusals import INVALID_INPUT, Refusal, Refused
from bakedbrie.lib.toolkit.tool import Answer, Effect
from workspaces.caller import Caller
from workspaces.models import RequestRecord
from workspaces.refusals import OUTCOME_UNKNOWN, REQUEST_ID_REUSED, REQUEST_IN_PROGRESS
from workspaces.states import RecordState

# Longer than any call that is sent while the caller waits.
IN_PROGRESS_AT_MOST = timedelta(minutes=5)
KEPT_FOR = timedelta(days=7)

_PLAIN = re.compile(r"[A-Za-z0-9._:-]{1,100}")
_NOT_OF_THE_CALL = frozenset({400, 401, 403, 429})
_SUCCESS = 200

Run = Callable[[], Answer]


class _Twin(Exception):
    """This caller used this request_id before."""


def replay(
    caller: Caller,
    *,
    request_id: str,
    call: Mapping[str, Any],
    effect: Effect,
    run: Run,
    shown_once: frozenset[str] = frozenset(),
) -> Answer:
    """Run the call, or answer as it was answered before. Reads and calls without a request_id just run."""
    if not request_id or effect is Effect.READ:
        return run()
    record = _new_record(caller, request_id, call)
    try:
        answer = (_write if effect is Effect.WRITE else _send)(record, run, shown_once)
    except _Twin:
        return _stored(record)
    if isinstance(answer, Refused):
        raise answer
    return answer


def _new_record(caller: Caller, request_id: str, call: Mapping[str, Any]) -> RequestRecord:
    if not _PLAIN.fullmatch(request_id):
        raise INVALID_INPUT(fields={"request_id": ["may have 1 to 100 letters, digits and . _ : -"]})
    try:
        call_hash = canonical_hash("request", dict(call))
    except ValueError:
        raise INVALID_INPUT(fields={"": ["holds a number that JSON cannot carry exactly"]}) from None
    return RequestRecord(workspace=caller.workspace, subject=caller.subject, request_id=request_id, call_hash=call_hash)


def _write(record: RequestRecord, run: Run, shown_once: frozenset[str]) -> Answer:
    with transaction.atomic():
        _insert(record)
        answer = run()
        _keep(record, _SUCCESS, _without(answer, shown_once))
        return answer


def _send(record: RequestRecord, run: Run, shown_once: frozenset[str]) -> Answer | Refused:
    with transaction.atomic():
        _insert(record)
    is_settled = False
    try:
        answer = run()
        _keep(record, _SUCCESS, _without(answer, shown_once))
        is_settled = True
        return answer
    except Refused as refused:
        is_settled = True
        if _is_kept(refused):
            _keep(record, refused.refusal.status, _refusal_body(refused))
        else:
            record.delete()
        return refused
    finally:
        if not is_settled:
            RequestRecord.objects.filter(pk=record.pk).update(state=RecordState.UNKNOWN, updated_at=Now())


def _insert(record: RequestRecord) -> None:
    """The unique index decides who is first; the second waits here until the first has ended."""
    try:
        record.save(force_insert=True)
    except IntegrityError:
        raise _Twin from None


def _keep(record: RequestRecord, status: int, body: Mapping[str, Any]) -> None:
    record.state, record.status = RecordState.DONE, status
    record.answer = json.dumps(body, cls=DjangoJSONEncoder)
    record.save(update_fields=["state", "status", "answer", "updated_at"])


def _stored(asked: RequestRecord) -> Answer:
    kept = RequestRecord.objects.filter(subject=asked.subject, request_id=asked.request_id).first()
    if kept is None:
        # The first call was taken back between our insert and this look: it left no trace.
        raise REQUEST_IN_PROGRESS()
    if kept.call_hash != asked.call_hash:
        raise REQUEST_ID_REUSED()
    if kept.state == RecordState.DONE:
        body: dict[str, Any] = json.loads(kept.answer)
        if kept.status == _SUCCESS:
            return body
        raise _refusal_from(kept.status or 0, body)
    is_old = RequestRecord.objects.filter(pk=kept.pk, created_at__lt=Now() - IN_PROGRESS_AT_MOST).exists()
    if kept.state == RecordState.UNKNOWN or is_old:
        raise OUTCOME_UNKNOWN()
    raise REQUEST_IN_PROGRESS()


def _is_kept(refused: Refused) -> bool:
    status = refused.refusal.status
    return not refused.refusal.retryable and status not in _NOT_OF_THE_CALL and status < 500


def _refusal_body(refused: Refused) -> dict[str, Any]:
    return {
        "code": refused.code,
        "message": refused.message,
        "fix": refused.fix,
        "details": dict(refused.details),
    }


def _refusal_from(status: int, body: Mapping[str, Any]) -> Refused:
    refusal = Refusal(body["code"], status, body["message"], fix=body["fix"])
    return refusal(**body["details"])


def _without(answer: Answer, shown_once: frozenset[str]) -> dict[str, Any]:
    return {key: "" if key in shown_once else value for key, value in answer.items()}
