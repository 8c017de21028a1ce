"""Fast readers of results that share a layout, in JSON Lines and XML; they change speed only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from excerpt.formats.reader import Names, Results, join_names, pair_names
from excerpt.formats.text.columns import Codes, Fields, find, is_among
from excerpt.model.field_names import COSTS, HOW, KEYS, SPELLINGS, TEXTS, looks_like_location, rename
from excerpt.model.rows import Trimmed
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray

#: The offset of a value that a record lacks.
ABSENT = -1
_MOST_BYTES = 2048
_MOST_LAYOUTS = 16
_MOST_VALUES = 32

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
            left = np.ones(len(rest), np.bool_)
            left[0] = False  # the record that gave the layout is not tried again
            if layout is not None:
                rows, bounds = text.match(layout, first[rest])
                cut._add(layout.names, rest[rows], bounds)
                cut.number[rest[rows]], left[rows] = number, False
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

    def names(self, name: str, odd: re.Pattern[str], *, escapes: bool = False) -> Names:
        """Return the values as names, without their escapes; drop those that are empty or match `odd`."""
        rows, values = self.fields(name)
        empty = values.width == 0
        self.drop(rows[empty])
        rows, values = rows[~empty], values[~empty]
        distinct, code = values.encode()
        if escapes and "\\" in "".join(distinct):
            distinct, number = encode(_unescaped(distinct))
            code = number[code]
        names = Names(distinct, np.full(len(self.matched), -1))
        names.code[rows] = code
        self.drop(rows[~names.fit(odd)[rows]])
        return names

    def drop(self, rows: IntArray) -> None:
        """Leave these records to the slow reader."""
        self.matched[rows] = False


_SAMPLED_BYTES = 1 << 12
_QUOTE, _BACKSLASH, _NEWLINE, _ZERO, _MINUS = b'"\\\n0-'
#: A key, a string, a number or a list of numbers, of any spelling. Possessive quantifiers: linear time.
_TOKEN = re.compile(
    rb'"(?:[^"\\]|\\.)*+" *+:|"((?:[^"\\]|\\.)*+)"|(-?[0-9][0-9.eE+-]*+)|(\[[0-9.eE+, -]*+\])'
)
_TEXT, _NUMERAL, _LIST = 1, 2, 3  # groups of the token
_SPAN_KEYS = ({"start", "end"}, {"offset", "length"})
#: Kinds of values of the keys that are read. Lines with `lost` are few and have no offsets.
_KINDS = {
    **dict.fromkeys(("topic", "document"), (_TEXT, _NUMERAL)),
    **dict.fromkeys(("path", "run"), (_TEXT,)),
    **dict.fromkeys(("score", "rank", *_SPAN_KEYS[0], *_SPAN_KEYS[1], *COSTS), (_NUMERAL,)),
    **dict.fromkeys((*TEXTS, HOW), (_TEXT,)),
    "lost": (),
}
_OTHER = "other number ", "list of numbers "

_ODD_NAME = re.compile("[\ud800-\udfff]")  # every string is allowed, but no half of a surrogate pair
_ODD_CODE = re.compile("^(?!(?:0|-?[1-9][0-9]{0,17})$)", re.MULTILINE)
_ODD_PATH = re.compile("^(?!/[!-~]*(?: /[!-~]*)?$)", re.MULTILINE)
_SPELLED = r"-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(_SPELLED)
_ODD_LIST = re.compile(rf"^(?!\[ *(?:{_SPELLED} *(?:, *{_SPELLED} *)*+)?\]$)", re.MULTILINE)
_DIGIT, _HEX, _ESCAPED = (
    np.isin(np.arange(256), list(some)) for some in (b"0123456789", b"0123456789abcdefABCDEF", b'"\\/bfnrtu')
)
_LONGEST_NUMBER = 40  # longer whole numbers may be too large for a double


class JsonText(Anchored):
    """JSON Lines. Their anchors are line ends and the quotation marks that are not escaped."""

    @cached_property
    def marks(self) -> Offsets:
        """Offsets of all quotation marks and control characters."""
        return find(self.codes, lambda block: (block ^ 2) <= ord(" "))  # 34 ^ 2 is 32

    @cached_property
    def kinds(self) -> Codes:
        """The characters at the marks."""
        return self.codes.take(self.marks)

    @cached_property
    def escapes(self) -> Offsets:
        """Offsets of the backslashes that escape the byte after them."""
        if b"\\" not in self.data:
            return self.marks[:0]
        slashes = find(self.codes, lambda block: block == _BACKSLASH)
        begins = np.maximum.accumulate(np.where(np.diff(slashes, prepend=-2) > 1, slashes, 0))
        return np.asarray(slashes[(slashes - begins) % 2 == 0])

    @cached_property
    def quoted(self) -> Offsets:
        """Offsets of the escaped quotation marks."""
        return np.asarray(self.escapes[self.codes.take(self.escapes + 1, mode="clip") == _QUOTE] + 1)

    @cached_property
    def offsets(self) -> Offsets:
        """Offsets of all anchors."""
        anchors = is_among(self.kinds, self.anchors)
        anchors[np.searchsorted(self.marks, self.quoted)] = False
        return self.marks if anchors.all() else self.marks[anchors]

    def faults(self) -> Offsets:
        """Return offsets of control characters and of escapes that JSON does not have."""
        odd = self.marks[(self.kinds < ord(" ")) & (self.kinds != _NEWLINE)]
        kinds = self.codes.take(self.escapes + 1, mode="clip")
        good, units = _ESCAPED[kinds], np.flatnonzero(kinds == ord("u"))
        for digit in range(2, 6):
            good[units] &= _HEX[self.codes.take(self.escapes[units] + digit, mode="clip")]
        return np.sort(np.concatenate((odd, self.escapes[~good])))


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
    shapes: list[tuple[set[str], bool]] = []
    anchored = JsonText(text, bytes((_QUOTE, _NEWLINE)))
    cut, begins, ends = _cut(anchored, shapes)
    marks = (anchored.faults(), anchored.escapes, anchored.quoted)
    counts = (np.searchsorted(at, ends.astype(at.dtype)) for at in marks)
    faulty, escaped, quoted = (np.diff(count, prepend=0) > 0 for count in counts)
    cut.drop(np.flatnonzero(faulty | (cut.start != begins)))
    flat = np.array([*(flat for _, flat in shapes), False])[cut.number]
    plain = flat & ~escaped & (ends - begins <= _SAMPLED_BYTES)
    step = 1 if quotes is None else -(-len(ends) // quotes)
    skipped = _alike(cut.number, plain, quoted) & ~escaped & (np.arange(len(ends)) % step > 0)
    texts = _texts(cut, ~skipped)
    results, names = _columns(cut, texts)
    if not len(results.line):
        return None
    others = [
        (row + 1, text[int(begins[row]) : int(ends[row]) - 1].decode())
        for row in np.flatnonzero(~cut.matched).tolist()
    ]
    last = (len(ends) + 1, text[int(ends[-1]) :].decode())  # the last line may lack a line end
    unknown = [shapes[number][0] for number in np.unique(cut.number[cut.matched]).tolist()]
    found = {row + 1: quote for row, quote in texts.items() if quote and cut.matched[row]}
    return Lines(results, names, [*others, last], set().union(*unknown), found)


def _alike(number: IntArray, plain: BoolArray, quoted: BoolArray) -> BoolArray:
    """Return the rows with the layouts of plain rows, from the first of these on; `quoted` rows are tried."""
    alike, rest = np.zeros(len(number), np.bool_), np.arange(len(number))
    for _ in range(_MOST_LAYOUTS):
        first = rest[:1]
        tried = (number[rest] == number[first]) & ~quoted[rest] if plain[first].all() else rest == first
        alike[rest[tried]] = plain[first]
        rest = rest[~tried]
    return alike


def _texts(cut: Cut, chosen: BoolArray) -> dict[int, str]:
    """Return the texts of the rows that are chosen."""
    texts: dict[int, str] = {}
    for key in (*reversed(TEXTS), HOW):  # the first of several texts counts
        rows, values = cut.fields(key)
        some = chosen[rows]
        found = dict(zip(rows[some].tolist(), _unescaped(values[some].texts()), strict=True))
        if key == HOW:
            found = {at: Trimmed(texts[at]) for at, how in found.items() if how == "trimmed" and at in texts}
        texts |= found
    return texts


def _unescaped(texts: Iterable[str]) -> list[str]:
    """Return the strings that texts between quotation marks mean in JSON."""
    from json.decoder import scanstring  # type: ignore[attr-defined]  # imported here: few files have escapes

    return [scanstring(f'{text}"', 0)[0] if "\\" in text else text for text in texts]


def _cut(text: JsonText, shapes: list[tuple[set[str], bool]]) -> tuple[Cut, IntArray, IntArray]:
    """Cut lines; return their values, and where each line begins and ends."""
    whole = len(text.offsets) == len(text.marks)
    numbers = np.flatnonzero((text.kinds if whole else text.codes[text.offsets]) == _NEWLINE)
    ends = text.offsets_of(numbers) + 1
    begins = np.append(0, ends[:-1])[: len(ends)]
    first = np.append(0, numbers[:-1] + 1)[: len(ends)]
    return Cut.of(text, first, lambda row: _layout(text.data[begins[row] : ends[row]], shapes)), begins, ends


def _layout(line: bytes, shapes: list[tuple[set[str], bool]]) -> Layout | None:
    """Return the layout of a regular line, else None; append its unknown keys, and whether it is flat."""
    shapes.append((set(), True))
    from excerpt.gold.file import parse_json  # imported here: XML does not need it

    tokens: list[re.Match[bytes]] = []

    def number(token: re.Match[bytes]) -> bytes:
        tokens.extend([token] if token.lastindex else ())
        return b" %d " % (len(tokens) - 1) if token.lastindex else token[0]

    # The object with the numbers of its tokens as values; spellings and escapes are checked in all lines.
    fields = parse_json(_TOKEN.sub(number, line).decode(), object_pairs_hook=_distinct_keys)
    if not isinstance(fields, dict) or len(tokens) > _MOST_VALUES:
        return None
    renamed, outside = rename(fields), [SPELLINGS.get(key, key) for key in fields]
    kinds = [token.lastindex or 0 for token in tokens]
    names = [f"{_OTHER[kind - 2]}{at}" if kind != _TEXT else "" for at, kind in enumerate(kinds)]
    for key, value in renamed.items():
        kind = kinds[value] if type(value) is int else 0
        if key in _KINDS and kind not in _KINDS[key]:
            return None
        if key in _KINDS:
            names[value] = key if kind == _KINDS[key][0] else f"number of {key}"
    pairs = [len(pair & renamed.keys()) for pair in _SPAN_KEYS]
    quoted = "start" in renamed and not set(names).isdisjoint(TEXTS)
    regular = len(set(outside)) == len(outside) and {"topic", "document"} <= renamed.keys()
    unknown = renamed.keys() - KEYS.keys()
    located = any(pairs) or "path" in renamed or not any(map(looks_like_location, unknown))
    if not (regular and located and (sorted(pairs) in ([0, 0], [0, 2]) or (quoted and pairs == [1, 0]))):
        return None
    spans = (token.span(kind) for token, kind in zip(tokens, kinds, strict=True))
    nested = _LIST in kinds or any(isinstance(value, dict | list) for value in fields.values())
    shapes[-1] = unknown, 1 not in pairs and not nested
    layout = Layout.of(line, list(zip(names, spans, strict=True)))
    return None if layout is None or b"\\" in b"".join(layout.pieces) else layout


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError
    return fields


def _columns(cut: Cut, texts: dict[int, str]) -> tuple[Results, Names]:
    rows = len(cut.matched)
    for name in [name for name in cut.values if name.startswith(_OTHER)]:
        _score(cut, name) if name.startswith(_OTHER[0]) else cut.names(name, _ODD_LIST)
    rank, score = _whole(cut, "rank", UNKNOWN), _score(cut, "score")
    start, end = _whole(cut, "start", UNKNOWN), _whole(cut, "end", UNKNOWN)
    open_ = np.flatnonzero(cut.matched & cut.has("start") & ~cut.has("end"))  # they end with their text
    length = np.array([len(texts[row]) for row in open_.tolist()], np.int64)
    end[open_] = np.where(length, start[open_] + length, UNKNOWN)
    offset, length = _whole(cut, "offset", UNKNOWN), _whole(cut, "length", 0)
    has_offset = cut.has("offset")
    start, end = np.where(has_offset, offset, start), np.where(has_offset, offset + length, end)
    cut.drop(np.flatnonzero(start > end))
    costs = {name: _whole(cut, name, UNKNOWN) for name in COSTS}
    topics, documents = _ids(cut, "topic"), _ids(cut, "document")
    paths = cut.names("path", _ODD_PATH, escapes=True)
    names = cut.names("run", _ODD_NAME, escapes=True)
    good = np.flatnonzero(cut.matched)
    if len(good) < rows:
        topics, documents, paths, names = (column.take(good) for column in (topics, documents, paths, names))
    placed = (has_offset | cut.has("start"))[good]
    start, end, rank, score = start[good], end[good], rank[good], score[good]
    extra = {name: column for name, cost in costs.items() if len(column := cost[good]) and column.max() >= 0}
    return Results(topics, documents, paths, start, end, placed, rank, score, good + 1, extra), names


def _ids(cut: Cut, name: str) -> Names:
    texts, numbers = cut.names(name, _ODD_NAME, escapes=True), cut.names(f"number of {name}", _ODD_CODE)
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
    """Return a column of numbers as JSON spells them: not `.5`, `5.`, `05` or `Infinity`, as Python may."""
    column = np.full(len(cut.matched), np.nan)
    there, values = cut.fields(name)
    column[there], good = values.plain_decimals()
    rest = np.flatnonzero(~good)
    minus = values.byte(0) == _MINUS
    digits = Fields(values.data, values.start + minus, values.end)
    last = Fields(values.data, values.end - 1, values.end)
    good &= _DIGIT[digits.byte(0)] & _DIGIT[last.byte(0)]
    good &= (digits.width < 2) | (digits.byte(0) != _ZERO) | ~_DIGIT[digits.byte(1)]
    texts = values[rest].texts()
    good[rest] = [len(text) <= _LONGEST_NUMBER and bool(_NUMBER.fullmatch(text)) for text in texts]
    column[there[rest]] = [float(text) if fine else 0 for text, fine in zip(texts, good[rest], strict=True)]
    # The whole number -0 is 0, the number -0.0 is not.
    cut.drop(there[~good | ((column[there] == 0) & minus)])
    return column


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

    results: Results
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


def _cut_xml(data: bytes) -> tuple[IntArray, Cut]:
    mark = _MARK.search(data, data.find(_OPEN))  # that of the first attribute
    text = Anchored(data, b"<" + (mark[1] if mark else b'"'))
    likely = np.flatnonzero(text.codes[1:].take(text.offsets, mode="clip") == _OPEN[1])
    first = likely[text.starts_with(text.offsets_of(likely), _OPEN)]
    begins = text.offsets_of(first)
    return begins, Cut.of(text, first, lambda row: _xml_layout(_block(data, int(begins[row]))))


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


def _xml_columns(data: bytes, cut: Cut, begins: IntArray, newlines: IntArray) -> Bulk | None:
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
    topics, line = Names((), np.full(len(rows), -1)), np.searchsorted(newlines, begins[rows]) + 1
    spans = start[rows], start[rows] + length[rows], paths.code < 0
    results = Results(topics, documents, paths, *spans, rank[rows], score[rows], line)
    rest = _rest(data, begins[rows[opens]], cut.end[rows[ends - 1]], newlines)
    # An element of the file itself may have the same name.
    return Bulk(results, ends - opens, rest) if rest.count(_STAND_IN.encode()) == len(opens) else None


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


def _newlines(codes: Codes, control: IntArray) -> IntArray:
    """Return which control characters are line ends: line feeds, and carriage returns without one."""
    ends = control[is_among(codes[control], b"\r\n")]
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
