"""Layout of text: widths, wrapping, aligned columns, escaping."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

from excerpt.errors import one_line

_NO_TEXT = "[\ud800-\udfff\ufffe\uffff]"  # surrogates and characters that XML forbids
_MARKDOWN = r"[\\`*|<&~$]|(?<![^\W_])_|_(?![^\W_])|(?<=\])\("
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}"}
)
_GAP = 2
_LEAST = 12  # minimum width of columns of text, unless a word of the heading is longer
_WIDE = {"W", "F"}
_NO_WIDTH = {"Mn", "Me", "Cf"}  # categories of combining marks and format characters
_SOFT_HYPHEN = "\xad"


def plain(text: str) -> str:
    r"""Text with line ends and control characters escaped.

    >>> print(plain("run\x1b[31m\n1"))
    run\x1b[31m\n1
    """
    shown = one_line(text)
    return shown if shown.isascii() else re.sub(_NO_TEXT, lambda match: f"\\u{ord(match[0]):04x}", shown)


def markdown(text: str) -> str:
    r"""Text escaped for a Markdown table.

    >>> print(markdown("a|b"), markdown("my_run"), markdown("_x_"), markdown("<b>"), markdown("iP[0.01]"))
    a\|b my_run \_x\_ \<b> iP[0.01]
    """
    return re.sub(_MARKDOWN, lambda match: "\\" + match[0], plain(text))


def latex(text: str) -> str:
    r"""Text escaped for LaTeX.

    >>> print(latex("50%_x^2"), latex("a--b"), latex("[x]"))
    50\%\_x\textasciicircum{}2 a-{}-b {[}x]
    """
    # Two hyphens would become a dash, and after the end of a row [ and * would belong to its command.
    escaped = plain(text).translate(_LATEX).replace("--", "-{}-").replace("--", "-{}-")
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped[:1] in {"[", "*"} else escaped


def html(text: str) -> str:
    """Text escaped for an HTML element or attribute.

    >>> html("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    from html import escape  # only notebooks and pages need it

    return escape(plain(text))


def spreadsheet(text: str) -> str:
    """Cell that no spreadsheet takes for a formula: a quote precedes = + - and @.

    >>> spreadsheet("=1+1"), spreadsheet("run")
    ("'=1+1", 'run')
    """
    return f"'{text}" if text.lstrip()[:1] in {"=", "+", "-", "@"} else text


def terminal_width(output: str = "-") -> int | None:
    """Width of the terminal that prints the output; None for a file or a pipe."""
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
    """Lines of a table, whose first row is the heading, in blocks of at most `width` columns.

    Columns of numbers are right-aligned. If not all columns fit, the leading columns of text are repeated in
    every block, as long as they take at most half of it. `paint` colours a cell by its row and column.

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
    """Minimum width of a column: words of the heading and numbers are not broken."""
    word = max(map(len, cells[0][column].split()), default=0)
    return max(word, *(len(row[column]) for row in cells[1:])) if number else max(word, _LEAST)


def _narrow(widths: list[int], least: list[int], width: int) -> list[int]:
    """Narrow the widest columns until the table fits; in a table of blocks, text gets half of a line."""
    if sum(map(min, widths, least)) + _GAP * (len(widths) - 1) > width:
        half = (width - _GAP) // 2
        return [min(size, max(few, half)) for size, few in zip(widths, least, strict=True)]
    narrowed = list(widths)
    while sum(narrowed) + _GAP * (len(narrowed) - 1) > width:
        wide = [i for i, size in enumerate(narrowed) if size > least[i]]
        narrowed[max(wide, key=lambda i: narrowed[i])] -= 1
    return narrowed


def _blocks(widths: list[int], right: Sequence[bool], width: int | None) -> list[list[int]]:
    """Indices of the columns of each block."""
    lead = 0
    while lead < len(right) and not right[lead]:
        lead += 1
    if width is not None and sum(widths) + _GAP * (len(widths) - 1) > width:
        while lead > 1 and 2 * (sum(widths[:lead]) + _GAP * lead) > width:  # leave half of a line to others
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


def columns_of(text: str) -> int:
    r"""Width of a text without control characters in terminal columns.

    >>> columns_of("abc"), columns_of("漢字"), columns_of("e\u0301")
    (3, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in _NO_WIDTH and character != _SOFT_HYPHEN:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def cut(text: str, width: int) -> tuple[str, str]:
    """Split a text into the beginning that fits, at least one character, and the rest.

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
    """Lines of complete words; a word that is too long is split.

    >>> list(wrap("one two three", 7))
    ['one two', 'three']
    """
    line = ""
    for word in re.split(r"[ \t\n\r]+", text.strip(" \t\n\r")):  # numbers with thin spaces are not broken
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
    """Lines of complete parts with a gap between them; a part that is too long is wrapped.

    >>> list(wrap_parts(["missed", "not relevant", "x"], 20))
    ['missed  not relevant', 'x']
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
    """Name shortened in the middle: names often differ at their ends.

    >>> shorten_middle("a-long-name-1", 8)
    'a-l…me-1'
    """
    if columns_of(text) <= width:
        return text
    head, _ = cut(text, max((width - 1) // 2, 1))
    tail, _ = cut(text[::-1], max(width - 1 - columns_of(head), 1))
    return f"{head}…{tail[::-1]}"
