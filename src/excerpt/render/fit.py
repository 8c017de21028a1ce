"""Columns that fit the width of a terminal: long texts are wrapped, and many columns stand in blocks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

_GAP = 2
#: Columns of text are not made narrower than this, nor than a word of their heading.
_LEAST = 12


def terminal_width(output: str = "-") -> int | None:
    """How wide the terminal is that the output goes to; None for a file or a pipe."""
    if output != "-" or sys.stdout is None or not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def fit(
    cells: Sequence[Sequence[str]],
    right: Sequence[bool],
    width: int | None,
    paint: Callable[[int, int, str], str] | None = None,
) -> list[list[str]]:
    """The lines of a table (its first row is the heading), in blocks that are no wider than `width`.

    Columns of numbers are aligned to the right. Where columns do not fit side by side, those of text at the
    left are repeated in every block, as long as they leave half of it to the others. What has its place may
    be painted, by its row and column.

    >>> print("\\n".join(fit([["run", "note"], ["a", "short and long words"]], [False, False], 20)[0]))
    run  note
    --------------------
    a    short and long
         words
    """
    widths = [max(len(row[i]) for row in cells) for i in range(len(right))]
    if width is not None:
        widths = _narrow(widths, [_least(cells, i, number=right[i]) for i in range(len(right))], width)
    return [_lines(cells, right, widths, block, paint) for block in _blocks(widths, right, width)]


def _least(cells: Sequence[Sequence[str]], column: int, *, number: bool) -> int:
    """How narrow a column may be: words of the heading and numbers are not broken."""
    word = max(map(len, cells[0][column].split()), default=0)
    return max(word, *(len(row[column]) for row in cells[1:])) if number else max(word, _LEAST)


def _narrow(widths: list[int], least: list[int], width: int) -> list[int]:
    """Take from the widest column that may be narrower until the table fits.

    Where it cannot fit, it is cut into blocks, and a column of text may have half of a line.
    """
    if sum(map(min, widths, least)) + _GAP * (len(widths) - 1) > width:
        half = (width - _GAP) // 2
        return [min(size, max(few, half)) for size, few in zip(widths, least, strict=True)]
    narrowed = list(widths)
    while sum(narrowed) + _GAP * (len(narrowed) - 1) > width:
        wide = [i for i, size in enumerate(narrowed) if size > least[i]]
        narrowed[max(wide, key=lambda i: narrowed[i])] -= 1
    return narrowed


def _blocks(widths: list[int], right: Sequence[bool], width: int | None) -> list[list[int]]:
    """Which columns stand side by side."""
    lead = 0
    while lead < len(right) and not right[lead]:
        lead += 1
    if width is not None and sum(widths) + _GAP * (len(widths) - 1) > width:
        while lead > 1 and 2 * (sum(widths[:lead]) + _GAP * lead) > width:  # half of a line is for the others
            lead -= 1
    leading = list(range(lead))
    blocks = [list(leading)]
    used = start = sum(widths[:lead]) + _GAP * (lead - 1)
    for i in range(lead, len(widths)):
        if width is not None and used + _GAP + widths[i] > width and len(blocks[-1]) > lead:
            blocks.append(list(leading))
            used = start
        blocks[-1].append(i)
        used += _GAP + widths[i]
    return blocks


def _lines(
    cells: Sequence[Sequence[str]],
    right: Sequence[bool],
    widths: list[int],
    block: list[int],
    paint: Callable[[int, int, str], str] | None,
) -> list[str]:
    lines: list[str] = []
    for number, row in enumerate(cells):
        wrapped = [_wrap(row[i], widths[i]) for i in block]
        for place in range(max(map(len, wrapped), default=1)):
            texts = [part[place] if place < len(part) else "" for part in wrapped]
            sides = zip(texts, block, strict=True)
            placed = [text.rjust(widths[i]) if right[i] else text.ljust(widths[i]) for text, i in sides]
            placed[-1:] = [text.rstrip() for text in placed[-1:]]
            if paint is not None:
                placed = [paint(number, i, text) for text, i in zip(placed, block, strict=True)]
            lines.append((" " * _GAP).join(placed).rstrip())
        if not number:
            lines.append("-" * (sum(widths[i] for i in block) + _GAP * (len(block) - 1)))
    return lines


def _wrap(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    import textwrap

    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
