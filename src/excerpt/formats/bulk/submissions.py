"""The results of a submission that all look alike, cut out of the XML all at once.

What is cut out is replaced by an element, the stand-in, and the rest is read as XML: it is well-formed
if and only if the whole is, and the parser meets every stand-in unless it is in a comment or the like.
Everything that is unusual, from an entity to a missing field, stays in the rest.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from excerpt.formats.bulk.layouts import Anchored, Cut, Layout
from excerpt.formats.results import Names, Results, join_names, pair_names
from excerpt.formats.text.fields import Codes, find, is_among
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray

_STAND_IN = "excerpt-results"
_OPEN, _CLOSE = b"<result>", b"</result>"
_TEXTS = ("file", "path", "rank", "rsv")
_MOST_BYTES = 1 << 12
_WIDEST_GAP = 256

# What may stand in a result: an element with a value, an empty one with two, one of no meaning here.
# Blanks are never given back (`*+`): many of them must not be tried in all ways.
_BLANK = rb"[ \t\r\n]"
_ITEM = re.compile(
    rb"%b*+(?:<(file|path|rank|rsv)>%b*+((?:[^<>&]*[^<>& \t\r\n])?)%b*+</\1>"
    rb"|<(fol|passage)((?:%b++(?:offset|length|start|end)=(?:\"[^<>&\"']*\"|'[^<>&\"']*')){2})%b*+(?:/>|></\3>)"
    rb"|<([a-z]+(?:-[a-z]+)*)>[\t\r\n -%%'-;=?-~]*</\5>)" % ((_BLANK,) * 5)
)
_END = re.compile(rb"%b*+</result>" % _BLANK)
_ATTRIBUTE = re.compile(rb"(offset|length|start|end)=[\"']([^\"']*)[\"']")
_PAIRS = {b"fol": {"offset", "length"}, b"passage": {"start", "end"}}
_MEANINGFUL = {
    b"inex-submission",
    b"efficiency-submission",
    b"topic",
    b"result",
    *(name.encode() for name in _TEXTS),
    *_PAIRS,
}

#: What names do not have: markup, blanks around them, characters that XML does not allow.
_ODD_NAME = re.compile("^ | $|[\\x00-\\x09\\x0b-\\x1f<>&\ufffe\uffff]", re.MULTILINE)
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
    places, cut = _cut(data)
    return _columns(data, cut, places)


def _is_text(data: bytes) -> bool:
    """Whether there are only bytes that XML in UTF-8 may contain."""
    codes = np.frombuffer(data, np.uint8)
    if not is_among(codes[find(codes, lambda some: some < ord(" "))], b"\t\r\n").all():
        return False
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def _cut(data: bytes) -> tuple[IntArray, Cut]:
    """Where the results begin, and what was cut out of them."""
    text = Anchored(data, b"<" + _quote(data))
    first = _openings(text)
    places = text.place(first)
    return places, Cut.of(text, first, lambda row: _layout(_block(data, int(places[row]))))


def _quote(data: bytes) -> bytes:
    """What attributes are quoted with, judged by the first one."""
    begin = data.find(_OPEN)
    single, double = (data.find(mark, begin) for mark in (b"='", b'="'))
    return b"'" if single >= 0 and not 0 <= double < single else b'"'


def _block(data: bytes, begin: int) -> bytes:
    """The result that begins at a place, as far as it is of usual length."""
    end = data.find(_CLOSE, begin, begin + _MOST_BYTES)
    return data[begin : end + len(_CLOSE)] if end >= 0 else b""


def _openings(text: Anchored) -> IntArray:
    """The numbers of the anchors that begin a result."""
    letter = text.codes[1:].take(text.places, mode="clip")
    likely = np.flatnonzero(letter == _OPEN[1])
    return likely[text.starts_with(text.place(likely), _OPEN)]


def _layout(block: bytes) -> Layout | None:
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
    return Layout.of(block, values) if usual and _END.fullmatch(block, place) else None


def _columns(data: bytes, cut: Cut, places: IntArray) -> Bulk | None:
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
    results = Results(
        topics=Names((), np.full(len(rows), -1)),
        documents=documents,
        paths=paths,
        start=start[rows],
        end=start[rows] + length[rows],
        has_span=paths.code < 0,
        rank=rank[rows],
        score=score[rows],
        line=np.searchsorted(newlines, places[rows]) + 1,
    )
    rest = _rest(data, places[rows[opens]], cut.end[rows[ends - 1]], newlines)
    return Bulk(results, ends - opens, rest)


def _names(cut: Cut) -> tuple[Names, Names]:
    """Documents and paths of all rows; those whose name is unusual are dropped."""
    documents = cut.names("file", _ODD_NAME)
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
