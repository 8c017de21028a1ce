"""A fast reader of results in XML that share a layout; it changes speed only."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from excerpt.formats.reader import NameColumn, ResultTable, join_names, pair_names
from excerpt.formats.text.columns import Codes, Fields, find, is_among
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray

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

    def match(self, layout: Layout, first: IntArray) -> tuple[IntArray, list[Offsets]]:
        """Find the records with a layout, by their first anchors; return their rows and bounds of pieces."""
        counts = [sum(piece.count(anchor) for anchor in self.anchors) for piece in layout.pieces]
        rows = np.flatnonzero(first + sum(counts) <= len(self.offsets)) if all(counts) else first[:0]
        at = first[rows]
        last, bounds = len(counts) - 1, list[Offsets]()
        # The last piece comes first: there, records with another number of anchors differ.
        for number in (last, *range(last)) if len(rows) else ():
            piece = layout.pieces[number]
            before = min(piece.find(anchor) for anchor in self.anchors if anchor in piece)
            offset = self.offsets[at + sum(counts[:number])] - before
            good = self.starts_with(offset, piece)
            if bounds:
                good &= offset + len(piece) <= bounds[0]
            if len(bounds) > 2:
                good &= offset >= bounds[-1]
            bounds += [offset, offset + len(piece)]
            if not good.all():
                rows, at, bounds = rows[good], at[good], [some[good] for some in bounds]
        return rows, bounds[2:] + bounds[:2]


@dataclass(frozen=True, eq=False)
class CutRecords:
    """Records with a known layout: which rows match, their bounds, and the bounds of their values."""

    data: bytes
    matched: BoolArray
    start: IntArray
    end: IntArray
    values: dict[str, tuple[Offsets, Offsets]]

    @classmethod
    def of(cls, text: Anchored, first: IntArray, layout_of: Callable[[int], Layout | None]) -> CutRecords:
        """Cut records by layouts; each layout is that of the first record that no earlier layout fits."""
        start, end = (np.full(len(first), ABSENT, np.int64) for _ in range(2))
        cut = cls(text.data, np.zeros(len(first), np.bool_), start, end, {})
        rest = np.arange(len(first))
        for _ in range(_MOST_LAYOUTS):
            if not len(rest):
                break
            layout = layout_of(int(rest[0]))
            left = np.ones(len(rest), np.bool_)
            left[0] = False  # the record that gave the layout is not tried again
            if layout is not None:
                rows, bounds = text.match(layout, first[rest])
                cut._add(layout.names, rest[rows], bounds)
                left[rows] = False
            rest = rest[left]
        return cut

    def _add(self, names: tuple[str, ...], rows: IntArray, bounds: list[Offsets]) -> None:
        if not len(rows):
            return
        at = rows if len(rows) < len(self.matched) else slice(None)  # much faster
        self.matched[at] = True
        self.start[at], self.end[at] = bounds[0], bounds[-1]
        for number, name in enumerate(names):
            if name:
                absent = self.start.shape, ABSENT, bounds[0].dtype
                start, end = self.values.setdefault(name, (np.full(*absent), np.full(*absent)))
                start[at], end[at] = bounds[2 * number + 1 : 2 * number + 3]

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

    def names(self, name: str, odd: re.Pattern[str]) -> NameColumn:
        """Return the values as names; drop those that are empty or match `odd`."""
        rows, values = self.fields(name)
        empty = values.width == 0
        self.drop(rows[empty])
        rows, values = rows[~empty], values[~empty]
        distinct, code = values.encode()
        names = NameColumn(distinct, np.full(len(self.matched), -1))
        names.code[rows] = code
        self.drop(rows[~names.fit(odd)[rows]])
        return names

    def drop(self, rows: IntArray) -> None:
        """Leave these records to the slow reader."""
        self.matched[rows] = False


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
_MARK = re.compile(rb"=([\"'])")
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

    results: ResultTable
    #: Number of results that each stand-in replaces.
    counts: IntArray
    rest: bytes
    #: Name of the element that replaces results in the rest.
    stand_in: str = _STAND_IN


def cut_results(data: bytes) -> Bulk | None:
    """Cut all regular results out of a file in UTF-8; None if that is not possible."""
    if _OPEN not in data:
        return None
    codes = np.frombuffer(data, np.uint8)
    control = find(codes, lambda some: some < ord(" "))
    if not _is_text(data, codes[control]):
        return None
    begins, cut = _cut_xml(data)
    return _xml_columns(data, cut, begins, _newlines(codes, control))


def _is_text(data: bytes, control: Codes) -> bool:
    """Return whether all bytes, and these control characters, are allowed in XML in UTF-8."""
    try:
        return bool(is_among(control, b"\t\r\n").all()) and (data.isascii() or bool(data.decode()))
    except UnicodeDecodeError:
        return False


def _cut_xml(data: bytes) -> tuple[IntArray, CutRecords]:
    mark = _MARK.search(data, data.find(_OPEN))  # that of the first attribute
    text = Anchored(data, b"<" + (mark[1] if mark else b'"'))
    likely = np.flatnonzero(text.codes[1:].take(text.offsets, mode="clip") == _OPEN[1])
    first = likely[text.starts_with(text.offsets_of(likely), _OPEN)]
    begins = text.offsets_of(first)
    return begins, CutRecords.of(text, first, lambda row: _xml_layout(_block(data, int(begins[row]))))


def _block(data: bytes, begin: int) -> bytes:
    """Return the result that begins at an offset; nothing if it is very long."""
    end = data.find(_CLOSE, begin, begin + _MOST_XML_BYTES)
    return data[begin : end + len(_CLOSE)] if end >= 0 else b""


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


def _xml_columns(data: bytes, cut: CutRecords, begins: IntArray, newlines: IntArray) -> Bulk | None:
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
    opens = _opens(np.frombuffer(data, np.uint8), cut, begins, rows)
    ends = np.append(opens[1:], len(rows))
    if len(rows) < len(begins):
        documents, paths = documents.take(rows), paths.take(rows)
    topics, line = NameColumn((), np.full(len(rows), -1)), np.searchsorted(newlines, begins[rows]) + 1
    spans = start[rows], start[rows] + length[rows], paths.code < 0
    results = ResultTable(topics, documents, paths, *spans, rank[rows], score[rows], line)
    rest = _rest(data, begins[rows[opens]], cut.end[rows[ends - 1]], newlines)
    # An element of the file itself may have the same name.
    return Bulk(results, ends - opens, rest) if rest.count(_STAND_IN.encode()) == len(opens) else None


def _names(cut: CutRecords) -> tuple[NameColumn, NameColumn]:
    documents = cut.names("file", _ODD_XML_NAME)
    path, start, end = (cut.names(name, _ODD_POINTER) for name in ("path", "start", "end"))
    single = np.flatnonzero(path.code >= 0)
    double = np.flatnonzero(cut.matched & cut.has("start"))
    if not len(double):
        return documents, path
    none = NameColumn((), np.full(len(path.code) - len(single) - len(double), -1))
    pairs = pair_names(start.take(double), end.take(double))
    others = np.flatnonzero(~np.isin(np.arange(len(path.code)), np.concatenate((single, double))))
    order = np.argsort(np.concatenate((single, double, others)))
    return documents, join_names([path.take(single), pairs, none], order)


def _newlines(codes: Codes, control: IntArray) -> IntArray:
    """Return which control characters are line ends: line feeds, and carriage returns without one."""
    ends = control[is_among(codes[control], b"\r\n")]
    single = (codes[ends] == ord("\n")) | (codes.take(ends + 1, mode="clip") != ord("\n"))
    return ends[np.flatnonzero(single)]


def _opens(codes: Codes, cut: CutRecords, begins: IntArray, rows: IntArray) -> IntArray:
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
