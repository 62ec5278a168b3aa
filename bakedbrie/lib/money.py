"""Money in whole micro-dollars: 1 USD is 1,000,000 micros. Floats never hold money."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation

MICROS_PER_USD = 1_000_000
MOST_MICROS = 2**63 - 1  # what a column holds

_UP = Context(prec=40, rounding=ROUND_CEILING)


def micros_from_usd(usd: object) -> int:
    """Return micros, rounded up so that a cost is never understated.

    Raises TypeError for a float, ValueError for what is no number or more than a column holds.
    """
    if not isinstance(usd, Decimal | str):
        raise TypeError("Money is a Decimal or a decimal text, never a float.")
    try:
        amount = Decimal(usd)
    except InvalidOperation:
        raise ValueError("Money is a number.") from None
    if not amount.is_finite() or abs(amount) > MOST_MICROS // MICROS_PER_USD:
        raise ValueError("Money is a finite number of at most 9,223,372,036,854 dollars.")
    return int(_UP.multiply(amount, Decimal(MICROS_PER_USD)).to_integral_value(rounding=ROUND_CEILING))


def show_usd(micros: int) -> str:
    """Return text such as ``$0.0042``: at least two decimals, as many as the amount needs."""
    sign = "-" if micros < 0 else ""
    whole, rest = divmod(abs(micros), MICROS_PER_USD)
    decimals = f"{rest:06d}".rstrip("0").ljust(2, "0")
    return f"{sign}${whole:,}.{decimals}"
