"""Fast readers of results that share a layout, in JSON Lines and XML; they change speed only."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from excerpt.formats.reader import Names, Results, join_names, pair_names
from excerpt.formats.text.columns import Codes, Fields, find, is_among
from excerpt.model.field_names import COSTS, HOW, KEYS, SPELLINGS, TEXTS, looks_like_location
from excerpt.model.rows import quote_of
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray

#: The offset of a value that a record lacks.
ABSENT = -1
_MOST_BYTES = 2048
_MOST_LAYOUTS = 16

Offsets: TypeAlias = NDArray[np.integer[Any]]


class Layout(NamedTuple):
    """Fixed text around the values of a record, and the values' names; unnamed values are ignored."""

    pieces: tuple[bytes, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, record: bytes, values: Sequence[tuple[str, tuple[int, int]]]) -> Layout | None:
        """Return the layout of a record from the names and spans of its values; None if it is too long."""
        cuts = [0, *(offset for _, span in values for offset in span), len(record)]
        pieces = tuple(record[a:b] for a, b in zip(cuts[::2], cuts[1::2], strict=True))
        if sum(map(len, pieces)) > _MOST_BYTES:
            return None
        return cls(pieces, tuple(name for name, _ in values))


@dataclass(frozen=True, eq=False)
class Anchored:
    """A text and the offsets of its anchors, the bytes by which layouts are compared."""

    data: bytes
    anchors: bytes

    @cached_property
    def codes(self) -> Codes:
        """The bytes of the text as an array."""
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def offsets(self) -> Offsets:
        """Offsets of all anchors, in the smallest integer type, since there are many."""
        return find(self.codes, lambda block: is_among(block, self.anchors))

    def offsets_of(self, numbers: IntArray) -> IntArray:
        """Return the offsets of the anchors with these numbers."""
        return self.offsets[numbers].astype(np.int64)

    def starts_with(self, offset: Offsets, text: bytes) -> BoolArray:
        """Return whether this text occurs at each offset; offsets may be outside of the data."""
        last = len(self.data) - len(text)
        if last < 0 or not len(offset):
            return np.zeros(len(offset), np.bool_)
        # Substrings of this length, one starting at each byte; neither side may contain NUL.
        substrings = np.ndarray((last + 1,), f"S{len(text)}", self.data, 0, (1,))
        inside = (offset >= 0) & (offset <= last)
        return np.asarray(inside & (substrings[np.clip(offset, 0, last)] == text))

    def match(self, layout: Layout, first: IntArray) -> tuple[BoolArray, list[Offsets]]:
        """Find the records with a layout, by their first anchors; return a mask, and bounds of the pieces."""
        counts = [sum(piece.count(anchor) for anchor in self.anchors) for piece in layout.pieces]
        if not all(counts):
            return np.zeros(len(first), np.bool_), []
        matched = first + sum(counts) <= len(self.offsets)
        bounds: list[Offsets] = []
        number = 0
        for piece, count in zip(layout.pieces, counts, strict=True):
            before = min(piece.find(anchor) for anchor in self.anchors if anchor in piece)
            offset = self.offsets[np.minimum(first + number, len(self.offsets) - 1)] - before
            matched &= self.starts_with(offset, piece)
            if bounds:
                matched &= offset >= bounds[-1]
            bounds += [offset, offset + len(piece)]
            number += count
        return matched, bounds


@dataclass(frozen=True, eq=False)
class Cut:
    """Records with a known layout: which rows match, their bounds, and the bounds of their values."""

    data: bytes
    matched: BoolArray
    start: IntArray
    end: IntArray
    values: dict[str, tuple[Offsets, Offsets]]
    #: Number of each record's layout, among those that were tried.
    number: IntArray

    @classmethod
    def of(cls, text: Anchored, first: IntArray, layout_of: Callable[[int], Layout | None]) -> Cut:
        """Cut records by layouts; each layout is that of the first record that no earlier layout fits."""
        start, end = (np.full(len(first), ABSENT, np.int64) for _ in range(2))
        none = np.full(len(first), ABSENT, np.int64)
        cut = cls(text.data, np.zeros(len(first), np.bool_), start, end, {}, none)
        rest = np.arange(len(first))
        for number in range(_MOST_LAYOUTS):
            if not len(rest):
                break
            layout = layout_of(int(rest[0]))
            matched = np.zeros(len(rest), np.bool_)
            if layout is not None:
                matched, bounds = text.match(layout, first[rest])
                cut._add(layout.names, rest[matched], matched, bounds)
                cut.number[rest[matched]] = number
            matched[0] = True  # the record that gave the layout is not tried again
            rest = rest[~matched]
        return cut

    def _add(self, names: tuple[str, ...], rows: IntArray, matched: BoolArray, bounds: list[Offsets]) -> None:
        if not len(rows):
            return
        self.matched[rows] = True
        self.start[rows], self.end[rows] = bounds[0][matched], bounds[-1][matched]
        for number, name in enumerate(names):
            if name:
                absent = self.start.shape, ABSENT, bounds[0].dtype
                start, end = self.values.setdefault(name, (np.full(*absent), np.full(*absent)))
                start[rows], end[rows] = (bounds[2 * number + side][matched] for side in (1, 2))

    def has(self, name: str) -> BoolArray:
        """Return which records have a value."""
        if name not in self.values:
            return np.zeros(len(self.matched), np.bool_)
        return np.asarray(self.values[name][0] != ABSENT)

    def fields(self, name: str) -> tuple[IntArray, Fields]:
        """Return the rows with a known layout and a value of this name, and these values."""
        rows = np.flatnonzero(self.matched & self.has(name))
        start, end = self.values.get(name, (self.start, self.end))
        return rows, Fields(self.data, start[rows].astype(np.int64), end[rows].astype(np.int64))

    def names(self, name: str, odd: re.Pattern[str]) -> Names:
        """Return the values as names; drop records whose name is empty or matches `odd`."""
        rows, values = self.fields(name)
        empty = values.width == 0
        self.drop(rows[empty])
        rows, values = rows[~empty], values[~empty]
        distinct, code = values.encode()
        names = Names(distinct, np.full(len(self.matched), -1))
        names.code[rows] = code
        self.drop(rows[~names.fit(odd)[rows]])
        return names

    def drop(self, rows: IntArray) -> None:
        """Leave these records to the slow reader."""
        self.matched[rows] = False


_MOST_JSON_BYTES = 1 << 12
_QUOTE, _BACKSLASH, _NEWLINE, _ZERO, _MINUS = b'"\\\n0-'
_BEGIN, _END = re.compile(rb" *\{"), re.compile(rb" *\n")
_MEMBER = re.compile(rb' *"([^"\\]*)" *: *(?:"([^"\\]*)"|(-?[0-9][0-9.eE+-]*)|(?:null|true|false)) *([,}])')
#: Keys that are read. Topics and documents that are numbers get another name, other numbers a name each.
_TEXTS = ("topic", "document", "path", "run")
_SPAN_KEYS = ({"start", "end"}, {"offset", "length"})
_NUMBERS = ("score", "rank", *_SPAN_KEYS[0], *_SPAN_KEYS[1])
_QUOTED = (*TEXTS, HOW)
_LEFT_OUT = "lost"  # lines with this key are few and have no offsets
_OTHERS = ("other number 1", "other number 2", "other number 3", "other number 4")

_ODD_NAME = re.compile("(?!)")  # every string is allowed
_ODD_CODE = re.compile("^(?!(?:0|-?[1-9][0-9]{0,17})$)", re.MULTILINE)
_ODD_PATH = re.compile("^(?!/[!-~]*(?: /[!-~]*)?$)", re.MULTILINE)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DIGIT, _PLAIN = (np.isin(np.arange(256), list(some)) for some in (b"0123456789", b"0123456789-."))
_LONGEST_NUMBER = 40  # longer whole numbers may be too large for a double


class Lines(NamedTuple):
    """Results and run names of regular lines, the other lines by number, unknown keys, quotes by line."""

    results: Results
    names: Names
    others: list[tuple[int, str]]
    unknown: set[str]
    quotes: dict[int, str]


def cut_lines(text: bytes, *, quotes: int | None = None) -> Lines | None:
    """Cut the values out of all regular lines; None if no line is regular.

    `quotes` is the number of texts to cut out, from all parts of the file; None means all.
    """
    unknown: list[set[str]] = []
    cut, begins, ends = _cut(text, unknown)
    results, names = _columns(cut)
    if not len(results.line):
        return None
    others = [
        (row + 1, text[int(begins[row]) : int(ends[row]) - 1].decode())
        for row in np.flatnonzero(~cut.matched).tolist()
    ]
    last = (len(ends) + 1, text[int(ends[-1]) :].decode())  # the last line may lack a line end
    left_out = [unknown[number] for number in np.unique(cut.number[cut.matched]).tolist()]
    return Lines(results, names, [*others, last], set().union(*left_out), _quotes(cut, quotes))


def _quotes(cut: Cut, most: int | None) -> dict[int, str]:
    fields: dict[int, dict[str, str]] = {}
    step = 1 if most is None else -(-len(cut.matched) // most)
    for key in _QUOTED:
        rows, values = cut.fields(key)
        chosen = rows % step == 0
        rows, values = rows[chosen], values[chosen]
        for row, value in zip(rows.tolist(), values.texts(), strict=True):
            fields.setdefault(row + 1, {})[key] = value
    quotes = {line: quote_of(values) for line, values in fields.items()}
    return {line: quote for line, quote in quotes.items() if quote is not None}


def _cut(text: bytes, unknown: list[set[str]]) -> tuple[Cut, IntArray, IntArray]:
    """Cut lines; return their values, and where each line begins and ends."""
    anchored = Anchored(text, bytes((_QUOTE, _NEWLINE)))
    numbers = np.flatnonzero(anchored.codes[anchored.offsets] == _NEWLINE)
    ends = anchored.offsets_of(numbers) + 1
    begins = np.append(0, ends[:-1])[: len(ends)]
    first = np.append(0, numbers[:-1] + 1)[: len(ends)]
    cut = Cut.of(anchored, first, lambda row: _layout(text[int(begins[row]) : int(ends[row])], unknown))
    cut.drop(np.flatnonzero(cut.start != begins))
    cut.drop(_unusual_lines(anchored, ends))
    return cut, begins, ends


def _unusual_lines(text: Anchored, ends: IntArray) -> IntArray:
    """Return the lines with escapes, or with control characters, which JSON strings must not contain."""
    odd = find(text.codes, lambda codes: (codes < ord(" ")) & (codes != _NEWLINE) | (codes == _BACKSLASH))
    lines = np.unique(np.searchsorted(ends, odd, side="right"))
    return lines[lines < len(ends)]


def _layout(line: bytes, unknown: list[set[str]]) -> Layout | None:
    """Return the layout of a regular line, else None; append its unknown keys to `unknown`."""
    unknown.append(set())
    opening = _BEGIN.match(line)
    if opening is None or len(line) > _MOST_JSON_BYTES:
        return None
    keys: list[str] = []
    values: list[tuple[str, tuple[int, int]]] = []
    others = list(_OTHERS)
    offset, separator = opening.end(), b","
    while separator == b"," and (member := _MEMBER.match(line, offset)):
        offset, separator = member.end(), member[4]
        key = member[1].decode()
        keys.append(SPELLINGS.get(key, key))
        name = _value_name(keys[-1], member[2] is not None, member[3] is not None)
        if name is None or (name == "" and member[3] is not None and not others):
            return None
        if member[2] is not None:
            values.append((name, member.span(2)))
        elif member[3] is not None:
            values.append((name or others.pop(), member.span(3)))
    pairs = [len(pair & set(keys)) for pair in _SPAN_KEYS]
    complete = separator == b"}" and _END.fullmatch(line, offset)
    regular = len(set(keys)) == len(keys) and {"topic", "document"} <= set(keys)
    unknown_keys = set(keys) - KEYS.keys()
    located = any(pairs) or "path" in keys or not any(map(looks_like_location, unknown_keys))
    if not (complete and regular and located and sorted(pairs) in ([0, 0], [0, 2])):
        return None
    unknown[-1] = unknown_keys
    return Layout.of(line, values)


def _value_name(key: str, is_text: bool, is_number: bool) -> str | None:
    """Return the name of a value in a layout: "" if the value is ignored, None if its type is wrong."""
    if key in _TEXTS[:2] and is_number:
        return f"number of {key}"
    if key in _TEXTS:
        return key if is_text else None
    if key in _NUMBERS or key in COSTS:
        return key if is_number else None
    if key in _QUOTED and is_text:
        return key
    return "" if key != _LEFT_OUT else None


def _columns(cut: Cut) -> tuple[Results, Names]:
    rows = len(cut.matched)
    for name in _OTHERS:
        _score(cut, name)
    rank, score = _whole(cut, "rank", UNKNOWN), _score(cut, "score")
    start, end = _whole(cut, "start", UNKNOWN), _whole(cut, "end", UNKNOWN)
    offset, length = _whole(cut, "offset", UNKNOWN), _whole(cut, "length", 0)
    has_offset = cut.has("offset")
    start, end = np.where(has_offset, offset, start), np.where(has_offset, offset + length, end)
    cut.drop(np.flatnonzero(start > end))
    costs = {name: _whole(cut, name, UNKNOWN) for name in COSTS}
    topics, documents = _ids(cut, "topic"), _ids(cut, "document")
    paths, names = cut.names("path", _ODD_PATH), cut.names("run", _ODD_NAME)
    good = np.flatnonzero(cut.matched)
    if len(good) < rows:
        topics, documents, paths, names = (column.take(good) for column in (topics, documents, paths, names))
    placed = (has_offset | cut.has("start"))[good]
    start, end, rank, score = start[good], end[good], rank[good], score[good]
    extra = {name: column for name, cost in costs.items() if len(column := cost[good]) and column.max() >= 0}
    return Results(topics, documents, paths, start, end, placed, rank, score, good + 1, extra), names


def _ids(cut: Cut, name: str) -> Names:
    texts, numbers = cut.names(name, _ODD_NAME), cut.names(f"number of {name}", _ODD_CODE)
    if not numbers.distinct:
        return texts
    is_number = numbers.code >= 0
    one, two = np.flatnonzero(~is_number), np.flatnonzero(is_number)
    return join_names([texts.take(one), numbers.take(two)], np.argsort(np.concatenate((one, two))))


def _whole(cut: Cut, name: str, missing: int) -> IntArray:
    """Return a column of whole numbers from 0 to 2**31-1 as JSON spells them."""
    column = np.full(len(cut.matched), missing, np.int64)
    there, values = cut.fields(name)
    column[there], good = values.digits()
    cut.drop(there[~good | ((values.width > 1) & (values.byte(0) == _ZERO))])
    return column


def _score(cut: Cut, name: str) -> FloatArray:
    column = np.full(len(cut.matched), np.nan)
    there, values = cut.fields(name)
    column[there], good = values.floats()
    cut.drop(there[~(good & _spelt(values))])
    # The whole number -0 is 0, the number -0.0 is not.
    cut.drop(there[(column[there] == 0) & (values.byte(0) == _MINUS)])
    return column


def _spelt(values: Fields) -> BoolArray:
    """Return which numbers are spelt as in JSON: not `.5`, `5.`, `05` or `Infinity`, which Python reads."""
    minus = values.byte(0) == _MINUS
    digits = Fields(values.data, values.start + minus, values.end)
    good = (digits.width > 0) & (values.width <= _LONGEST_NUMBER)
    last = Fields(values.data, values.end - 1, values.end)
    plain = good.copy()
    for number in range(min(int(values.width.max(initial=0)), _LONGEST_NUMBER)):
        plain &= (values.width <= number) | _PLAIN[values.byte(number)]
    padded = (digits.width > 1) & (digits.byte(0) == _ZERO) & _DIGIT[digits.byte(1)]
    good &= ~plain | (_DIGIT[digits.byte(0)] & _DIGIT[last.byte(0)] & ~padded)
    rows = np.flatnonzero(good & ~plain)
    good[rows] = [_NUMBER.fullmatch(text) is not None for text in values[rows].texts()]
    return good


_STAND_IN = "excerpt-results"
_OPEN, _CLOSE = b"<result>", b"</result>"
_XML_TEXTS = ("file", "path", "rank", "rsv")
_MOST_XML_BYTES = 1 << 12
_WIDEST_GAP = 256

# Content of a result: an element with a value, an empty element with two, an element that is ignored.
# Possessive quantifiers (`*+`) keep the time linear in the number of blanks.
_BLANK = rb"[ \t\r\n]"
_ITEM = re.compile(
    rb"%b*+(?:<(file|path|rank|rsv)>%b*+((?:[^<>&]*[^<>& \t\r\n])?)%b*+</\1>"
    rb"|<(fol|passage)((?:%b++(?:offset|length|start|end)=(?:\"[^<>&\"']*\"|'[^<>&\"']*')){2})%b*+(?:/>|></\3>)"
    rb"|<([a-z]+(?:-[a-z]+)*)>[\t\r\n -%%'-;=?-~]*</\5>)" % ((_BLANK,) * 5)
)
_XML_END = re.compile(rb"%b*+</result>" % _BLANK)
_ATTRIBUTE = re.compile(rb"(offset|length|start|end)=[\"']([^\"']*)[\"']")
_PAIRS = {b"fol": {"offset", "length"}, b"passage": {"start", "end"}}
_MEANINGFUL = {
    b"inex-submission",
    b"efficiency-submission",
    b"topic",
    b"result",
    *(name.encode() for name in _XML_TEXTS),
    *_PAIRS,
}

#: Not allowed in names: markup, blanks around them, characters that XML forbids.
_ODD_XML_NAME = re.compile("^ | $|[\\x00-\\x09\\x0b-\\x1f<>&\ufffe\uffff]", re.MULTILINE)
_ODD_POINTER = re.compile("^(?!/)|[^\n!-%'-;=?-~]", re.MULTILINE)


class Bulk(NamedTuple):
    """Results cut out of a file, without topics yet, and the rest of the file."""

    results: Results
    #: Number of results that each stand-in replaces.
    counts: IntArray
    rest: bytes
    #: Name of the element that replaces results in the rest.
    stand_in: str = _STAND_IN


def cut_results(data: bytes) -> Bulk | None:
    """Cut all regular results out of a file in UTF-8; None if that is not possible."""
    if _OPEN not in data or _STAND_IN.encode() in data or not _is_text(data):
        return None
    begins, cut = _cut_xml(data)
    return _xml_columns(data, cut, begins)


def _is_text(data: bytes) -> bool:
    """Return whether all bytes are allowed in XML in UTF-8."""
    codes = np.frombuffer(data, np.uint8)
    if not is_among(codes[find(codes, lambda some: some < ord(" "))], b"\t\r\n").all():
        return False
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def _cut_xml(data: bytes) -> tuple[IntArray, Cut]:
    text = Anchored(data, b"<" + _quote(data))
    first = _openings(text)
    begins = text.offsets_of(first)
    return begins, Cut.of(text, first, lambda row: _xml_layout(_block(data, int(begins[row]))))


def _quote(data: bytes) -> bytes:
    """Return the quotation mark of the first attribute."""
    begin = data.find(_OPEN)
    single, double = (data.find(mark, begin) for mark in (b"='", b'="'))
    return b"'" if single >= 0 and not 0 <= double < single else b'"'


def _block(data: bytes, begin: int) -> bytes:
    """Return the result that begins at an offset; nothing if it is very long."""
    end = data.find(_CLOSE, begin, begin + _MOST_XML_BYTES)
    return data[begin : end + len(_CLOSE)] if end >= 0 else b""


def _openings(text: Anchored) -> IntArray:
    letter = text.codes[1:].take(text.offsets, mode="clip")
    likely = np.flatnonzero(letter == _OPEN[1])
    return likely[text.starts_with(text.offsets_of(likely), _OPEN)]


def _xml_layout(block: bytes) -> Layout | None:
    values: list[tuple[str, tuple[int, int]]] = []
    offset = len(_OPEN)
    while item := _ITEM.match(block, offset):
        offset = item.end()
        if item[1]:
            values.append((item[1].decode(), item.span(2)))
        elif item[3]:
            ends = [(match[1].decode(), match.span(2)) for match in _ATTRIBUTE.finditer(block, *item.span(4))]
            if {name for name, _ in ends} != _PAIRS[item[3]]:
                return None
            values += ends
        elif item[5] in _MEANINGFUL:
            return None
    names = [name for name, _ in values]
    locations = sum(not keys.isdisjoint(names) for keys in ({"path"}, {"offset", "length"}, {"start", "end"}))
    regular = len(set(names)) == len(names) and "file" in names and locations == 1
    return Layout.of(block, values) if regular and _XML_END.fullmatch(block, offset) else None


def _xml_columns(data: bytes, cut: Cut, begins: IntArray) -> Bulk | None:
    documents, paths = _names(cut)
    rows = np.arange(len(begins))
    rank, score = np.full(len(rows), UNKNOWN, np.int64), np.full(len(rows), np.nan)
    start, length = np.full(len(rows), UNKNOWN, np.int64), np.zeros(len(rows), np.int64)
    for name, column in (("rank", rank), ("offset", start), ("length", length)):
        there, values = cut.fields(name)
        column[there], good = values.integers()
        cut.drop(there[~good])
    there, values = cut.fields("rsv")
    score[there], good = values.floats()
    cut.drop(there[~good])
    rows = np.flatnonzero(cut.matched)
    if not len(rows):
        return None
    codes = np.frombuffer(data, np.uint8)
    newlines = _newlines(codes)
    opens = _opens(codes, cut, begins, rows)
    ends = np.append(opens[1:], len(rows))
    if len(rows) < len(begins):
        documents, paths = documents.take(rows), paths.take(rows)
    topics, line = Names((), np.full(len(rows), -1)), np.searchsorted(newlines, begins[rows]) + 1
    spans = start[rows], start[rows] + length[rows], paths.code < 0
    results = Results(topics, documents, paths, *spans, rank[rows], score[rows], line)
    rest = _rest(data, begins[rows[opens]], cut.end[rows[ends - 1]], newlines)
    return Bulk(results, ends - opens, rest)


def _names(cut: Cut) -> tuple[Names, Names]:
    documents = cut.names("file", _ODD_XML_NAME)
    path, start, end = (cut.names(name, _ODD_POINTER) for name in ("path", "start", "end"))
    single = np.flatnonzero(path.code >= 0)
    double = np.flatnonzero(cut.matched & cut.has("start"))
    if not len(double):
        return documents, path
    none = Names((), np.full(len(path.code) - len(single) - len(double), -1))
    pairs = pair_names(start.take(double), end.take(double))
    others = np.flatnonzero(~np.isin(np.arange(len(path.code)), np.concatenate((single, double))))
    order = np.argsort(np.concatenate((single, double, others)))
    return documents, join_names([path.take(single), pairs, none], order)


def _newlines(codes: Codes) -> IntArray:
    """Return the offsets of line ends: line feeds, and carriage returns without a line feed."""
    ends = find(codes, lambda some: is_among(some, b"\r\n"))
    single = (codes[ends] == ord("\n")) | (codes.take(ends + 1, mode="clip") != ord("\n"))
    return ends[np.flatnonzero(single)]


def _opens(codes: Codes, cut: Cut, begins: IntArray, rows: IntArray) -> IntArray:
    """Return the rows that are separated from the row before by more than whitespace."""
    gap = begins[rows[1:]] - cut.end[rows[:-1]]
    blank: BoolArray = (gap >= 0) & (gap <= _WIDEST_GAP)
    wide = np.flatnonzero(blank & (gap > 0))
    for step in range(_WIDEST_GAP):
        if not len(wide):
            break
        blank[wide] &= codes[cut.end[rows[wide]] + step] <= ord(" ")
        wide = wide[blank[wide] & (gap[wide] > step + 1)]
    return np.flatnonzero(np.append(True, ~blank))


def _rest(data: bytes, begins: IntArray, ends: IntArray, newlines: IntArray) -> bytes:
    """Return the file with stand-ins instead of results; all other lines keep their numbers."""
    lines = np.searchsorted(newlines, ends) - np.searchsorted(newlines, begins)
    pieces, done = [], 0
    for begin, end, skipped in zip(begins.tolist(), ends.tolist(), lines.tolist(), strict=True):
        pieces += [data[done:begin], f"<{_STAND_IN}/>".encode(), b"\n" * skipped]
        done = end
    return b"".join([*pieces, data[done:]])
