"""Bulk reading of results that look alike: speed only."""

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

#: Where there is no value.
ABSENT = -1
_MOST_BYTES = 2048
_MOST_LAYOUTS = 16

Places: TypeAlias = NDArray[np.integer[Any]]


class Layout(NamedTuple):
    """The pieces, one more than values, and the names of the values; a value without name is not kept."""

    pieces: tuple[bytes, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, record: bytes, values: Sequence[tuple[str, tuple[int, int]]]) -> Layout | None:
        """The layout of one record whose values, named, stand at these places; None if it is too long."""
        cuts = [0, *(place for _, span in values for place in span), len(record)]
        pieces = tuple(record[a:b] for a, b in zip(cuts[::2], cuts[1::2], strict=True))
        if sum(map(len, pieces)) > _MOST_BYTES:
            return None
        return cls(pieces, tuple(name for name, _ in values))


@dataclass(frozen=True, eq=False)
class Anchored:
    """A text and the places of all its anchors."""

    data: bytes
    anchors: bytes

    @cached_property
    def codes(self) -> Codes:
        """The text as numbers."""
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def places(self) -> Places:
        """Where the anchors are, in as few bytes as possible: there are many."""
        return find(self.codes, lambda block: is_among(block, self.anchors))

    def place(self, numbers: IntArray) -> IntArray:
        """Where the anchors of these numbers are."""
        return self.places[numbers].astype(np.int64)

    def starts_with(self, place: Places, text: bytes) -> BoolArray:
        """Whether this text stands at each place; places may be anywhere."""
        last = len(self.data) - len(text)
        if last < 0 or not len(place):
            return np.zeros(len(place), np.bool_)
        # Every stretch of this length, one starting at each byte; neither side may contain NUL.
        stretches = np.ndarray((last + 1,), f"S{len(text)}", self.data, 0, (1,))
        inside = (place >= 0) & (place <= last)
        return np.asarray(inside & (stretches[np.clip(place, 0, last)] == text))

    def match(self, layout: Layout, first: IntArray) -> tuple[BoolArray, list[Places]]:
        """Which records (told by the number of their first anchor) have a layout; where its pieces are."""
        counts = [sum(piece.count(anchor) for anchor in self.anchors) for piece in layout.pieces]
        if not all(counts):
            return np.zeros(len(first), np.bool_), []
        matched = first + sum(counts) <= len(self.places)
        bounds: list[Places] = []
        number = 0
        for piece, count in zip(layout.pieces, counts, strict=True):
            before = min(piece.find(anchor) for anchor in self.anchors if anchor in piece)
            place = self.places[np.minimum(first + number, len(self.places) - 1)] - before
            matched &= self.starts_with(place, piece)
            if bounds:
                matched &= place >= bounds[-1]
            bounds += [place, place + len(piece)]
            number += count
        return matched, bounds


@dataclass(frozen=True, eq=False)
class Cut:
    """What was cut out of records: which ones had a known layout, where they and their values are."""

    data: bytes
    found: BoolArray
    start: IntArray
    end: IntArray
    values: dict[str, tuple[Places, Places]]
    #: Which of the layouts that were tried each record has.
    number: IntArray

    @classmethod
    def of(cls, text: Anchored, first: IntArray, layout_of: Callable[[int], Layout | None]) -> Cut:
        """Cut records by their layouts, which are those of the first records that no earlier one fits."""
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
            matched[0] = True  # it had its chance
            rest = rest[~matched]
        return cut

    def _add(self, names: tuple[str, ...], rows: IntArray, matched: BoolArray, bounds: list[Places]) -> None:
        if not len(rows):
            return
        self.found[rows] = True
        self.start[rows], self.end[rows] = bounds[0][matched], bounds[-1][matched]
        for number, name in enumerate(names):
            if name:
                absent = self.start.shape, ABSENT, bounds[0].dtype
                start, end = self.values.setdefault(name, (np.full(*absent), np.full(*absent)))
                start[rows], end[rows] = (bounds[2 * number + side][matched] for side in (1, 2))

    def has(self, name: str) -> BoolArray:
        """Which records have a value."""
        if name not in self.values:
            return np.zeros(len(self.found), np.bool_)
        return np.asarray(self.values[name][0] != ABSENT)

    def fields(self, name: str) -> tuple[IntArray, Fields]:
        """The records with a known layout that have a value, and these values."""
        rows = np.flatnonzero(self.found & self.has(name))
        start, end = self.values.get(name, (self.start, self.end))
        return rows, Fields(self.data, start[rows].astype(np.int64), end[rows].astype(np.int64))

    def names(self, name: str, odd: re.Pattern[str]) -> Names:
        """The values as names; records where one is empty or has something odd are dropped."""
        rows, values = self.fields(name)
        empty = values.width == 0
        self.drop(rows[empty])
        rows, values = rows[~empty], values[~empty]
        distinct, code = values.encode()
        names = Names(distinct, np.full(len(self.found), -1))
        names.code[rows] = code
        self.drop(rows[~names.fit(odd)[rows]])
        return names

    def drop(self, rows: IntArray) -> None:
        """Leave these records to another reader."""
        self.found[rows] = False


_MOST_JSON_BYTES = 1 << 12
_QUOTE, _BACKSLASH, _NEWLINE, _ZERO, _MINUS = b'"\\\n0-'
_BEGIN, _END = re.compile(rb" *\{"), re.compile(rb" *\n")
_MEMBER = re.compile(rb' *"([^"\\]*)" *: *(?:"([^"\\]*)"|(-?[0-9][0-9.eE+-]*)|(?:null|true|false)) *([,}])')
#: What we read; topics and documents that are numbers have another name, other numbers one of their own.
_TEXTS = ("topic", "document", "path", "run")
_PLACES = ({"start", "end"}, {"offset", "length"})
_NUMBERS = ("score", "rank", *_PLACES[0], *_PLACES[1])
_QUOTED = (*TEXTS, HOW)
_NOT_HERE = "lost"  # such lines are few, and have no place
_OTHERS = ("other number 1", "other number 2", "other number 3", "other number 4")

_ODD_NAME = re.compile("(?!)")  # every string will do
_ODD_CODE = re.compile("^(?!(?:0|-?[1-9][0-9]{0,17})$)", re.MULTILINE)
_ODD_PATH = re.compile("^(?!/[!-~]*(?: /[!-~]*)?$)", re.MULTILINE)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DIGIT, _PLAIN = (np.isin(np.arange(256), list(some)) for some in (b"0123456789", b"0123456789-."))
_LONGEST_NUMBER = 40  # longer whole numbers may be too large for a double


class Lines(NamedTuple):
    """The results of usual lines, the name of the run in each; the other lines, numbered; unknown keys.

    Besides the texts that the usual lines quote, by line, where these were asked for.
    """

    results: Results
    names: Names
    others: list[tuple[int, str]]
    unknown: set[str]
    quotes: dict[int, str]


def cut_lines(text: bytes, *, quotes: bool = False) -> Lines | None:
    """Cut the values out of all usual lines, texts only if they are asked for; None where there are none."""
    unknown: list[set[str]] = []
    cut, begins, ends = _cut(text, unknown)
    results, names = _columns(cut)
    if not len(results.line):
        return None
    others = [
        (row + 1, text[int(begins[row]) : int(ends[row]) - 1].decode())
        for row in np.flatnonzero(~cut.found).tolist()
    ]
    last = (len(ends) + 1, text[int(ends[-1]) :].decode())  # it need not have an end
    left_out = [unknown[number] for number in np.unique(cut.number[cut.found]).tolist()]
    return Lines(results, names, [*others, last], set().union(*left_out), _quotes(cut) if quotes else {})


def _quotes(cut: Cut) -> dict[int, str]:
    """The text of each line that has one, by the number of the line."""
    fields: dict[int, dict[str, str]] = {}
    for key in _QUOTED:
        rows, values = cut.fields(key)
        for row, value in zip(rows.tolist(), values.texts(), strict=True):
            fields.setdefault(row + 1, {})[key] = value
    found = {line: quote_of(of) for line, of in fields.items()}
    return {line: quote for line, quote in found.items() if quote is not None}


def _cut(text: bytes, unknown: list[set[str]]) -> tuple[Cut, IntArray, IntArray]:
    """What was cut out of the lines, and where they begin and end."""
    anchored = Anchored(text, bytes((_QUOTE, _NEWLINE)))
    numbers = np.flatnonzero(anchored.codes[anchored.places] == _NEWLINE)
    ends = anchored.place(numbers) + 1
    begins = np.append(0, ends[:-1])[: len(ends)]
    first = np.append(0, numbers[:-1] + 1)[: len(ends)]
    cut = Cut.of(anchored, first, lambda row: _layout(text[int(begins[row]) : int(ends[row])], unknown))
    cut.drop(np.flatnonzero(cut.start != begins))
    cut.drop(_unusual_lines(anchored, ends))
    return cut, begins, ends


def _unusual_lines(text: Anchored, ends: IntArray) -> IntArray:
    """The lines with escapes, or with control characters, which may not stand in strings."""
    odd = find(text.codes, lambda codes: (codes < ord(" ")) & (codes != _NEWLINE) | (codes == _BACKSLASH))
    lines = np.unique(np.searchsorted(ends, odd, side="right"))
    return lines[lines < len(ends)]


def _layout(line: bytes, unknown: list[set[str]]) -> Layout | None:
    """The layout of a line; None where it has anything unusual, or lacks something.

    Keys that are not known are appended to `unknown`.
    """
    unknown.append(set())
    opening = _BEGIN.match(line)
    if opening is None or len(line) > _MOST_JSON_BYTES:
        return None
    keys: list[str] = []
    values: list[tuple[str, tuple[int, int]]] = []
    others = list(_OTHERS)
    place, separator = opening.end(), b","
    while separator == b"," and (member := _MEMBER.match(line, place)):
        place, separator = member.end(), member[4]
        key = member[1].decode()
        keys.append(SPELLINGS.get(key, key))
        name = _value_name(keys[-1], member[2] is not None, member[3] is not None)
        if name is None or (name == "" and member[3] is not None and not others):
            return None
        if member[2] is not None:
            values.append((name, member.span(2)))
        elif member[3] is not None:
            values.append((name or others.pop(), member.span(3)))
    pairs = [len(pair & set(keys)) for pair in _PLACES]
    whole = separator == b"}" and _END.fullmatch(line, place)
    usual = len(set(keys)) == len(keys) and {"topic", "document"} <= set(keys)
    others_ = set(keys) - KEYS.keys()
    placed = any(pairs) or "path" in keys or not any(map(looks_like_location, others_))
    if not (whole and usual and placed and sorted(pairs) in ([0, 0], [0, 2])):
        return None
    unknown[-1] = others_
    return Layout.of(line, values)


def _value_name(key: str, is_text: bool, is_number: bool) -> str | None:
    """What a value is called in a layout: "" for those of no meaning, None for those of a wrong type."""
    if key in _TEXTS[:2] and is_number:
        return f"number of {key}"
    if key in _TEXTS:
        return key if is_text else None
    if key in _NUMBERS or key in COSTS:
        return key if is_number else None
    if key in _QUOTED and is_text:
        return key
    return "" if key != _NOT_HERE else None


def _columns(cut: Cut) -> tuple[Results, Names]:
    rows = len(cut.found)
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
    good = np.flatnonzero(cut.found)
    if len(good) < rows:
        topics, documents, paths, names = (column.take(good) for column in (topics, documents, paths, names))
    placed = (has_offset | cut.has("start"))[good]
    start, end, rank, score = start[good], end[good], rank[good], score[good]
    extra = {name: told for name, cost in costs.items() if len(told := cost[good]) and told.max() >= 0}
    return Results(topics, documents, paths, start, end, placed, rank, score, good + 1, extra), names


def _ids(cut: Cut, name: str) -> Names:
    """Strings or whole numbers."""
    texts, numbers = cut.names(name, _ODD_NAME), cut.names(f"number of {name}", _ODD_CODE)
    if not numbers.distinct:
        return texts
    is_number = numbers.code >= 0
    one, two = np.flatnonzero(~is_number), np.flatnonzero(is_number)
    return join_names([texts.take(one), numbers.take(two)], np.argsort(np.concatenate((one, two))))


def _whole(cut: Cut, name: str, missing: int) -> IntArray:
    """Whole numbers from 0 to 2**31-1 as JSON spells them."""
    column = np.full(len(cut.found), missing, np.int64)
    there, values = cut.fields(name)
    column[there], good = values.digits()
    cut.drop(there[~good | ((values.width > 1) & (values.byte(0) == _ZERO))])
    return column


def _score(cut: Cut, name: str) -> FloatArray:
    column = np.full(len(cut.found), np.nan)
    there, values = cut.fields(name)
    column[there], good = values.floats()
    cut.drop(there[~(good & _spelt(values))])
    # The whole number -0 is 0, the number -0.0 is not.
    cut.drop(there[(column[there] == 0) & (values.byte(0) == _MINUS)])
    return column


def _spelt(values: Fields) -> BoolArray:
    """Which of the numbers that Python reads are spelt as in JSON: not `.5`, `5.`, `05` or `Infinity`."""
    minus = values.byte(0) == _MINUS
    digits = Fields(values.data, values.start + minus, values.end)
    good = (digits.width > 0) & (values.width <= _LONGEST_NUMBER)
    last = Fields(values.data, values.end - 1, values.end)
    plain = good.copy()
    for place in range(min(int(values.width.max(initial=0)), _LONGEST_NUMBER)):
        plain &= (values.width <= place) | _PLAIN[values.byte(place)]
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

# What may stand in a result: an element with a value, an empty one with two, one of no meaning here.
# Blanks are never given back (`*+`): many of them must not be tried in all ways.
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

#: What names do not have: markup, blanks around them, characters that XML does not allow.
_ODD_XML_NAME = re.compile("^ | $|[\\x00-\\x09\\x0b-\\x1f<>&\ufffe\uffff]", re.MULTILINE)
_ODD_POINTER = re.compile("^(?!/)|[^\n!-%'-;=?-~]", re.MULTILINE)


class Bulk(NamedTuple):
    """What was cut out, without topics yet, and the rest of the file."""

    results: Results
    #: How many results each stand-in replaces.
    counts: IntArray
    rest: bytes
    #: The element that stands for results that were cut out.
    stand_in: str = _STAND_IN


def cut_results(data: bytes) -> Bulk | None:
    """Cut all results of the usual form out of a file in UTF-8; None where that is not possible."""
    if _OPEN not in data or _STAND_IN.encode() in data or not _is_text(data):
        return None
    places, cut = _cut_xml(data)
    return _xml_columns(data, cut, places)


def _is_text(data: bytes) -> bool:
    """Whether there are only bytes that XML in UTF-8 may contain."""
    codes = np.frombuffer(data, np.uint8)
    if not is_among(codes[find(codes, lambda some: some < ord(" "))], b"\t\r\n").all():
        return False
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def _cut_xml(data: bytes) -> tuple[IntArray, Cut]:
    """Where the results begin, and what was cut out of them."""
    text = Anchored(data, b"<" + _quote(data))
    first = _openings(text)
    places = text.place(first)
    return places, Cut.of(text, first, lambda row: _xml_layout(_block(data, int(places[row]))))


def _quote(data: bytes) -> bytes:
    """What attributes are quoted with, judged by the first one."""
    begin = data.find(_OPEN)
    single, double = (data.find(mark, begin) for mark in (b"='", b'="'))
    return b"'" if single >= 0 and not 0 <= double < single else b'"'


def _block(data: bytes, begin: int) -> bytes:
    """The result that begins at a place, as far as it is of usual length."""
    end = data.find(_CLOSE, begin, begin + _MOST_XML_BYTES)
    return data[begin : end + len(_CLOSE)] if end >= 0 else b""


def _openings(text: Anchored) -> IntArray:
    """The numbers of the anchors that begin a result."""
    letter = text.codes[1:].take(text.places, mode="clip")
    likely = np.flatnonzero(letter == _OPEN[1])
    return likely[text.starts_with(text.place(likely), _OPEN)]


def _xml_layout(block: bytes) -> Layout | None:
    """The layout of a result; None where it is not one of the usual form."""
    values: list[tuple[str, tuple[int, int]]] = []
    place = len(_OPEN)
    while item := _ITEM.match(block, place):
        place = item.end()
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
    where = [sorted(set(names) & place) for place in ({"path"}, {"offset", "length"}, {"start", "end"})]
    usual = len(set(names)) == len(names) and "file" in names and sum(map(bool, where)) == 1
    return Layout.of(block, values) if usual and _XML_END.fullmatch(block, place) else None


def _xml_columns(data: bytes, cut: Cut, places: IntArray) -> Bulk | None:
    documents, paths = _names(cut)
    rows = np.arange(len(places))
    rank, score = np.full(len(rows), UNKNOWN, np.int64), np.full(len(rows), np.nan)
    start, length = np.full(len(rows), UNKNOWN, np.int64), np.zeros(len(rows), np.int64)
    for name, column in (("rank", rank), ("offset", start), ("length", length)):
        there, values = cut.fields(name)
        column[there], good = values.integers()
        cut.drop(there[~good])
    there, values = cut.fields("rsv")
    score[there], good = values.floats()
    cut.drop(there[~good])
    rows = np.flatnonzero(cut.found)
    if not len(rows):
        return None
    codes = np.frombuffer(data, np.uint8)
    newlines = _newlines(codes)
    opens = _opens(codes, cut, places, rows)
    ends = np.append(opens[1:], len(rows))
    if len(rows) < len(places):
        documents, paths = documents.take(rows), paths.take(rows)
    topics, line = Names((), np.full(len(rows), -1)), np.searchsorted(newlines, places[rows]) + 1
    spans = start[rows], start[rows] + length[rows], paths.code < 0
    results = Results(topics, documents, paths, *spans, rank[rows], score[rows], line)
    rest = _rest(data, places[rows[opens]], cut.end[rows[ends - 1]], newlines)
    return Bulk(results, ends - opens, rest)


def _names(cut: Cut) -> tuple[Names, Names]:
    """Documents and paths of all rows; those whose name is unusual are dropped."""
    documents = cut.names("file", _ODD_XML_NAME)
    path, start, end = (cut.names(name, _ODD_POINTER) for name in ("path", "start", "end"))
    single = np.flatnonzero(path.code >= 0)
    double = np.flatnonzero(cut.found & cut.has("start"))
    if not len(double):
        return documents, path
    none = Names((), np.full(len(path.code) - len(single) - len(double), -1))
    pairs = pair_names(start.take(double), end.take(double))
    others = np.flatnonzero(~np.isin(np.arange(len(path.code)), np.concatenate((single, double))))
    order = np.argsort(np.concatenate((single, double, others)))
    return documents, join_names([path.take(single), pairs, none], order)


def _newlines(codes: Codes) -> IntArray:
    """Where lines end: at line feeds, and at carriage returns without one."""
    ends = find(codes, lambda some: is_among(some, b"\r\n"))
    single = (codes[ends] == ord("\n")) | (codes.take(ends + 1, mode="clip") != ord("\n"))
    return ends[np.flatnonzero(single)]


def _opens(codes: Codes, cut: Cut, places: IntArray, rows: IntArray) -> IntArray:
    """Which of the rows do not follow the one before with only blanks between them."""
    gap = places[rows[1:]] - cut.end[rows[:-1]]
    blank: BoolArray = (gap >= 0) & (gap <= _WIDEST_GAP)
    wide = np.flatnonzero(blank & (gap > 0))
    for step in range(_WIDEST_GAP):
        if not len(wide):
            break
        blank[wide] &= codes[cut.end[rows[wide]] + step] <= ord(" ")
        wide = wide[blank[wide] & (gap[wide] > step + 1)]
    return np.flatnonzero(np.append(True, ~blank))


def _rest(data: bytes, begins: IntArray, ends: IntArray, newlines: IntArray) -> bytes:
    """The file with stand-ins instead of results, every other line at its number."""
    lines = np.searchsorted(newlines, ends) - np.searchsorted(newlines, begins)
    pieces, done = [], 0
    for begin, end, skipped in zip(begins.tolist(), ends.tolist(), lines.tolist(), strict=True):
        pieces += [data[done:begin], f"<{_STAND_IN}/>".encode(), b"\n" * skipped]
        done = end
    return b"".join([*pieces, data[done:]])
