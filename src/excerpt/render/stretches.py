"""A document as a sequence of bits: text in one state, breaks between blocks, and what is left out."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from excerpt.render.blocks import Block, blocks_of
from excerpt.view.topic_view import Look, Piece

Kind: TypeAlias = Literal["text", "line", "blank", "cell", "gap", "rank", "point"]

#: Where blocks begin and end: an empty line, a new line, or a bar between cells.
_BREAKS: Mapping[str, Kind] = {
    **dict.fromkeys(("section", "heading", "paragraph", "list", "table", "figure", "quote", "code"), "blank"),
    **dict.fromkeys(("item", "row", "caption", "reference", "text"), "line"),
    **dict.fromkeys(("cell", "head"), "cell"),
}
_STRENGTH: tuple[Kind, ...] = ("cell", "line", "blank")
#: Stretches that are shorter are not worth leaving out.
_LEAST_GAP = 120
#: So many times the context is shown of each end of long relevant text.
_MORE = 4
_WORD = 20  # how far a stretch grows so as not to begin or end inside a word
_LINES = re.compile(r"[^\S\n]*\n\s*")


class Bit(NamedTuple):
    """What comes next: text in a state, a break, the rank of a result, or how much is left out."""

    kind: Kind
    text: str = ""
    piece: Piece | None = None
    #: Ranks that appear for the first time; or characters left out, and how many of them were retrieved.
    numbers: tuple[int, ...] = ()


def bits_of(
    look: Look, *, context: int, top: int, whole: bool, blocks: Mapping[str, str] | None = None
) -> Iterator[Bit]:
    """The text of a document: all of it, or what is relevant or among the first `top` results, in context."""
    if look.document is None:
        return
    rows = blocks_of(look.document, blocks)
    size = len(look.document.text)
    shown = [(0, size)] if whole else windows(look, context=context, top=top)
    yield from _Walk(look, rows).bits(shown)


def windows(look: Look, *, context: int, top: int) -> list[tuple[int, int]]:
    """Stretches of text to show, in order."""
    document = look.document
    assert document is not None, "without text there is nothing to show"
    shown = [(start, end, _MORE * context) for start, end in look.relevant]
    shown += [(start, end, context) for start, end, rank in look.results if rank <= top]
    found: list[tuple[int, int]] = []
    for start, end, ends in shown:
        if end - start > 2 * ends + _LEAST_GAP:
            found += [(start - context, start + ends), (end - ends, end + context)]
        else:
            found.append((start - context, end + context))
    return _joined((_whole_words(document.text, *window) for window in sorted(found)), len(document.text))


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    start, end = max(start, 0), min(end, len(text))
    start = min(start, max(end - 1, 0))  # a point may be behind the text
    for _ in range(_WORD):
        if start > 0 and not text[start - 1].isspace():
            start -= 1
        if end < len(text) and not text[end].isspace():
            end += 1
    return start, end


def _joined(found: Iterable[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in found:
        if joined and start - joined[-1][1] < _LEAST_GAP:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start if start >= _LEAST_GAP else 0, end))
    if joined and size - joined[-1][1] < _LEAST_GAP:
        joined[-1] = (joined[-1][0], size)
    return joined


class _Walk:
    """Goes through the text from one change to the next."""

    def __init__(self, look: Look, rows: Sequence[Block]) -> None:
        assert look.document is not None
        self._text = look.document.text
        self._pieces = look.pieces
        self._starts = [piece.start for piece in look.pieces]
        self._is_plain = look.document.elements is None
        self._breaks = _breaks(rows)
        self._points: dict[int, list[int]] = {}  # ranks of results without text, by their places
        for start, end, rank in look.results:
            if start == end:
                self._points.setdefault(start, []).append(rank)
        ends = (place for piece in look.pieces for place in piece[:2])
        self._changes = sorted({*self._breaks, *ends, *self._points})
        self._code = [(row[2], row[3]) for row in rows if row[0] == "code"]
        self._seen: set[int] = set()

    def bits(self, shown: Sequence[tuple[int, int]]) -> Iterator[Bit]:
        """The bits of these stretches, with what lies between them counted."""
        reached = 0
        for start, end in shown:
            if start > reached:
                yield self._gap(reached, start)
            yield from self._window(start, end)
            reached = end
        if reached < len(self._text):
            yield self._gap(reached, len(self._text))

    def _gap(self, start: int, end: int) -> Bit:
        near = self._pieces[max(bisect_right(self._starts, start) - 1, 0) : bisect_right(self._starts, end)]
        retrieved = sum(
            max(min(piece.end, end) - max(piece.start, start), 0) for piece in near if piece.ranks
        )
        return Bit("gap", numbers=(end - start, retrieved))

    def _window(self, start: int, end: int) -> Iterator[Bit]:
        first, last = bisect_right(self._changes, start), bisect_left(self._changes, end)
        ordered = [start, *self._changes[first:last], end]
        for place, following in zip(ordered, [*ordered[1:], end], strict=True):
            if place in self._breaks and start < place < end:
                yield Bit(self._breaks[place])
            for rank in self._points.get(place, ()):
                yield Bit("point", numbers=(rank,))
            if place < following:
                yield from self._stretch(place, following)

    def _stretch(self, start: int, end: int) -> Iterator[Bit]:
        """Text in which nothing changes."""
        number = bisect_right(self._starts, start) - 1
        piece = self._pieces[number] if number >= 0 and self._pieces[number].end > start else None
        if piece is not None:
            new = tuple(rank for rank in piece.ranks if rank not in self._seen)
            self._seen.update(new)
            if new:
                yield Bit("rank", numbers=new)
        text = self._text[start:end]
        if not self._is_plain and not any(low <= start < high for low, high in self._code):
            yield Bit("text", text, piece)
            return
        reached = 0
        for match in _LINES.finditer(text):
            yield Bit("text", text[reached : match.start()], piece)
            yield Bit("blank" if match[0].count("\n") > 1 else "line")
            reached = match.end()
        yield Bit("text", text[reached:], piece)


def _breaks(rows: Sequence[Block]) -> dict[int, Kind]:
    """What comes before the text at each place; of blocks that begin or end there the outermost decides."""
    begins: dict[int, Kind] = {}
    ends: dict[int, Kind] = {}
    row_depth: int | None = None
    for kind, depth, start, end, *_ in rows:
        if row_depth is not None and depth <= row_depth:
            row_depth = None
        if row_depth is not None and depth > row_depth + 1:
            continue  # blocks in cells stay on their line
        if kind == "row":
            row_depth = depth
        begins.setdefault(start, _BREAKS[kind])
        ends.setdefault(end, _BREAKS[kind])
    return {
        place: max((found[place] for found in (begins, ends) if place in found), key=_STRENGTH.index)
        for place in begins.keys() | ends.keys()
    }
