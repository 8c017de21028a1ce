"""Lines of JSON that all look alike: their values are cut out of all of them at once.

A line counts only if it is proven to be JSON that means what it seems to: strings without escapes, numbers
as JSON spells them, no value missing. Every other line is left to the parser.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from excerpt.formats.bulk.layouts import Anchored, Cut, Layout
from excerpt.formats.results import Names, Results, join_names
from excerpt.formats.text.fields import Fields, find
from excerpt.model.field_names import COSTS, HOW, KEYS, SPELLINGS, TEXTS, looks_like_location
from excerpt.model.rows import quote_of
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray

_MOST_BYTES = 1 << 12
_QUOTE, _BACKSLASH, _NEWLINE, _ZERO, _MINUS = b'"\\\n0-'
_BEGIN, _END = re.compile(rb" *\{"), re.compile(rb" *\n")
_MEMBER = re.compile(
    rb' *"([^"\\]*)" *: *(?:"([^"\\]*)"|(-?[0-9][0-9.eE+-]*)|(?:null|true|false)) *([,}])',
)
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
    if opening is None or len(line) > _MOST_BYTES:
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
    results = Results(
        topics=topics,
        documents=documents,
        paths=paths,
        start=start[good],
        end=end[good],
        has_span=(has_offset | cut.has("start"))[good],
        rank=rank[good],
        score=score[good],
        line=good + 1,
        beside={name: told for name, cost in costs.items() if len(told := cost[good]) and told.max() >= 0},
    )
    return results, names


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
