"""Numbers and names as Java prints and orders them."""

from __future__ import annotations

import math
from decimal import Decimal


def double_text(value: float) -> str:
    """A double as Java's `Double.toString` writes it: shortest digits, an exponent outside [1e-3, 1e7).

    >>> [double_text(value) for value in (1.0, 0.5, 0.001, 0.00025, 12345678.0, float("nan"), -0.0)]
    ['1.0', '0.5', '0.001', '2.5E-4', '1.2345678E7', 'NaN', '-0.0']
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    return f"{'-' * sign}{text[0]}.{text[1:] or '0'}E{int(exponent) + len(digits) - 1}"


def sort_key(text: str) -> bytes:
    """Orders strings as Java does: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")
