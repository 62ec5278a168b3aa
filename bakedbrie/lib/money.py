"""Money in whole micro-dollars: 1 USD is 1,000,000 micros. Floats never hold money."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

MICROS_PER_USD = 1_000_000


def micros_from_usd(usd: object) -> int:
    """Return micros, rounded up so that a cost is never understated. Refuses floats and values that are no number."""
    if not isinstance(usd, Decimal | str):
        raise TypeError("Money is a Decimal or a decimal text, never a float.")
    amount = Decimal(usd)
    if not amount.is_finite():
        raise ValueError("Money is a finite number.")
    return int((amount * MICROS_PER_USD).to_integral_value(rounding=ROUND_CEILING))


def show_usd(micros: int) -> str:
    """Return text such as ``$0.0042``: at least two decimals, as many as the amount needs."""
    sign = "-" if micros < 0 else ""
    whole, rest = divmod(abs(micros), MICROS_PER_USD)
    decimals = f"{rest:06d}".rstrip("0").ljust(2, "0")
    return f"{sign}${whole:,}.{decimals}"
