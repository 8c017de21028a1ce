"""Marked text as lines of a terminal: ranks at the side, then text, in colours or with marks around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from excerpt.render.columns import columns_of, cut
from excerpt.render.escape import plain
from excerpt.render.stretches import Bit
from excerpt.view.topic_view import Piece
from excerpt.view.verdicts import whole

#: Columns for ranks at the left of the text and for the sign of the strongest state of a line.
MARGIN = 12
_RANKS = MARGIN - 3
#: Signs at the margin, strongest first.
SIGNS = {"missed": "┆", "hit": "┃", "unjudged": ":", "vain": "·"}
#: Marks around relevant text, retrieved text, and text that was retrieved again.
MARKS = (("[[", "]]"), ("\u2039", "\u203a"), ("«", "»"))
#: White on blue and black on orange, both underlined; dim; dim and slanted; what is not text; headings.
_COLOURS = {
    "hit": "4;38;5;231;48;5;25",
    "missed": "4;38;5;16;48;5;216",
    "vain": "2",
    "unjudged": "2;3",
    "faint": "2",
    "strong": "1",
}
_AGAIN = ";1;53"  # strong, with a line above it
#: What may stand between two words, weakest first.
_BETWEEN = ("", "space", "cell", "line", "blank")


def paint(text: str, style: str) -> str:
    """Text in the colours of a style: a state, perhaps with `again` behind it; as it is without one."""
    state, _, again = style.partition(" ")
    return f"\x1b[{_COLOURS[state]}{_AGAIN if again else ''}m{text}\x1b[0m" if state else text


def style_of(piece: Piece | None) -> str:
    """The style of text in a piece."""
    return "" if piece is None else piece.state + (" again" if piece.again else "")


def marks_between(one: Piece | None, other: Piece | None) -> tuple[str, str]:
    """The marks that end what ends and begin what begins between two stretches of text."""
    if one is other:
        return "", ""
    before, after = (
        (piece is not None and piece.relevant, bool(piece and piece.ranks), piece is not None and piece.again)
        for piece in (one, other)
    )
    stays = [first and second for first, second in zip(before, after, strict=True)]
    if one is not None and other is not None and not set(one.ranks) & set(other.ranks):
        stays[1] = stays[2] = False  # another result begins here
    closing = [mark[1] for mark, was, on in zip(MARKS, before, stays, strict=True) if was and not on]
    opening = [mark[0] for mark, on, was in zip(MARKS, after, stays, strict=True) if on and not was]
    return "".join(reversed(closing)), "".join(opening)


@dataclass
class _Part:
    """A word, or a line of words: texts with their styles."""

    runs: list[tuple[str, str]] = field(default_factory=list)
    width: int = 0
    ranks: list[int] = field(default_factory=list)
    states: set[str] = field(default_factory=set)

    def put(self, text: str, style: str) -> None:
        """More text."""
        self.runs.append((text, style))
        self.width += columns_of(text)

    def extend(self, other: _Part) -> None:
        """All of another part."""
        self.runs += other.runs
        self.width += other.width
        self.ranks += other.ranks
        self.states |= other.states


def lines_of(bits: Iterable[Bit], width: int, *, colours: bool) -> Iterator[str]:
    """The lines of a document, no wider than `width`."""
    flow = _Flow(max(width - MARGIN, 2), colours=colours)
    for bit in bits:
        flow.take(bit)
    flow.close()
    return (_draw(line, colours=colours) for line in flow.lines)


class _Flow:
    """Fills lines with words. A word is kept back until the next one comes, since marks may end with it."""

    def __init__(self, width: int, *, colours: bool) -> None:
        self.lines: list[_Part] = []
        self._width = width
        self._colours = colours
        self._line = _Part()
        self._word = _Part()
        self._piece: Piece | None = None  # of the word
        self._between = ""  # what comes behind the word
        self._blank = ""  # the style of the blank before the word
        self._ranks: tuple[int, ...] = ()

    def take(self, bit: Bit) -> None:
        """What comes next."""
        if bit.kind == "text":
            self._text(bit.text, bit.piece)
        elif bit.kind == "rank":
            self._ranks += bit.numbers
        elif bit.kind == "point":
            self._between = max(self._between, "space", key=_BETWEEN.index)
            self._step(self._piece)
            self._word.put(f"▸#{bit.numbers[0]}", "strong")
            self._between = "space"
        elif bit.kind == "gap":
            self._gap(*bit.numbers)
        else:
            self._between = max(self._between, bit.kind, key=_BETWEEN.index)

    def close(self) -> None:
        """End the last line."""
        self._between = "line"
        self._step(None)

    def _text(self, text: str, piece: Piece | None) -> None:
        words = text.split()
        if text[:1].isspace():
            self._between = self._between or "space"
        for number, word in enumerate(words):
            if number:
                self._between = "space"
            self._step(piece)
            self._word.put(plain(word), style_of(piece))
            self._word.ranks += self._ranks
            self._ranks = ()
            if piece is not None:
                self._word.states.add(piece.state)
        if words and text[-1].isspace():
            self._between = "space"

    def _step(self, piece: Piece | None) -> None:
        """Go on to text in this piece: marks end with the word before and begin with the word behind."""
        closing, opening = ("", "") if self._colours else marks_between(self._piece, piece)
        if closing:
            self._word.put(closing, "")
        if self._between:
            self._flush()
            self._blank = style_of(piece) if style_of(self._piece) == style_of(piece) else ""
        if self._between == "cell":
            self._blank = ""
            self._word.put("│", "faint")
            self._flush()
        elif self._between in {"line", "blank"}:
            self._end_line()
            if self._between == "blank" and self.lines and self.lines[-1].runs:
                self.lines.append(_Part())
        if opening:
            self._word.put(opening, "")
        self._between, self._piece = "", piece

    def _flush(self) -> None:
        """Put the word on the line, or on the next one where it does not fit."""
        word, self._word = self._word, _Part()
        if not word.runs:
            return
        space = 1 if self._line.runs else 0
        if self._line.width + space + word.width > self._width:
            self._end_line()
            space = 0
        if space:
            self._line.put(" ", self._blank)
        while word.width > self._width:
            word = self._split(word)
        self._line.extend(word)

    def _split(self, word: _Part) -> _Part:
        """Fill a line with the beginning of a long word; the rest of it."""
        self._line.ranks += word.ranks
        self._line.states |= word.states
        rest = _Part(states=word.states)
        room = self._width
        for text, style in word.runs:
            head, tail = cut(text, room) if room > 0 else ("", text)
            if columns_of(head) > room and self._line.runs:  # a wide character for one column
                head, tail = "", text
            if head:
                self._line.put(head, style)
            if tail:
                rest.put(tail, style)
            room = 0 if tail else room - columns_of(head)
        self._end_line()
        return rest

    def _end_line(self) -> None:
        if self._line.runs:
            self.lines.append(self._line)
            self._line = _Part()

    def _gap(self, count: int, retrieved: int) -> None:
        """A line that says how much is left out."""
        self.close()
        of = f", {whole(retrieved)} of them retrieved" if 0 < retrieved < count else ""
        of = ", all retrieved" if retrieved == count else of
        self._line.put(cut(f"… {whole(count)} characters{of} …", self._width)[0], "faint")
        self._end_line()


def _draw(line: _Part, *, colours: bool) -> str:
    sign = next((sign for state, sign in SIGNS.items() if state in line.states), " ")
    margin = f"{_label(line.ranks):>{_RANKS}} {sign} "
    texts = [
        ("".join(text for text, _ in runs), style) for style, runs in groupby(line.runs, key=itemgetter(1))
    ]
    texts.insert(0, (margin, "faint" if margin.strip() else ""))
    return "".join(paint(*text) if colours else text[0] for text in texts).rstrip()


def _label(ranks: list[int]) -> str:
    """Ranks as far as there is room for them."""
    shown = ""
    for number, rank in enumerate(ranks):
        more = f" +{len(ranks) - number - 1}" if number + 1 < len(ranks) else ""
        longer = f"{shown} #{rank}".lstrip()
        if number and len(longer) + len(more) > _RANKS:
            return f"{shown} +{len(ranks) - number}"
        shown = longer
    return shown
