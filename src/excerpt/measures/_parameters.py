"""How a parameter of a measure is read from text and printed, and which values it takes."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from excerpt.model.spans import MAX_OFFSET


@dataclasses.dataclass(frozen=True)
class Parameter:
    """How a parameter is read from text and printed, and which values it takes."""

    parse: Callable[[str], Any]
    show: Callable[[Any], str]
    values: str
    cutoff: bool = False
    example: str = ""


def parameter(kind: Parameter, default: Any) -> Any:
    """A parameter of a measure; `default=None` for a cut-off means "the whole list"."""
    return dataclasses.field(default=default, metadata={"parameter": kind})


def required(kind: Parameter) -> Any:
    """A cut-off without which a measure cannot be computed."""
    return dataclasses.field(default=None, metadata={"parameter": kind, "required": True})


def decimal(text: str) -> Fraction:
    """A decimal number or a fraction, exactly; an error for anything else, however Python would read it."""
    if not re.fullmatch(r"[+-]?\d*\.?\d*(?:[eE][+-]?\d{1,2})?(?:/\d+)?", text.strip(), re.ASCII):
        raise ValueError(text)
    return Fraction(text.strip())


def show_decimal(value: Fraction, places: int = 0) -> str:
    """A fraction as a decimal number with at least so many places, exactly, else as numerator/denominator."""
    rest, digits = value.denominator, 0
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(value)
    while (value * 10**digits).denominator != 1:
        digits += 1
    digits = max(digits, places)
    whole = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (whole if not digits else f"{whole[:-digits]}.{whole[-digits:]}")


def _share(text: str) -> Fraction:
    value = decimal(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


def _positive_share(text: str) -> Fraction:
    value = _share(text)
    if not value:
        raise ValueError(text)
    return value


def _word(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][\w-]*", text):
        raise ValueError(text)
    return text


def _positive(most: int, text: str) -> int:
    value = int(text) if text.isascii() and text.isdecimal() and len(text) < 30 else 0
    if not 1 <= value <= most:
        raise ValueError(text)
    return value


def _positive_number(text: str) -> Fraction:
    value = decimal(text)
    if value <= 0:
        raise ValueError(text)
    return value


def _not_negative(text: str) -> Fraction:
    value = decimal(text)
    if value < 0:
        raise ValueError(text)
    return value


def _one_of(known: dict[str, Any], text: str) -> Any:
    if text.lower() not in known:
        raise ValueError(text)
    return known[text.lower()]


def choice(*values: str) -> Parameter:
    """A parameter that takes one of a few words, in any case."""
    known = {value.lower(): value for value in values}
    return Parameter(partial(_one_of, known), str, f"{', '.join(values[:-1])} or {values[-1]}")


RECALL_LEVEL = Parameter(
    _share, lambda value: show_decimal(value, 2), "a number from 0.00 to 1.00", True, "0.01"
)
POSITIVE_LEVEL = Parameter(
    _positive_share, lambda value: show_decimal(value, 2), "a number above 0.00, up to 1.00", True, "0.10"
)
QUANTISATION = Parameter(_word, str, "the name of a quantisation (see excerpt quantisations)")
LENGTH = Parameter(_positive_number, show_decimal, "a number above 0")
RANK = Parameter(partial(_positive, MAX_OFFSET), str, f"a rank from 1 to {MAX_OFFSET}", True, "10")
COUNT = Parameter(partial(_positive, MAX_OFFSET), str, f"a whole number from 1 to {MAX_OFFSET}")
#: Characters of a whole collection.
TEXT_SIZE = Parameter(partial(_positive, 10**15), str, "a whole number from 1 to 10**15")
SHARE = Parameter(_share, show_decimal, "a number from 0 to 1")
WEIGHT = Parameter(_not_negative, show_decimal, "a number of at least 0")
TRUTH = Parameter(
    partial(_one_of, {"true": True, "false": False}), lambda value: str(value).lower(), "true or false"
)
