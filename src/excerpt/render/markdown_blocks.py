"""Markdown as people read it: its blocks and the type of its words; offsets stay those of the source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from excerpt.placing.markup import markdown_parts, prose_of
from excerpt.render.blocks import Block

_KINDS = {"md", "mdx", "ipynb"}
_HEADING = re.compile(r"[ ]{0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r"[ ]{0,3}(=+|-{2,})[ \t]*$")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)[ \t]*")
_RULE = re.compile(r"[ \t]*(?:[*](?:[ \t]*[*]){2,}|_(?:[ \t]*_){2,}|-(?:[ \t]*-){2,})[ \t]*$")
_QUOTE = re.compile(r"[ ]{0,3}>")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")
_ROWS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_BAR = re.compile(r"(?<!\\)\|")
_FRONT = re.compile(r"---[ \t]*\r?\n.*?\n(?:---|\.\.\.)[ \t]*(?=\r?\n|$)", re.DOTALL)
_TAB = 4


def is_markdown(kind: str) -> bool:
    """Return whether documents of a kind are shown as Markdown; other text may have stars that are none.

    >>> is_markdown("md"), is_markdown("txt")
    (True, False)
    """
    return kind in _KINDS


class _Line(NamedTuple):
    """A line of the source, without its end."""

    start: int
    end: int
    text: str

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def markdown_blocks(text: str) -> list[Block]:
    r"""Blocks of Markdown, in order, each with the number of blocks around it.

    >>> markdown_blocks("# A\n\nWords.\n\n- one\n")
    [['heading', 0, 0, 3, 1], ['paragraph', 0, 5, 11], ['list', 0, 13, 18], ['item', 1, 13, 18]]
    """
    blocks: list[Block] = []
    begin = front.end() if (front := _FRONT.match(text)) else 0
    if front:
        blocks.append(["code", 0, 0, begin])
    at = begin
    for start, end in prose_of(text):
        if start - at > 1 and text[at:start].strip():
            blocks.append(["code", 0, at, start])
        lines = _lines(text, max(start, begin), end)
        blocks += _of_lines(lines, 0)
        at = max(end, begin)
    if text[at:].strip():
        blocks.append(["code", 0, at, len(text)])
    return blocks


def _lines(text: str, start: int, end: int) -> list[_Line]:
    lines = []
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        own = text[start:stop].rstrip("\r")
        lines.append(_Line(start, start + len(own), own))
        start = stop + 1
    return lines


def _of_lines(lines: Sequence[_Line], depth: int) -> Iterator[Block]:
    """Yield the blocks of some lines at a depth."""
    at = 0
    while at < len(lines):
        line = lines[at]
        following = lines[at + 1].text if at + 1 < len(lines) else ""
        if line.is_blank or _RULE.match(line.text):
            at += 1
        elif found := _HEADING.match(line.text):
            yield ["heading", depth, line.start, line.end, len(found[1])]
            at += 1
        elif "|" in line.text and "|" in following and _ROWS.match(following):
            many = _count(lines[at:], lambda one: "|" in one.text)
            yield from _table(lines[at : at + many], depth)
            at += many
        elif _ITEM.match(line.text):
            many = _length_of_list(lines[at:])
            yield from _list(lines[at : at + many], depth)
            at += many
        elif _QUOTE.match(line.text):
            many = _count(lines[at:], lambda one: not one.is_blank)
            last = lines[at + many - 1]
            yield from (
                ["quote", depth, line.start, last.end],
                ["paragraph", depth + 1, line.start, last.end],
            )
            at += many
        elif _INDENTED.match(line.text):
            many = _count(lines[at:], lambda one: _INDENTED.match(one.text) is not None)
            yield ["code", depth, line.start, lines[at + many - 1].end]
            at += many
        else:
            many = 1 + _count(lines[at + 1 :], lambda one: not _interrupts(one))
            last = lines[at + many - 1]
            under = _UNDERLINE.match(lines[at + many].text) if at + many < len(lines) else None
            if under is None:
                yield ["paragraph", depth, line.start, last.end]
            else:
                yield ["heading", depth, line.start, lines[at + many].end, 1 if under[1][0] == "=" else 2]
            at += many + (under is not None)


def _count(lines: Iterable[_Line], fits: Callable[[_Line], bool]) -> int:
    """Count the first lines that fit."""
    return sum(1 for _ in takewhile(fits, lines))


def _interrupts(line: _Line) -> bool:
    """Return whether a line ends the paragraph above it."""
    starts = (_HEADING, _UNDERLINE, _RULE, _ITEM, _QUOTE)
    return line.is_blank or any(pattern.match(line.text) for pattern in starts)


def _indent(line: _Line) -> int:
    return len(line.text.expandtabs(_TAB)) - len(line.text.expandtabs(_TAB).lstrip())


def _length_of_list(lines: Sequence[_Line]) -> int:
    """Count the lines of a list: its items, what is indented under them, and what goes on without a gap."""
    count, gap, own = 0, False, _indent(lines[0])
    for number, line in enumerate(lines):
        if line.is_blank:
            gap = True
            continue
        is_item = _ITEM.match(line.text) is not None and not _RULE.match(line.text)
        if not is_item and ((gap and _indent(line) <= own) or _HEADING.match(line.text)):
            break
        count, gap = number + 1, False
    return count


def _list(lines: Sequence[_Line], depth: int) -> Iterator[Block]:
    """Yield a list with its items; an item that is indented further begins a list inside of one."""
    own = _indent(lines[0])
    starts = [
        number
        for number, line in enumerate(lines)
        if _ITEM.match(line.text) and not _RULE.match(line.text) and _indent(line) <= own + 1
    ]
    yield ["list", depth, lines[0].start, lines[-1].end]
    for first, after in zip(starts, [*starts[1:], len(lines)], strict=True):
        item = [line for line in lines[first:after] if not line.is_blank]
        yield ["item", depth + 1, item[0].start, item[-1].end]
        inner = next((row for row, line in enumerate(item[1:], 1) if _ITEM.match(line.text)), None)
        if inner is not None and _indent(item[inner]) > own + 1:
            yield from _list(item[inner:], depth + 2)


def _table(lines: Sequence[_Line], depth: int) -> Iterator[Block]:
    yield ["table", depth, lines[0].start, lines[-1].end]
    for number, line in enumerate(lines):
        if number == 1:  # the rule under the head
            continue
        yield ["row", depth + 1, line.start, line.end]
        bars = [match.start() for match in _BAR.finditer(line.text)]
        begin = [0, *(bar + 1 for bar in bars)]
        end = [*bars, len(line.text)]
        for low, high in zip(begin, end, strict=True):
            if line.text[low:high].strip():
                yield ["head" if number == 0 else "cell", depth + 2, line.start + low, line.start + high]


def markdown_types(text: str) -> list[list[object]]:
    """Disjoint stretches of Markdown with their type: `[start, end, "markup"]`, or words such as `strong`.

    >>> markdown_types("a **b** c")
    [[2, 4, 'markup'], [4, 5, 'strong'], [5, 7, 'markup']]
    """
    parts = markdown_parts(text)
    typed = [*((*span, "markup") for span in parts.markup), *parts.styled]
    changes = sorted(
        [(start, 1, name) for start, _, name in typed] + [(end, -1, name) for _, end, name in typed]
    )
    found: list[list[object]] = []
    open_: Counter[str] = Counter()
    before = 0
    for at, change, name in changes:
        if at > before and (names := sorted(one for one, count in open_.items() if count)):
            found.append([before, at, "markup" if "markup" in names else ".".join(names)])
        open_[name] += change
        before = at
    return found
