"""What the value of an experiment's option may be, as text or in a record; loads no numbers."""

from __future__ import annotations

from typing import Any

from excerpt.errors import UnknownName, short
from excerpt.stats import TEST_NAMES

#: A number of more digits is no number of anything.
_DIGITS = 18


def whole(value: Any, least: int = 1, most: int | None = None) -> int:
    """A whole number of at least 1, or what is least; `most` is the largest, where there is one."""
    text = str(value)
    is_whole = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    number = int(text) if is_whole and not isinstance(value, bool) else least - 1
    if number < least or (most is not None and number > most):
        range_ = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"found {short(text)!r}, expected a whole number {range_}")
    return number


def share(value: Any, *, zero: bool = False) -> float:
    """A number between 0 and 1, or also `zero`."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not (0 < number < 1 or (zero and number == 0)):
        range_ = "from 0 to below 1" if zero else "between 0 and 1"
        raise ValueError(f"found {str(value)!r}, expected a number {range_}")
    return number


def numbers(value: Any) -> tuple[int, ...]:
    """Whole numbers, with commas between them as text."""
    parts = [part for part in value.split(",") if part.strip()] if isinstance(value, str) else value
    try:
        found = tuple(whole(part.strip() if isinstance(part, str) else part) for part in parts)
    except (TypeError, ValueError):
        found = ()
    if not found:
        raise ValueError(f"found {str(value)!r}, expected whole numbers of at least 1")
    return tuple(dict.fromkeys(found))


def per_cent(value: Any) -> tuple[int, ...]:
    """Levels: whole numbers from 1 to 100."""
    found = numbers(value)
    if max(found) > 100:
        raise ValueError(f"found level {max(found)}, expected a percentage from 1 to 100")
    return found


def tests(value: Any) -> tuple[str, ...]:
    """Names of tests."""
    found = names(value)
    for unknown in [name for name in found if name not in TEST_NAMES]:
        raise UnknownName("test", unknown, TEST_NAMES)
    if not found:
        raise ValueError(f"found no test, expected at least one of {', '.join(TEST_NAMES)}")
    return tuple(dict.fromkeys(found))


def differences(value: Any) -> tuple[float, ...]:
    """Differences of scores above 0, with commas between them as text; one number is one of them."""
    parts = value.split(",") if isinstance(value, str) else value
    try:
        found = tuple(map(float, [parts] if isinstance(parts, int | float) else parts))
    except (TypeError, ValueError):
        found = ()
    if not found or not all(0 < number < float("inf") for number in found):
        raise ValueError(f"found {str(value)!r}, expected differences above 0")
    return tuple(dict.fromkeys(found))


def names(value: Any) -> tuple[str, ...]:
    """Names, with commas between them as text."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        raise ValueError(f"found {str(value)!r}, expected names separated by commas")  # noqa: TRY004
    return tuple(filter(None, (str(part).strip() for part in parts)))
