"""What can go wrong outside, sorted by the one question that matters: may the request have arrived?

OutboundError
├── NotSent     nothing left this machine: the caller may offer to send it again
└── MaybeSent   bytes may have left and no usable answer came back: the outcome is unknown
An answer with any status, 302 and 500 included, is no error: it is an `Answer`.
"""

from __future__ import annotations

from enum import StrEnum


class OutboundCode(StrEnum):
    """What happened. Kept on rows, so values never change."""

    ADDRESS_REFUSED = "ADDRESS_REFUSED"
    HOST_UNKNOWN = "HOST_UNKNOWN"
    CONNECT_FAILED = "CONNECT_FAILED"
    TLS_FAILED = "TLS_FAILED"
    TIMED_OUT = "TIMED_OUT"
    CONNECTION_LOST = "CONNECTION_LOST"
    ANSWER_TOO_LARGE = "ANSWER_TOO_LARGE"
    ANSWER_MALFORMED = "ANSWER_MALFORMED"
    BODY_BROKEN = "BODY_BROKEN"


TEXTS = {
    OutboundCode.ADDRESS_REFUSED: "This address may not be called",
    OutboundCode.HOST_UNKNOWN: "The name of the host is not known",
    OutboundCode.CONNECT_FAILED: "The connection could not be made",
    OutboundCode.TLS_FAILED: "The host could not prove who it is",
    OutboundCode.TIMED_OUT: "The time was up",
    OutboundCode.CONNECTION_LOST: "The connection broke before the answer was complete",
    OutboundCode.ANSWER_TOO_LARGE: "The answer was larger than allowed",
    OutboundCode.ANSWER_MALFORMED: "The answer could not be read",
    OutboundCode.BODY_BROKEN: "What was to be sent is not what it was said to be",
}


class OutboundError(Exception):
    """No answer. Names the host and nothing else of the request."""

    def __init__(self, code: OutboundCode, host: str = "") -> None:
        super().__init__(code, host)
        self.code = code
        self.host = host

    @property
    def sentence(self) -> str:
        place = f" ({self.host})" if self.host else ""
        return f"{TEXTS[self.code]}{place}."

    def __str__(self) -> str:
        return f"{self.code}: {self.sentence}"


class NotSent(OutboundError):
    """Nothing of the request left: refused address, unknown name, no connection, no TLS, or time was up before."""


class MaybeSent(OutboundError):
    """Bytes of the request may have left and there is no answer to rely on."""
