"""What a call costs at the provider's list price, in whole micro-dollars, or None when that is not known."""

from __future__ import annotations

from datetime import datetime

import genai_prices

from agents.providers.base import Reply, Usage
from agents.states import Provider
from bakedbrie.lib.money import micros_from_usd

_PRICED = frozenset({Provider.ANTHROPIC, Provider.OPENAI})


def cost_micros(provider: str, model: str, reply: Reply, sent_at: datetime) -> int | None:
    """Return the cost of an answered call.

    A request that the provider itself turned down costs nothing. A compatible service may ask any price, and one on
    the operator's own machine may pass calls on to a paid one: its cost is unknown, never nothing.
    """
    if provider not in _PRICED:
        return None
    if reply.usage is not None:
        return _list_price(provider, model, reply.usage, sent_at)
    return 0 if 400 <= reply.http_status < 500 or reply.http_status == 529 else None


def most_micros(provider: str, model: str, usage: Usage, sent_at: datetime) -> int | None:
    """Return what a call of this size would cost at the list price, before it is sent."""
    return _list_price(provider, model, usage, sent_at) if provider in _PRICED else None


def _list_price(provider: str, model: str, usage: Usage, sent_at: datetime) -> int | None:
    counted = genai_prices.Usage(
        input_tokens=usage.read,
        output_tokens=usage.written,
        cache_read_tokens=usage.cache_read or None,
        cache_write_tokens=usage.cache_written or None,
    )
    try:
        price = genai_prices.calc_price(counted, model, provider_id=provider, genai_request_timestamp=sent_at)
    except (LookupError, ValueError):  # a model that the table does not hold, or counts that contradict each other
        return None
    return micros_from_usd(price.total_price)
