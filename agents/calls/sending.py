"""Sending a claimed turn's request, once, and hearing its answer while it arrives, to whatever end."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from agents import blocks
from agents.calls.transcript import StopAsked, TranscriptWriter
from agents.models import AiAccount, Turn
from agents.providers import KINDS
from agents.providers.base import Provider, Reply, label
from agents.providers.outcomes import AiCode
from agents.providers.prices import cost_micros
from agents.providers.streams import StreamReader, is_stream
from agents.services.attempts import Ending
from bakedbrie.lib import clock
from bakedbrie.lib.outbound.client import KeyAuth, StreamedAnswer, stream
from bakedbrie.lib.outbound.errors import MaybeSent, NotSent
from bakedbrie.lib.outbound.messages import Answer, Request
from bakedbrie.lib.redact import Redactor


def send_turn(turn: Turn, account: AiAccount, request: Request, key: KeyAuth) -> Ending:
    """Send once and say what came of it. An answer that is lost costs an unknown amount, an unsent request nothing.

    What a model wrote before its answer was lost, stopped or ended in an error is kept as the text of the ending. A
    service may echo the key it was asked with: it is taken out of everything that comes back.
    """
    sent_at = clock.now()
    redactor = Redactor([key.secret.reveal()])
    hearing = _Hearing(KINDS[account.provider], TranscriptWriter(turn, redactor), redactor)
    try:
        with stream(request, auth=key, allow_loopback=True, while_waiting=hearing.transcript.look) as answer:
            hearing.listen(answer)
    except NotSent:
        return Ending(code=AiCode.UNREACHABLE, cost_micros=0)
    except StopAsked:
        reply = hearing.stopped()
        return Ending(code=AiCode.STOPPED, text=hearing.text, reply=reply, cost_micros=_cost(account, reply, sent_at))
    except MaybeSent:
        hearing.finish()
    if hearing.reply is None:
        return Ending(code=AiCode.OUTCOME_UNKNOWN, text=hearing.text)
    return _ending(hearing.reply, _cost(account, hearing.reply, sent_at))


class _Hearing:
    """What was heard of one answer."""

    def __init__(self, kind: Provider, transcript: TranscriptWriter, redactor: Redactor) -> None:
        self.transcript = transcript
        self.reply: Reply | None = None
        self._kind = kind
        self._redactor = redactor
        self._reader: StreamReader | None = None
        self._request_id = ""

    @property
    def text(self) -> str:
        return self._redactor.cut_text(self._reader.text) if self._reader else ""

    def listen(self, answer: StreamedAnswer) -> None:
        """Read to the end of the answer, which is not always the end of what is sent."""
        if answer.status != 200 or not is_stream(answer.headers):
            whole = Answer(status=answer.status, headers=answer.headers, body=b"".join(answer.chunks))
            self._keep(self._kind.read(whole))
            return
        self._request_id = answer.header("request-id") or answer.header("x-request-id") or ""
        self._reader = reader = StreamReader(self._kind.events(answer.headers))
        for chunk in answer.chunks:
            piece = reader.feed(chunk)
            if reader.is_whole:
                break
            self.transcript.hear(piece)
        self.finish()

    def finish(self) -> None:
        """Take what is there for all that comes."""
        if self._reader:
            self._reader.finish()
            self._keep(self._reader.reply())

    def stopped(self) -> Reply | None:
        """Say what is known of an answer that nobody wanted any more, or None when it had not begun."""
        if self._reader is None:
            return None
        request_id = label(self._redactor.text(self._request_id), 120)
        return Reply(code=AiCode.STOPPED, usage=self._reader.usage, request_id=request_id, http_status=200)

    def _keep(self, reply: Reply | None) -> None:
        """Keep a reply without the key; the words of its labels were cut to their length before."""
        if reply is None:
            return
        clean = self._redactor.text if reply.code is AiCode.DONE else self._redactor.cut_text
        self.reply = replace(
            reply,
            text=clean(reply.text),
            stop_reason=label(self._redactor.cut_text(reply.stop_reason), 40),
            request_id=label(self._redactor.cut_text(reply.request_id), 120),
        )


def _cost(account: AiAccount, reply: Reply | None, sent_at: datetime) -> int | None:
    return cost_micros(account.provider, account.model, reply, sent_at) if reply else None


def _ending(reply: Reply, cost: int | None) -> Ending:
    parsed = blocks.parse(reply.text)
    code = reply.code
    if code is AiCode.DONE and not parsed.text:
        code = AiCode.ANSWER_EMPTY
    notes: list[dict[str, object]] = [{"code": "BLOCK_IGNORED", "block": name} for name in parsed.ignored]
    return Ending(code=code, text=parsed.text, notes=tuple(notes), reply=reply, cost_micros=cost)
