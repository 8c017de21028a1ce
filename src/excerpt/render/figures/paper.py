"""What a figure is drawn on: size, letters, grey, title, style, and which runs stand out."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from excerpt.errors import ExcerptError, UnknownName, listed, short
from excerpt.files import read_bytes

#: Inches of a unit.
_UNITS = {"in": 1.0, "mm": 1 / 25.4, "cm": 1 / 2.54, "pt": 1 / 72}
_LENGTH = re.compile(r"\s*(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s*([a-z]*)\s*", re.IGNORECASE)
#: Inches that a figure may be wide or high, and points that its letters may have.
_SIZES = (1.0, 40.0)
_POINTS = (4.0, 36.0)


@dataclass(frozen=True)
class Paper:
    """The options of a figure; what is None is up to the figure.

    >>> Paper.of({"width": "84mm", "highlight": "bm25, mine"}).highlight
    ('bm25', 'mine')
    """

    #: Inches.
    width: float | None = None
    height: float | None = None
    grey: bool = False
    #: Points.
    font_size: float | None = None
    title: str = ""
    #: Settings of matplotlib from a style file, as text.
    style: Mapping[str, str] | None = None
    #: How many of the best runs stand out, and which others do.
    top: int | None = None
    highlight: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Paper:
        """A paper from options by name, each of them checked; None stands for one that is not given."""
        known = {item.name for item in fields(cls)}
        for name in given:
            if name not in known:
                raise UnknownName("option of a figure", name, known)
        told = {name: value for name, value in given.items() if value is not None}
        checks: dict[str, Callable[[Any], Any]] = {
            "width": length,
            "height": length,
            "grey": bool,
            "font_size": _font_size,
            "title": str,
            "style": read_style,
            "top": _count,
            "highlight": _names,
        }
        return cls(**{name: checks[name](value) for name, value in told.items()})


def length(value: object) -> float:
    """A length in inches: a number, or text with a unit.

    >>> length("3.3in"), length(7), length("72pt"), round(length("84mm"), 3)
    (3.3, 7.0, 1.0, 3.307)
    """
    match = _LENGTH.fullmatch(str(value)) if isinstance(value, int | float | str) else None
    unit = match[2].lower() or "in" if match else ""
    if match is None or isinstance(value, bool) or unit not in _UNITS:
        raise ExcerptError(
            f"found {short(str(value))!r} as length, expected inches or a number with in, mm, cm or pt",
            hint="such as 3.3in or 84mm",
        )
    inches = float(match[1]) * _UNITS[unit]
    least, most = _SIZES
    if not least <= inches <= most:
        raise ExcerptError(
            f"found {short(str(value))!r} as length, expected from {least:g} to {most:g} inches",
            hint="such as 3.3in or 84mm",
        )
    return inches


def _font_size(value: object) -> float:
    """Points."""
    text = str(value).strip().removesuffix("pt")
    try:
        points = math.nan if isinstance(value, bool) else float(text)
    except ValueError:
        points = math.nan
    least, most = _POINTS
    if not least <= points <= most:
        raise ExcerptError(
            f"found {short(str(value))!r} as size of letters, expected from {least:g} to {most:g} points"
        )
    return points


def _count(value: object) -> int:
    """How many runs; 0 for none."""
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ExcerptError(f"found {short(text)!r} as number of best runs, expected a whole number from 0 on")
    return int(text)


def _names(value: object) -> tuple[str, ...]:
    """Names of runs: a list, or text with commas between them."""
    given = value.split(",") if isinstance(value, str) else value
    names = (name.strip() for name in listed(given, str, "highlight", "names of runs"))
    return tuple(dict.fromkeys(filter(None, names)))


def read_style(path: str | os.PathLike[str]) -> Mapping[str, str]:
    """The settings of a style file of matplotlib, by name; every one is checked."""
    if not isinstance(path, str | os.PathLike):
        raise ExcerptError(f"found {short(repr(path))} as style, expected the name of a file")
    from excerpt.render.figures.drawing import require_drawing

    require_drawing("a style")
    import matplotlib as mpl

    name = os.fspath(path)
    try:
        lines = read_bytes(name).decode().splitlines()
    except UnicodeDecodeError:
        raise ExcerptError(
            "found bytes that are no text, expected a style of matplotlib", path=name
        ) from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        text = _without_comment(line)
        key, colon, value = (part.strip() for part in text.partition(":"))
        if not text.strip():
            continue
        if not colon:
            raise ExcerptError(f"found {short(text)!r}, expected `setting: value`", path=name, line=number)
        if key not in mpl.rcParams:
            unknown = UnknownName("setting of matplotlib", key, mpl.rcParams)
            raise ExcerptError(
                unknown.message, path=name, line=number, hint=unknown.hint.partition(" known")[0]
            )
        try:
            checked: Any = mpl.RcParams({key: _unquoted(value)})
            if key == "figure.figsize":
                list(map(length, checked[key]))
        except ExcerptError as error:
            raise ExcerptError(error.message, path=name, line=number) from None
        except (ValueError, TypeError):
            raise ExcerptError(
                f"found {short(value)!r} as {key}, expected a value that matplotlib takes",
                path=name,
                line=number,
            ) from None
        found[key] = _unquoted(value)
    return found


def _without_comment(line: str) -> str:
    """A line up to a # that does not stand between quotes."""
    quoted = False
    for place, character in enumerate(line):
        quoted ^= character == '"'
        if character == "#" and not quoted:
            return line[:place]
    return line


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
