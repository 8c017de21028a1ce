"""How wide text is on a terminal, in columns, and where it is broken."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

_WIDE = {"W", "F"}
#: Marks on other characters, and characters that only steer others.
_NO_WIDTH = {"Mn", "Me", "Cf"}
_SOFT_HYPHEN = "\xad"
#: Where lines may be broken: not at thin spaces in numbers.


def columns_of(text: str) -> int:
    r"""How many columns a terminal takes for a text without control characters.

    >>> columns_of("abc"), columns_of("漢字"), columns_of("e\u0301")
    (3, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in _NO_WIDTH and character != _SOFT_HYPHEN:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def cut(text: str, width: int) -> tuple[str, str]:
    """The beginning of a text that fits, at least one character of it, and the rest.

    >>> cut("漢字", 3), cut("abc", 5)
    (('漢', '字'), ('abc', ''))
    """
    used = 0
    for place, character in enumerate(text):
        used += _columns(character)
        if used > width and place:
            return text[:place], text[place:]
    return text, ""


def wrap(text: str, width: int) -> Iterator[str]:
    """Lines of whole words; a word that is too long is cut.

    >>> list(wrap("one two three", 7))
    ['one two', 'three']
    """
    line = ""
    for word in re.split(r"[ \t\n\r]+", text.strip(" \t\n\r")):
        longer = f"{line} {word}" if line else word
        if columns_of(longer) <= width:
            line = longer
            continue
        if line:
            yield line
        line = word
        while columns_of(line) > width:
            head, rest = cut(line, width)
            if not rest:
                break
            yield head
            line = rest
    if line:
        yield line


def wrap_parts(parts: Iterable[str], width: int, gap: str = "  ") -> Iterator[str]:
    """Lines of whole parts with a gap between them; a part that is too long is wrapped by itself.

    >>> list(wrap_parts(["in vain", "not judged", "x"], 20))
    ['in vain  not judged', 'x']
    """
    line = ""
    for part in parts:
        longer = f"{line}{gap}{part}" if line else part
        if columns_of(longer) > width and line:
            yield line
            longer = part
        *full, line = list(wrap(longer, width)) if columns_of(longer) > width else [longer]
        yield from full
    if line:
        yield line


def shorten_middle(text: str, width: int) -> str:
    """A name without its middle where it is too long: names differ at their ends.

    >>> shorten_middle("a-long-name-1", 8)
    'a-l…me-1'
    """
    if columns_of(text) <= width:
        return text
    head, _ = cut(text, max((width - 1) // 2, 1))
    tail, _ = cut(text[::-1], max(width - 1 - columns_of(head), 1))
    return f"{head}…{tail[::-1]}"
