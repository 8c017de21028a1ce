"""Text of one topic of a run, with relevant and retrieved text marked, for terminals and notebooks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias, Unpack

from excerpt.errors import ExcerptError, json_text, plural
from excerpt.evaluation import ReadingOptions, Scoring
from excerpt.evaluation.reading import Judged, Measures, settings_of
from excerpt.experiments.ranking_verdict import whole
from excerpt.files import Input
from excerpt.formats.source import open_corpus
from excerpt.model.policy import Policy, PolicyOptions
from excerpt.model.run import Run
from excerpt.notices import Gathering, Notices
from excerpt.queries import Topic, Topics, read_topics
from excerpt.render.blocks import Block, blocks_of, load_blocks
from excerpt.render.layout import columns_of, cut, html, plain, shorten_middle, wrap, wrap_parts
from excerpt.view.topic_view import DocumentView, OneTopic, TextPiece, to_dict, view_topic

PartKind: TypeAlias = Literal["text", "line", "blank", "cell", "gap", "rank", "point"]

#: Break at the start and end of a block: an empty line, a new line, or a bar between cells.
_LINE_BREAKS: Mapping[str, PartKind] = {
    **dict.fromkeys(("section", "heading", "paragraph", "list", "table", "figure", "quote", "code"), "blank"),
    **dict.fromkeys(("item", "row", "caption", "reference", "text"), "line"),
    **dict.fromkeys(("cell", "head"), "cell"),
}
_STRENGTH: tuple[PartKind, ...] = ("cell", "line", "blank")
_LEAST_GAP = 120  # minimum length of text that is left out
_MORE = 4  # long relevant text is shown with this many times the context at each end
_WORD = 20  # most characters that a segment grows to start and end at a word boundary
_LINES = re.compile(r"[^\S\n]*\n\s*")
MARGIN = 12  # columns of the left margin, for ranks and the sign of the strongest state of a line
_RANKS = MARGIN - 3
SIGNS = {"missed": "┆", "hit": "┃", "unjudged": ":", "vain": "·"}  # signs at the margin, strongest first
#: Marks around relevant text, retrieved text, and repeatedly retrieved text.
MARKS = (("[[", "]]"), ("\u2039", "\u203a"), ("«", "»"))
#: White on blue and black on orange, both underlined; dim; dim and italic; faint remarks; headings.
_COLOURS = {
    "hit": "4;38;5;231;48;5;25",
    "missed": "4;38;5;16;48;5;216",
    "vain": "2",
    "unjudged": "2;3",
    "faint": "2",
    "strong": "1",
}
_REPEATED = ";1;53"  # bold with overline
_BETWEEN = ("", "space", "cell", "line", "blank")  # separators of two words, weakest first
_FEW = 5  # ranks that are listed
_LABELS = {"hit": "found", "missed": "missed", "vain": "not relevant", "unjudged": "unjudged"}
MEASURES = ("AiP", "charP", "charR")  # default measures
_STYLES = {
    "hit": "background:#cfe2f8;border-bottom:2px solid #1f5fae;color:#1c1b19",
    "missed": "background:#fde3cb;border-bottom:2px dashed #b4430a;color:#1c1b19",
    "vain": "background:#f1eee9;border-bottom:1px dotted #8c867d;color:#1c1b19",
    "unjudged": "border-bottom:2px dotted #706b63",
}
_BREAKS = {"cell": " | ", "line": "<br>", "blank": "<br><br>"}
_AGAIN = ";border-top:2px dotted #6b3fbf"


class Token(NamedTuple):
    """Element of the output: text in a state, a break, the rank of a result, or a gap."""

    kind: PartKind
    text: str = ""
    piece: TextPiece | None = None
    #: Ranks that appear for the first time; or characters left out, and those retrieved among them.
    numbers: tuple[int, ...] = ()


def tokens_of(view: DocumentView, page: TerminalPage, *, whole: bool) -> Iterator[Token]:
    """Tokens of a document: all of it, or relevant text and the first results in context."""
    if view.document is None:
        return
    size = len(view.document.text)
    shown = [(0, size)] if whole else windows(view, context=page.context, top=page.top)
    yield from _TextWalk(view, blocks_of(view.document, page.blocks)).tokens(shown)


def windows(view: DocumentView, *, context: int, top: int) -> list[tuple[int, int]]:
    """Segments of text to show, in order."""
    document = view.document
    assert document is not None, "a document without text has no segments"
    shown = [(start, end, _MORE * context) for start, end in view.relevant]
    shown += [(start, end, context) for start, end, rank in view.results if rank <= top]
    parts: list[tuple[int, int]] = []
    for start, end, ends in shown:
        if end - start > 2 * ends + _LEAST_GAP:
            parts += [(start - context, start + ends), (end - ends, end + context)]
        else:
            parts.append((start - context, end + context))
    segments = (_whole_words(document.text, *window) for window in sorted(parts))
    return _join_segments(segments, len(document.text))


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    start, end = max(start, 0), min(end, len(text))
    start = min(start, max(end - 1, 0))  # an empty result may be behind the text
    for _ in range(_WORD):
        if start > 0 and not text[start - 1].isspace():
            start -= 1
        if end < len(text) and not text[end].isspace():
            end += 1
    return start, end


def _join_segments(segments: Iterable[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in segments:
        if joined and start - joined[-1][1] < _LEAST_GAP:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start if start >= _LEAST_GAP else 0, end))
    if joined and size - joined[-1][1] < _LEAST_GAP:
        joined[-1] = (joined[-1][0], size)
    return joined


class _TextWalk:
    """Walk through a text from one change of state to the next."""

    def __init__(self, view: DocumentView, rows: Sequence[Block]) -> None:
        assert view.document is not None
        self._text = view.document.text
        self._pieces = view.pieces
        self._starts = [piece.start for piece in view.pieces]
        self._is_plain = view.document.elements is None
        self._breaks = _breaks(rows)
        self._points: dict[int, list[int]] = {}  # ranks of empty results by offset
        for start, end, rank in view.results:
            if start == end:
                self._points.setdefault(start, []).append(rank)
        ends = (place for piece in view.pieces for place in piece[:2])
        self._changes = sorted({*self._breaks, *ends, *self._points})
        self._code = [(row[2], row[3]) for row in rows if row[0] == "code"]
        self._seen: set[int] = set()

    def tokens(self, shown: Sequence[tuple[int, int]]) -> Iterator[Token]:
        """Tokens of segments, with the gaps between them."""
        reached = 0
        for start, end in shown:
            if start > reached:
                yield self._gap(reached, start)
            yield from self._window(start, end)
            reached = end
        if reached < len(self._text):
            yield self._gap(reached, len(self._text))

    def _gap(self, start: int, end: int) -> Token:
        near = self._pieces[max(bisect_right(self._starts, start) - 1, 0) : bisect_right(self._starts, end)]
        retrieved = sum(
            max(min(piece.end, end) - max(piece.start, start), 0) for piece in near if piece.ranks
        )
        return Token("gap", numbers=(end - start, retrieved))

    def _window(self, start: int, end: int) -> Iterator[Token]:
        first, last = bisect_right(self._changes, start), bisect_left(self._changes, end)
        ordered = [start, *self._changes[first:last], end]
        for place, following in zip(ordered, [*ordered[1:], end], strict=True):
            if place in self._breaks and start < place < end:
                yield Token(self._breaks[place])
            for rank in self._points.get(place, ()):
                yield Token("point", numbers=(rank,))
            if place < following:
                yield from self._segment(place, following)

    def _segment(self, start: int, end: int) -> Iterator[Token]:
        """Tokens of text in one state."""
        number = bisect_right(self._starts, start) - 1
        piece = self._pieces[number] if number >= 0 and self._pieces[number].end > start else None
        if piece is not None:
            new = tuple(rank for rank in piece.ranks if rank not in self._seen)
            self._seen.update(new)
            if new:
                yield Token("rank", numbers=new)
        text = self._text[start:end]
        if not self._is_plain and not any(low <= start < high for low, high in self._code):
            yield Token("text", text, piece)
            return
        reached = 0
        for match in _LINES.finditer(text):
            yield Token("text", text[reached : match.start()], piece)
            yield Token("blank" if match[0].count("\n") > 1 else "line")
            reached = match.end()
        yield Token("text", text[reached:], piece)


def _breaks(rows: Sequence[Block]) -> dict[int, PartKind]:
    """Break before each offset; the outermost block that starts or ends there decides."""
    begins: dict[int, PartKind] = {}
    ends: dict[int, PartKind] = {}
    row_depth: int | None = None
    for kind, depth, start, end, *_ in rows:
        if row_depth is not None and depth <= row_depth:
            row_depth = None
        if row_depth is not None and depth > row_depth + 1:
            continue  # blocks in cells stay on one line
        if kind == "row":
            row_depth = depth
        begins.setdefault(start, _LINE_BREAKS[kind])
        ends.setdefault(end, _LINE_BREAKS[kind])
    return {
        offset: max((kinds[offset] for kinds in (begins, ends) if offset in kinds), key=_STRENGTH.index)
        for offset in begins.keys() | ends.keys()
    }


def paint(text: str, style: str) -> str:
    """Text in the colours of a style: a state, optionally followed by `again`; unchanged without a style."""
    state, _, again = style.partition(" ")
    return f"\x1b[{_COLOURS[state]}{_REPEATED if again else ''}m{text}\x1b[0m" if state else text


def style_of(piece: TextPiece | None) -> str:
    """Style of the text of a piece."""
    return "" if piece is None else piece.state + (" again" if piece.again else "")


def marks_between(one: TextPiece | None, other: TextPiece | None) -> tuple[str, str]:
    """Closing and opening marks between two pieces of text."""
    if one is other:
        return "", ""
    before, after = (
        (piece is not None and piece.relevant, bool(piece and piece.ranks), piece is not None and piece.again)
        for piece in (one, other)
    )
    stays = [first and second for first, second in zip(before, after, strict=True)]
    if one is not None and other is not None and not set(one.ranks) & set(other.ranks):
        stays[1] = stays[2] = False  # another result starts here
    closing = [mark[1] for mark, was, on in zip(MARKS, before, stays, strict=True) if was and not on]
    opening = [mark[0] for mark, on, was in zip(MARKS, after, stays, strict=True) if on and not was]
    return "".join(reversed(closing)), "".join(opening)


@dataclass
class _StyledWord:
    """A word or a line: texts with their styles."""

    runs: list[tuple[str, str]] = field(default_factory=list)
    width: int = 0
    ranks: list[int] = field(default_factory=list)
    states: set[str] = field(default_factory=set)

    def put(self, text: str, style: str) -> None:
        self.runs.append((text, style))
        self.width += columns_of(text)

    def extend(self, other: _StyledWord) -> None:
        self.runs += other.runs
        self.width += other.width
        self.ranks += other.ranks
        self.states |= other.states


def lines_of(tokens: Iterable[Token], width: int, *, colours: bool) -> Iterator[str]:
    """Lines of a document, at most `width` columns wide."""
    flow = _Flow(max(width - MARGIN, 2), colours=colours)
    for token in tokens:
        flow.take(token)
    flow.close()
    return (_draw(line, colours=colours) for line in flow.lines)


class _Flow:
    """Fill lines with words; each word waits for the next one, since closing marks may follow it."""

    def __init__(self, width: int, *, colours: bool) -> None:
        self.lines: list[_StyledWord] = []
        self._width = width
        self._colours = colours
        self._line = _StyledWord()
        self._word = _StyledWord()
        self._piece: TextPiece | None = None  # of the word
        self._between = ""  # the separator after the word
        self._blank = ""  # the style of the space before the word
        self._ranks: tuple[int, ...] = ()

    def take(self, token: Token) -> None:
        if token.kind == "text":
            self._text(token.text, token.piece)
        elif token.kind == "rank":
            self._ranks += token.numbers
        elif token.kind == "point":
            self._between = max(self._between, "space", key=_BETWEEN.index)
            self._step(self._piece)
            self._word.put(f"▸#{token.numbers[0]}", "strong")
            self._between = "space"
        elif token.kind == "gap":
            self._gap(*token.numbers)
        else:
            self._between = max(self._between, token.kind, key=_BETWEEN.index)

    def close(self) -> None:
        self._between = "line"
        self._step(None)

    def _text(self, text: str, piece: TextPiece | None) -> None:
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

    def _step(self, piece: TextPiece | None) -> None:
        """Continue with text of a piece: close marks after the last word, open marks before the next."""
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
                self.lines.append(_StyledWord())
        if opening:
            self._word.put(opening, "")
        self._between, self._piece = "", piece

    def _flush(self) -> None:
        """Append the word to the line, or to a new line if it does not fit."""
        word, self._word = self._word, _StyledWord()
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

    def _split(self, word: _StyledWord) -> _StyledWord:
        """Fill a line with the beginning of a long word; return the rest."""
        self._line.ranks += word.ranks
        self._line.states |= word.states
        rest = _StyledWord(states=word.states)
        room = self._width
        for text, style in word.runs:
            head, tail = cut(text, room) if room > 0 else ("", text)
            if columns_of(head) > room and self._line.runs:  # a wide character does not fit into one column
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
            self._line = _StyledWord()

    def _gap(self, count: int, retrieved: int) -> None:
        """Add a line with the number of characters left out."""
        self.close()
        of = f", {whole(retrieved)} of them retrieved" if 0 < retrieved < count else ""
        of = ", all retrieved" if retrieved == count else of
        self._line.put(cut(f"… {whole(count)} characters{of} …", self._width)[0], "faint")
        self._end_line()


def _draw(line: _StyledWord, *, colours: bool) -> str:
    sign = next((sign for state, sign in SIGNS.items() if state in line.states), " ")
    margin = f"{_label(line.ranks):>{_RANKS}} {sign} "
    texts = [
        ("".join(text for text, _ in runs), style) for style, runs in groupby(line.runs, key=itemgetter(1))
    ]
    texts.insert(0, (margin, "faint" if margin.strip() else ""))
    return "".join(paint(*text) if colours else text[0] for text in texts).rstrip()


def _label(ranks: list[int]) -> str:
    """Ranks that fit into the margin, and the number of the others."""
    shown = ""
    for number, rank in enumerate(ranks):
        more = f" +{len(ranks) - number - 1}" if number + 1 < len(ranks) else ""
        longer = f"{shown} #{rank}".lstrip()
        if number and len(longer) + len(more) > _RANKS:
            return f"{shown} +{len(ranks) - number}"
        shown = longer
    return shown


@dataclass(frozen=True)
class TerminalPage:
    """Display options of a topic: width, colours or marks, context, further blocks."""

    width: int = 80
    colours: bool = False
    context: int = 80
    top: int = 10
    blocks: Mapping[str, str] | None = None

    def paint(self, text: str, style: str) -> str:
        """Text in a style, if colours are on."""
        return paint(text, style) if self.colours else text


def lines_on(shown: OneTopic, page: TerminalPage) -> Iterator[str]:
    """Lines of a topic."""
    yield from _head(shown, page)
    yield ""
    yield from legend(page)
    for view in shown.documents:
        yield ""
        yield from _document(view, page, single=shown.single)
    yield from _foot(shown, page)


def _head(shown: OneTopic, page: TerminalPage) -> Iterator[str]:
    topic = shown.topic
    title = f"{topic.id} · {topic.title}" if topic.title else topic.id
    yield from (page.paint(line, "strong") for line in wrap(plain(title), page.width))
    if topic.text and topic.text != topic.title:
        yield from wrap(plain(topic.text), page.width)
    yield ""
    values = [plain(f"{name} {score(value)}") for name, value in shown.scores.items()]
    yield from wrap_parts([shorten_middle(plain(shown.run), page.width), *values], page.width, gap=" · ")
    yield from wrap(_summary(shown), page.width)


def score(value: float | None) -> str:
    """Score with four decimals; a dash if undefined."""
    return "\u2013" if value is None else f"{value:.4f}"


def _summary(shown: OneTopic) -> str:
    results = plural(shown.results, "result").replace(str(shown.results), whole(shown.results), 1)
    if not shown.judged:
        return f"{results}; this topic has no judgments"
    relevant = sum(view.count("hit", "missed") for view in shown.documents)
    if not relevant:
        return f"{results}; this {'document' if shown.single else 'topic'} has no relevant text"
    found = sum(view.count("hit") for view in shown.documents)
    documents = plural(sum(bool(view.relevant) for view in shown.documents), "document")
    where = "in this document" if shown.single else f"in {documents}"
    return f"{results}; {whole(relevant)} relevant characters {where}, {whole(found)} of them found"


def legend(page: TerminalPage, states: Iterable[str] = tuple(SIGNS)) -> Iterator[str]:
    """Legend of colours, marks and signs, for these states."""
    if page.colours:
        named = {f"{SIGNS[state]} {_LABELS[state]}": state for state in states} | {"found again": "hit again"}
        for line in wrap_parts(named, page.width):
            yield "  ".join(_painted(part, named[part]) for part in line.split("  "))
        return
    marks = zip(MARKS, ("relevant", "retrieved", "retrieved again"), strict=True)
    parts = [f"{opening}{name}{closing}" for (opening, closing), name in marks]
    parts += [f"{SIGNS[state]} {_LABELS[state]}" for state in states]
    yield from wrap_parts(parts, page.width)


def _painted(part: str, style: str) -> str:
    sign, blank, name = part.partition(" ") if part[0] in SIGNS.values() else ("", "", part)
    return f"{sign}{blank}{paint(name, style)}"


def _document(view: DocumentView, page: TerminalPage, *, single: bool) -> Iterator[str]:
    title = view.document.title if view.document else ""
    name = f"{view.id} · {title}" if title else view.id
    yield from (page.paint(line, "strong") for line in wrap(plain(name), page.width))
    yield from (page.paint(line, "faint") for line in wrap(_facts(view), page.width))
    if view.document is None:
        yield from _offsets(view)
        return
    yield from lines_of(tokens_of(view, page, whole=single), page.width, colours=page.colours)


def _facts(view: DocumentView) -> str:
    """Relevant and found characters of a document, and the ranks of its results."""
    facts = []
    if view.relevant:
        found, missed = view.count("hit"), view.count("missed")
        facts.append(f"{plural(len(view.relevant), 'relevant passage')}")
        facts.append(f"{whole(found)} of {whole(found + missed)} characters found")
    elif view.judged:
        facts.append("judged, not relevant")
    else:
        facts.append("unjudged")
    ranks = sorted(rank for _, _, rank in view.results)
    facts.append(f"{'rank' if len(ranks) == 1 else 'ranks'} {_some(ranks)}" if ranks else "not retrieved")
    facts += [view.why] if view.document and view.why else []
    return " · ".join(facts)


def _some(ranks: Sequence[int]) -> str:
    """First ranks, and the number of the others."""
    more = f" and {len(ranks) - _FEW} more" if len(ranks) > _FEW else ""
    return ", ".join(map(str, ranks[:_FEW])) + more


def _offsets(view: DocumentView) -> Iterator[str]:
    """Lines with the offsets of a document without text."""
    yield f"{'':{MARGIN}}no text: {view.why}"
    for piece in view.pieces:
        ranks = " ".join(f"#{rank}" for rank in piece.ranks[:_FEW])
        span = f"{SIGNS[piece.state]} {piece.start}-{piece.end} {_LABELS[piece.state]}"
        yield f"{'':{MARGIN}}{span} {ranks}".rstrip()


def _foot(shown: OneTopic, page: TerminalPage) -> Iterator[str]:
    notes = []
    if shown.left:
        notes.append(f"{plural(shown.left, 'other document')} without relevant text, judged or retrieved")
    if shown.nowhere:
        notes.append(f"results without a location in the corpus: ranks {_some(shown.nowhere)}")
    if not shown.documents:
        notes.append("no relevant text, no results")
    for note in notes:
        yield ""
        yield from wrap(note, page.width)


@dataclass(frozen=True)
class Shown:
    """A topic for display; `text()` takes a width and colours."""

    data: OneTopic
    page: TerminalPage

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the input."""
        return tuple(self.data.warnings)

    def text(self, width: int = 80, *, colours: bool = False) -> str:
        """Text as the command line prints it."""
        page = replace(self.page, width=width, colours=colours)
        return "\n".join(lines_on(self.data, page)) + "\n"

    def __str__(self) -> str:
        return self.text().removesuffix("\n")

    def __repr__(self) -> str:
        return f"<{self.data.run!r} on topic {self.data.topic.id!r}: {len(self.data.documents)} documents>"

    def to_dict(self) -> dict[str, Any]:
        """Data of the JSON output; `nowhere` (alias `unplaced`) are ranks of results without a location."""
        return to_dict(self.data)

    def to_json(self) -> str:
        """JSON text of `to_dict`."""
        return json_text(self.to_dict(), indent=2) + "\n"

    def _repr_html_(self) -> str:
        """HTML for notebooks."""
        topic = self.data.topic
        scores = ", ".join(f"{html(name)} {score(value)}" for name, value in self.data.scores.items())
        head = f"<h4>{html(f'{topic.id} {topic.title}')}</h4><p>{html(topic.text)}</p>"
        parts = [head, f"<p>{html(self.data.run)}: {scores}</p>"]
        parts += [self._document_html(view) for view in self.data.documents]
        parts += [f"<p>warning: {html(warning)}</p>" for warning in self.warnings]
        return f"<div>{''.join(parts)}</div>"

    def _document_html(self, view: DocumentView) -> str:
        title = view.document.title if view.document else view.why
        tokens = tokens_of(view, self.page, whole=self.data.single)
        return f"<h5>{html(f'{view.id} {title}')}</h5>{html_of(tokens)}"


def html_of(tokens: Iterable[Token]) -> str:
    """HTML of the marked text of a document."""
    parts = ['<div style="max-width:45em">']
    for token in tokens:
        if token.kind == "text":
            state, _, again = style_of(token.piece).partition(" ")
            text = html(" ".join(f"|{token.text}|".split())[1:-1])
            style = _STYLES[state] + (_AGAIN if again else "") if state else ""
            parts.append(f'<span style="{style}">{text}</span>' if style else text)
        elif token.kind == "gap":
            parts.append(f"<p>… {whole(token.numbers[0])} characters …</p>")
        elif token.kind in {"rank", "point"}:
            parts.append(f"<sup>{' '.join(f'#{rank}' for rank in token.numbers)}</sup>")
        elif parts[-1] not in _BREAKS.values():
            parts.append(_BREAKS[token.kind])
    return "".join([*parts, "</div>"])


class ShowOptions(ReadingOptions, PolicyOptions, total=False):
    """Other keyword arguments of `show`, as in `evaluate`."""


def show(
    judgments: Judged,
    run: Run | Input,
    topic: str,
    document: str | None = None,
    *,
    corpus: Any = None,
    topics: Topics | Mapping[str, Topic | str] | Input | None = None,
    measures: Measures = MEASURES,
    policy: Policy | None = None,
    top: int = 10,
    context: int = 80,
    blocks: Input | Mapping[str, str] | None = None,
    notices: Notices | None = None,
    **reading: Unpack[ShowOptions],
) -> Shown:
    """Show one topic of a run: its scores, and its documents with relevant and retrieved text marked.

    `corpus` is a `Corpus`, a mapping of texts or a path. The documents with relevant text and those of the
    first `top` results are shown with `context` characters around marked text; or one complete `document`.
    `blocks` maps further XML tags to kinds, such as `{"clause": "paragraph"}`, or is a TOML file.

    >>> from excerpt import Judgments, Run
    >>> judgments = Judgments.of([("1", "A", 4, 9)])
    >>> run = Run.of("mine", [("1", "A", 0, 7)])
    >>> shown = show(judgments, run, "1", corpus={"A": "One small step."})
    >>> print(shown.text().splitlines()[-1])  # relevant in [[ ]], retrieved in other marks
           #1 ┆ ‹One [[sma›ll]] step.
    """  # noqa: RUF002 - the marks as they are printed
    topic, opened = str(topic), open_corpus(corpus)
    if opened is None:
        raise ExcerptError("no corpus given, so there is no text to show", hint="give ⟨corpus⟩")
    policy, read = settings_of(policy, reading)
    with Gathering(notices) as gathered:
        named = None if topics is None else read_topics(topics, notices=gathered)
        read = replace(read, corpus=opened, corpus_checks="none").aimed(named, gathered)
        scoring = Scoring.of(judgments, measures, policy=policy, reading=read, notices=Notices())
        if named is not None and topic not in named:
            named.check(scoring.judgments.topics, gathered)
        read_run = scoring.read(run, gathered)
        viewed = view_topic(
            scoring, read_run, topic, document, corpus=opened, topics=named, top=top, notices=gathered
        )
    further = blocks or {} if blocks is None or isinstance(blocks, Mapping) else load_blocks(blocks)
    return Shown(viewed, TerminalPage(context=context, top=top, blocks={**opened.blocks, **further}))
