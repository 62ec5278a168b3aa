"""Money in whole micro-dollars."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.money import MICROS_PER_USD, MOST_MICROS, micros_from_usd, show_usd


@pytest.mark.requirement("C074")
@pytest.mark.parametrize(
    ("usd", "micros"),
    [
        ("0.35", 350_000),
        ("0.29", 290_000),
        ("8.20", 8_200_000),
        ("64.10", 64_100_000),
        ("1.005", 1_005_000),
        ("0", 0),
        ("0.0000001", 1),
        ("0.0000010000000000000000000000000000000000000000001", 2),
        ("1e-999999", 1),
        ("-0.0000001", 0),
        ("9223372036854", 9_223_372_036_854_000_000),
        (Decimal("0.1") * 3, 300_000),
    ],
)
def test_a_cost_is_exact_and_rounded_up(usd: str | Decimal, micros: int) -> None:
    assert micros_from_usd(usd) == micros


@pytest.mark.requirement("C074")
@pytest.mark.parametrize(
    "usd", ["NaN", "sNaN", "Infinity", "-Infinity", "0x10", "", "1,000.50", "$5", "9223372036855", "1e999999"]
)
def test_what_is_no_amount_or_too_much_is_refused(usd: str) -> None:
    with pytest.raises(ValueError, match="Money"):
        micros_from_usd(usd)


@pytest.mark.requirement("C074")
@pytest.mark.parametrize("usd", [0.35, 1, True, None])
def test_only_decimals_are_money(usd: object) -> None:
    with pytest.raises(TypeError):
        micros_from_usd(usd)


@pytest.mark.requirement("C074")
@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (350_000, "$0.35"),
        (1, "$0.000001"),
        (4_200, "$0.0042"),
        (0, "$0.00"),
        (1_000_000, "$1.00"),
        (1_234_567_890_000, "$1,234,567.89"),
        (-1_500_000, "-$1.50"),
    ],
)
def test_an_amount_is_shown_with_the_decimals_it_needs(micros: int, text: str) -> None:
    assert show_usd(micros) == text


@given(st.integers(-MOST_MICROS + MICROS_PER_USD, MOST_MICROS - MICROS_PER_USD))
def test_what_is_shown_reads_back_as_the_same_amount(micros: int) -> None:
    assert micros_from_usd(show_usd(micros).replace("$", "").replace(",", "")) == micros


@given(st.decimals(min_value=-(10**12), max_value=10**12, allow_nan=False))
def test_a_cost_is_never_understated_and_never_a_micro_too_much(usd: Decimal) -> None:
    assert micros_from_usd(usd) == ceil(Fraction(usd) * MICROS_PER_USD)
