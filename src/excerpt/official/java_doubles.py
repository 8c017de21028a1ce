"""Floating-point numbers as Java divides, adds and prints them, and exponentials as it rounds them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

#: Below it, powers of e are usual numbers; means of logarithms are far below.
_USUAL = 700.0
#: Entries of the table of powers of 2 per doubling.
_STEPS = 64
#: log(2) / 64 in two parts, the first with so few bits that its multiples are exact.
_HIGH = float.fromhex("0x1.62e42fefa0000p-7")
_LOW = float.fromhex("0x1.cf79abc9e3b39p-46")
#: The polynomial y + c2 y² + … + c6 y⁶ nearest to exp(y) - 1 for y from -log(2)/64 to log(2)/64.
_C2, _C3, _C4, _C5, _C6 = map(
    float.fromhex,
    (
        "0x1p-1",
        "0x1.5555555548f87p-3",
        "0x1.5555555545e65p-5",
        "0x1.11115b789fd68p-7",
        "0x1.6c1728991d5f2p-10",
    ),
)


def divided(over: float, under: float) -> float:
    """Divide as Java does, also by 0."""
    if under:
        return over / under
    return math.nan if not over or math.isnan(over) else math.copysign(math.inf, over)


def added(values: Iterable[float]) -> float:
    """Sum of values that are added one after the other; Python's own sum is more exact."""
    total = 0.0
    for value in values:
        total += value
    return total


def double_text(value: float) -> str:
    """Print a double like Java's `Double.toString`: shortest digits, an exponent outside [1e-3, 1e7).

    >>> [double_text(value) for value in (1.0, 0.5, 0.001, 0.00025, 12345678.0, float("nan"), -0.0)]
    ['1.0', '0.5', '0.001', '2.5E-4', '1.2345678E7', 'NaN', '-0.0']
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    from decimal import Decimal  # seldom needed

    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    return f"{'-' * sign}{text[0]}.{text[1:] or '0'}E{int(exponent) + len(digits) - 1}"


@cache
def _powers() -> list[tuple[float, float]]:
    """2^(j/64), rounded down, and the rest in proportion to it, for j from 0 to 63."""
    from decimal import Context, Decimal

    exact, found = Context(prec=60), []
    for step in range(_STEPS):
        power = exact.exp(exact.divide(exact.multiply(exact.ln(Decimal(2)), Decimal(step)), Decimal(_STEPS)))
        whole = float(power)
        if Decimal(whole) > power:
            whole = math.nextafter(whole, 0)
        found.append((whole, float(exact.divide(power - Decimal(whole), Decimal(whole)))))
    return found


def exponential(value: float) -> float:
    """Power of e as Java's `Math.exp` has it, whose last digit differs from C's in one of some 200 cases.

    It is 2^n · 2^(j/64) · exp(y), from a table of powers and a polynomial, with double arithmetic in an order
    that decides close cases.

    >>> exponential(-3.571741852301796), math.exp(-3.571741852301796)
    (0.028106853030094914, 0.02810685303009491)
    """
    if not abs(value) < _USUAL:
        return math.inf if value > _USUAL else math.exp(value)
    count = round(value / (_HIGH + _LOW))
    y = (value - count * _HIGH) - count * _LOW
    shift, step = divmod(count, _STEPS)
    power, rest = _powers()[step]
    square = y * y
    cube = y * square
    few = (y + rest) + cube * square * (_C5 + _C6 * y)
    growth = (cube * (_C3 + _C4 * y) + few) + _C2 * square
    return math.ldexp(growth * power + power, shift)
