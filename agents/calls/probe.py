"""One harmless question to a provider: does it take this key?"""

from __future__ import annotations

from agents.providers import KINDS
from agents.providers.base import Check, read_check
from agents.providers.outcomes import AiCode
from agents.refusals import AI_PROVIDER_UNREACHABLE
from bakedbrie.lib.outbound.client import KeyAuth, send
from bakedbrie.lib.outbound.errors import OutboundCode, OutboundError
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.web.words import short_reason

TIMEOUT_S = 20.0
OF_OPERATOR = (
    "An address of this machine or network is for the operator to name, as host:port in OUTBOUND_LOOPBACK. "
    "To connect an account afterwards, prepare a new drop first."
)
_TELLING = frozenset({AiCode.DONE, AiCode.KEY_REJECTED, AiCode.QUOTA_EXHAUSTED})


def probe(provider: str, base_url: str, key: KeyAuth) -> Check:
    """Ask for the list of models; a lost answer costs nothing, so asking again is harmless.

    Refuses AI_PROVIDER_UNREACHABLE unless the answer tells something about the key.
    """
    wire = KINDS[provider]
    try:
        answer = send(wire.check(base_url, TIMEOUT_S), auth=key, allow_loopback=True)
    except OutboundError as error:
        raise _unreachable(error.sentence, error.code.value) from None
    check = read_check(wire, answer)
    if check.code not in _TELLING:
        raise _unreachable(f"It says: {short_reason(check.code.value)}.", check.code.value)
    return check


def _unreachable(why: str, reason: str) -> Refused:
    fix = OF_OPERATOR if reason == OutboundCode.ADDRESS_REFUSED else ""
    return AI_PROVIDER_UNREACHABLE(f"{AI_PROVIDER_UNREACHABLE.message} {why}", fix=fix, reason=reason)
