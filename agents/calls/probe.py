"""One harmless question to a provider: does it take this key?"""

from __future__ import annotations

from agents.providers import KINDS
from agents.providers.base import Check, read_check
from agents.providers.outcomes import AiCode
from agents.refusals import AI_PROVIDER_UNREACHABLE
from bakedbrie.lib.outbound.client import KeyAuth, send
from bakedbrie.lib.outbound.errors import OutboundError

TIMEOUT_S = 20.0
_TELLING = frozenset({AiCode.DONE, AiCode.KEY_REJECTED, AiCode.QUOTA_EXHAUSTED})


def probe(provider: str, base_url: str, key: KeyAuth) -> Check:
    """Ask for the list of models; a lost answer costs nothing, so asking again is harmless.

    Refuses AI_PROVIDER_UNREACHABLE unless the answer tells something about the key.
    """
    wire = KINDS[provider]
    try:
        answer = send(wire.check(base_url, TIMEOUT_S), auth=key, allow_loopback=True)
    except OutboundError as error:
        raise AI_PROVIDER_UNREACHABLE(reason=error.code.value) from None
    check = read_check(wire, answer)
    if check.code not in _TELLING:
        raise AI_PROVIDER_UNREACHABLE(reason=check.code.value)
    return check
