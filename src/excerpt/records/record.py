"""The one reader of records: from rows to columns by role, with the place of every fault."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.model.run import encode
from excerpt.model.spans import MAX_OFFSET, UNKNOWN, BoolArray, FloatArray, IntArray
from excerpt.notices import Faults, Notices
from excerpt.records.rows import ABSENT, RowTable, describe_keys, is_absent
from excerpt.records.spellings import EXACT, NESTED, RowKeys, RowKind

#: Grades as words.
GRADES = {
    **dict.fromkeys(("relevant", "yes", "true"), 1),
    **dict.fromkeys(("irrelevant", "not relevant", "no", "false"), 0),
}
_DIGITS = re.compile("-?[0-9]{1,15}")
#: The highest and the lowest grade.
MAX_GRADE = 10**15
_LOST = "if a chunk does not occur in its document; ⟨command=place⟩ locates chunks"


class Odd(ValueError):
    """A value that is not what its role needs: what is expected, and perhaps a hint."""

    def __init__(self, expected: str, hint: str = "") -> None:
        super().__init__(expected)
        self.expected, self.hint = expected, hint


def show(value: Any) -> str:
    """Return a value as JSON writes it, shortened if it is long.

    >>> show("a"), show(True), show(None)
    ('"a"', 'true', 'null')
    """
    try:
        return short(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return short(repr(value))


def is_text(value: str) -> bool:
    """Return whether a string can be encoded; JSON can spell halves of surrogate pairs."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_name(value: Any) -> str:
    """Return an id: a text that is not empty, or a whole number.

    >>> as_name("a"), as_name(7), as_name(7.0)
    ('a', '7', '7')
    """
    if isinstance(value, str) and value and is_text(value):
        return value
    number = None if isinstance(value, str) else _integer(value)
    if number is None:
        raise Odd("a string or a whole number")
    return str(number)


def name_of(value: object) -> str:
    """Return an id, which may be a number, as text; empty if the value is not an id.

    >>> name_of("a"), name_of(7), name_of(None)
    ('a', '7', '')
    """
    if isinstance(value, str):
        return value
    return str(int(value)) if isinstance(value, Integral) and not isinstance(value, bool) else ""


def _integer(value: Any) -> int | None:
    """Return a whole number of any type, such as 3.0; None for other values, and for truth values."""
    if type(value) is int:
        return value
    if not _is_number(value):
        return None
    number: Any = value
    return int(number) if math.isfinite(number) and number == int(number) else None


def _is_number(value: object) -> bool:
    """Return whether a value is a number and no truth value; decimals of Parquet are numbers, too."""
    return (isinstance(value, Real) and not isinstance(value, bool)) or type(value).__name__ == "Decimal"


def as_whole(value: Any, *, least: int = 0, place: bool = False) -> int:
    """Return a whole number from `least` to 2**31-1; `place` adds what tools write for a missing offset.

    >>> as_whole(1184.0), as_whole(True)
    Traceback (most recent call last):
    excerpt.records.record.Odd: a whole number
    """
    number = _integer(value)
    if number is not None and least <= number <= MAX_OFFSET:
        return number
    hint = nowhere(value) if place else ""
    if number is None:
        raise Odd("a whole number", hint)
    few = "a number that is not negative" if least == 0 else f"at least {least}"
    raise Odd(few if number < least else f"a number up to {MAX_OFFSET}", hint)


def as_number(value: Any) -> float:
    """Return a number, which may be infinite."""
    if _is_number(value) and value == value:  # noqa: PLR0124
        try:
            return float(value) + 0.0  # -0.0 is 0.0
        except OverflowError:
            pass
    hint = _COMMA if isinstance(value, str) and "," in value else ""
    raise Odd("a number", hint)


_COMMA = "write a decimal point instead of the comma"


def as_grade(value: Any) -> int:
    """Return a grade: a whole number, a truth value or a word; 0 is not relevant, below 0 is not judged.

    >>> as_grade(2), as_grade(True), as_grade("not relevant"), as_grade(-1.0)
    (2, 1, 0, -1)
    """
    if isinstance(value, bool | np.bool_):
        return int(value)
    if isinstance(value, str):
        number = GRADES.get(value.strip().lower())
        if number is None and _DIGITS.fullmatch(value):
            number = int(value)
    else:
        number = _integer(value)
    if number is None or abs(number) > MAX_GRADE:
        raise Odd(f"a whole number, or one of {', '.join(GRADES)}")
    return number


def nowhere(value: object) -> str:
    """Explain a missing offset: the value that a tool writes for a chunk that it did not find.

    >>> nowhere(-1)
    'LangChain writes -1 if a chunk does not occur in its document; ⟨command=place⟩ locates chunks'
    """
    if value is None:
        return f"LlamaIndex writes null {_LOST}"
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - NaN is not
        return "pandas writes nan for a missing value"
    return f"LangChain writes -1 {_LOST}" if isinstance(value, Integral) and value == -1 else ""


class Trimmed(str):
    """Text of a chunk of which only a part occurs in its document."""

    __slots__ = ()


def missing(role: str, words: RowKeys, row: Mapping[str, Any]) -> str:
    """Say that a row lacks a role, with its other spellings."""
    names = words.roles.get(role, (role,))[1:]
    called = f" (also called {short_list(names, 6)})" if names else ""
    return f"key {role} is missing{called}; the row has {describe_keys(row)}"


def by_role(row: Mapping[str, Any], words: RowKeys) -> dict[str, Any]:
    """Return the values of a row by role; those of metadata count if the row itself has none.

    >>> row = {"qid": "1", "colour": "red", "metadata": {"source": "A", "start_index": 0}}
    >>> by_role(row, RowKeys("result"))
    {'colour': 'red', 'topic': '1', 'document': 'A', 'start': 0}
    """
    meaning = words.meaning
    nested = [row[name] for name in NESTED if isinstance(row.get(name), Mapping)]
    if not nested and all(meaning.get(key, key) == key for key in row):
        return _asked(dict(row), words)
    found = {
        key: value for key, value in row.items() if key not in meaning and not (key in NESTED and nested)
    }
    places: dict[str, list[tuple[int, int, Any]]] = {}
    for level, holder in enumerate((row, *nested)):
        for key, value in holder.items():
            if (role := meaning.get(key)) is not None:
                wanted = role != "text" or isinstance(value, str)
                rank = words.roles[role].index(key)
                places.setdefault(role, []).append((level if wanted else 9, rank, value))
    for role in sorted(places, key=list(words.roles).index):
        several = sorted(places[role], key=lambda place: place[:2])
        found[role] = next((value for *_, value in several if value is not None), None)
    return _asked(found, words)


def _asked(fields: dict[str, Any], words: RowKeys) -> dict[str, Any]:
    """Return the values of a row; a question without an id is known by its text."""
    if fields.get("topic") is None and fields.get("question") is not None and "topic" in words.roles:
        fields["topic"] = fields["question"]
    return fields


def contradictions(row: Mapping[str, Any], words: RowKeys) -> list[str]:
    """List spellings of one number with different values; none if a text was located.

    >>> words = RowKeys("result")
    >>> contradictions({"start": 3, "start_index": -1}, words)
    ['start', 'start_index']
    >>> contradictions({"start": 3, "begin": 3}, words)
    []
    """
    meaning = words.meaning
    given = [role for key in row if (role := meaning.get(key)) in EXACT]
    if len(set(given)) == len(given) or not is_absent(row.get("how")):
        return []
    for role in EXACT:
        both = [key for key in row if meaning.get(key) == role and not is_absent(row[key])]
        if len(both) > 1 and any(_differ(row[key], row[both[0]]) for key in both[1:]):
            return sorted(both, key=words.roles[role].index)
    return []


def _differ(one: object, other: object) -> bool:
    try:
        return bool(one != other)
    except ValueError:  # of arrays
        return True


class Coded(NamedTuple):
    """Distinct names in order of first appearance, and the code of the name of each row."""

    distinct: tuple[str, ...]
    code: IntArray

    def names(self) -> list[str]:
        """The name of each row."""
        return [self.distinct[code] for code in self.code.tolist()]

    def taken(self, rows: IntArray) -> Coded:
        """Take the names of some rows."""
        distinct, code = encode(self.code[rows].tolist())
        return Coded(tuple(self.distinct[one] for one in distinct), code)

    def where(self, name: str) -> BoolArray:
        """Mask of the rows with a name."""
        return np.asarray(self.code == self.distinct.index(name)) if name in self.distinct else self.code < 0


@dataclass(eq=False)
class Records:
    """The rows of a table by role."""

    table: RowTable
    kind: RowKind
    faults: Faults

    def __len__(self) -> int:
        return self.table.count

    @property
    def words(self) -> RowKeys:
        """The keys of this kind of row."""
        return RowKeys(self.kind)

    @cached_property
    def line(self) -> IntArray:
        """Line or number of each row."""
        line = self.table.line
        return np.arange(line.start, line.stop) if isinstance(line, range) else np.array(line, np.int64)

    @cached_property
    def _inner(self) -> dict[str, list[Any]]:
        return self.table.inner(self.words)

    def _spellings(self, role: str) -> tuple[list[str], list[str]]:
        """Spellings of a role in the rows themselves, and in their metadata."""
        keys, names = set(self.table.keys), self.words.roles[role]
        return [name for name in names if name in keys], [name for name in names if name in self._inner]

    def has(self, role: str) -> bool:
        """Return whether some row may have a role."""
        return any(self._spellings(role))

    @cached_property
    def _values(self) -> dict[str, list[Any]]:
        return {}

    def values(self, role: str) -> list[Any]:
        """Values of a role, `ABSENT` in rows without a key for it; the first spelling with a value counts."""
        if role in self._values:
            return self._values[role]
        own, inner = self._spellings(role)
        columns = [*map(self.table.values, own), *(self._inner[name] for name in inner)]
        if not columns:
            found = [ABSENT] * len(self)
        elif len(columns) == 1 or set(map(type, columns[0])) <= ({str} if role == "text" else {str, int}):
            found = columns[0]
        else:
            wanted = str if role == "text" else object
            found = [_first(row, wanted) for row in zip(*columns, strict=True)]
        self._values[role] = found
        return found

    def topics(self) -> Coded:
        """Topics of the rows; a question without an id is known by its text."""
        topics = self.coded("topic")
        if not self.has("question") or "" not in topics.distinct:
            return topics
        questions = zip(topics.code.tolist(), self.names("question"), strict=True)
        return Coded(*encode([topics.distinct[code] or question for code, question in questions]))

    def present(self, role: str) -> BoolArray:
        """Mask of the rows with a value of a role."""
        return filled(self.values(role)) if self.has(role) else np.zeros(len(self), np.bool_)

    def check_contradictions(self) -> None:
        """Report rows in which two spellings of a number differ."""
        for role in EXACT:
            own, _ = self._spellings(role) if role in self.words.roles else ([], [])
            if len(own) < 2:
                continue
            columns = {name: self.table.values(name) for name in own}
            if self.has("how"):
                columns["how"] = self.values("how")
            for at, row in enumerate(zip(*columns.values(), strict=True)):
                if both := contradictions(dict(zip(columns, row, strict=True)), self.words):
                    self.fault(at, f"found {' and '.join(both)} with different values, expected one of them")

    def fault(self, row: int, message: str, hint: str = "") -> None:
        """Report a fault of a row."""
        self.faults.add(int(self.line[row]), message, hint)

    def _odd(self, row: int, role: str, value: Any, odd: Odd) -> None:
        self.fault(row, f"found {role} {show(value)}, expected {odd.expected}", odd.hint)

    def checked(self, row: int, name: str, value: Any) -> int:
        """Return a whole number from 0 to 2**31-1; report everything else and return 0."""
        try:
            return as_whole(value)
        except Odd as odd:
            self._odd(row, name, value, odd)
            return 0

    def names(self, role: str) -> list[str]:
        """Ids of the rows; "" in those without one, which the caller reports."""
        found = []
        for row, value in enumerate(self.values(role)):
            try:
                found.append("" if is_absent(value) else as_name(value))
            except Odd as odd:
                self._odd(row, role, value, odd)
                found.append("?")
        return found

    def coded(self, role: str) -> Coded:
        """Ids of the rows as codes, "" in those without one, which the caller reports."""
        with suppress(TypeError):  # not all values can be compared
            found = encode(self.values(role))
            if set(map(type, found[0])) == {str} and all(found[0]) and is_text("".join(found[0])):
                return Coded(*found)
        return Coded(*encode(self.names(role)))

    def report(self, rows: BoolArray, fault: str | Callable[[int], str], hint: str = "") -> None:
        """Report a fault of each of many rows: a message, or one for each row."""
        numbers = np.flatnonzero(rows)
        self.faults.add_all(
            self.line[numbers], lambda at: fault if isinstance(fault, str) else fault(int(numbers[at])), hint
        )

    def report_missing(self, role: str, rows: BoolArray) -> None:
        """Report rows that lack a role."""
        self.report(rows, lambda row: missing(role, self.words, self.row(row)))

    def row(self, row: int) -> dict[str, Any]:
        """Return a row with its own keys."""
        columns = {key: self.table.values(key)[row] for key in self.table.keys}
        return {key: value for key, value in columns.items() if value is not ABSENT}

    def typed(self, role: str) -> IntArray | None:
        """Whole numbers of a role, if it is known without a look at each that all rows have one."""
        own, _ = self._spellings(role)
        return self.table.whole(own[0]) if own else None

    def whole(self, role: str, *, nowhere_too: BoolArray | None = None) -> IntArray:
        """Whole numbers of a role, -1 in rows without one; `nowhere_too` marks rows in which it may be -1."""
        typed = self.typed(role)
        if typed is None:
            values = self.values(role)
            if not self.has(role):
                return np.full(len(self), UNKNOWN, np.int64)
            if set(map(type, values)) <= {int}:
                try:
                    typed = np.array(values, np.int64)
                except OverflowError:
                    typed = None
        if typed is not None:
            good = (typed >= 0) & (typed <= MAX_OFFSET)
            if good.all():
                return typed
            values, rows = [int(value) for value in typed.tolist()], np.flatnonzero(~good)
            column = np.where(good, typed, UNKNOWN)
        else:
            rows, column = np.arange(len(self)), np.full(len(self), UNKNOWN, np.int64)
        for row in rows.tolist():
            value = values[row]
            if is_absent(value) or (nowhere_too is not None and nowhere_too[row]):
                continue
            try:
                column[row] = as_whole(value, place=role in {"start", "end"})
            except Odd as odd:
                self._odd(row, role, value, odd)
                column[row] = 0
        return column

    def numbers(self, role: str) -> FloatArray:
        """Numbers of a role, NaN in rows without one."""
        own, inner = self._spellings(role)
        if not own and not inner:
            return np.full(len(self), np.nan)
        typed = self.table.numbers(own[0]) if own else None
        if typed is not None:
            return np.asarray(typed + 0.0)
        values = self.values(role)
        column = np.full(len(self), np.nan)
        for row, value in enumerate(values):
            if type(value) is float and value == value:  # noqa: PLR0124 - the quick test for NaN
                column[row] = value + 0.0
            elif value is not None and value is not ABSENT:
                try:
                    column[row] = as_number(value)
                except Odd as odd:
                    self._odd(row, role, value, odd)
        return column

    def texts(self, step: int = 1) -> list[str | None]:
        """Text of every `step`-th row, None without one; that of a trimmed chunk is marked."""
        own, inner = self._spellings("text")
        alone = step > 1 and len(own) == 1 and not inner
        values = self.table.values(own[0], step) if alone else self.values("text")[::step]
        found = [value if isinstance(value, str) and value else None for value in values]
        if self.has("how"):
            for row, how in enumerate(self.values("how")[::step]):
                if how == "trimmed" and (text := found[row]) is not None:
                    found[row] = Trimmed(text)
        return found

    def check_keys(
        self,
        notices: Notices,
        where: str,
        groups: Mapping[str, BoolArray] = MappingProxyType({}),
        ignored: Iterable[str] = (),
    ) -> None:
        """Report unknown keys that resemble a known one in rows without that; note the others.

        `groups` has the rows in which roles are present in another way, such as a place by a path; `ignored`
        are known keys whose values mean nothing.
        """
        unknown = list(ignored)
        for key in self.table.keys:
            if self.words.knows(key):
                continue
            role, spelling = self.words.meant(key) or ("start", "")  # an object may have a place inside
            given = groups[role] if role in groups else self.present(role)
            lacks = ~given
            if lacks.any():
                values = self.table.values(key)
                lacks &= filled(values)
                inside = next(filter(None, (inside_of(value, self.words) for value in values)), "")
                lacks &= bool(spelling or inside)
                self.report(lacks, resembling(key, spelling, inside))
            if not lacks.any():
                unknown.append(key)
        note_unknown(notices, unknown, where)


def filled(values: Iterable[object]) -> BoolArray:
    """Mask of the values that are not missing."""
    return np.array([type(value) is str or not is_absent(value) for value in values], np.bool_)


def inside_of(value: object, words: RowKeys) -> str:
    """Return the key of a place or a text inside of an object under an unknown key; empty without one."""
    known = words.meaning
    items = value.items() if isinstance(value, Mapping) else ()
    found = [key for key, one in items if known.get(key) in _PLACES or _is_words(known, key, one)]
    return min(found, key=lambda key: known[key] != "start", default="")  # libraries differ in the order


_PLACES = {"start", "end", "offset", "spans"}


def _is_words(known: Mapping[str, str], key: str, value: object) -> bool:
    return known.get(key) == "text" and isinstance(value, str)


def resembling(key: str, spelling: str, inside: str = "") -> str:
    """Say that an unknown key resembles a known one, or has one inside."""
    if not spelling:
        return f"found {inside} inside of {short(key)}, expected it in the row itself, or in metadata"
    return f"found unknown key {short(key)}, expected {spelling}"


def note_unknown(notices: Notices, unknown: Iterable[str], where: str) -> None:
    """Note keys that are ignored."""
    if names := sorted(set(map(str, unknown))):
        notices.add(f"unknown keys are ignored: {short_list(names)}", where=where)


def _first(values: Sequence[Any], wanted: type) -> Any:
    """Return the first value that is given, one of a type if there is one."""
    given = [value for value in values if not is_absent(value)]
    fitting = [value for value in given if isinstance(value, wanted)]
    return next(iter(fitting or given), None if any(value is None for value in values) else ABSENT)


def list_names(values: Iterable[object], what: str) -> list[str]:
    """List names as text; numbers may be names, as in JSON.

    >>> list_names(["a", 7], "topic")
    ['a', '7']
    """
    names = list(values)
    for value in names if not set(map(type, names)) <= {str} else ():
        if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
            raise ExcerptError(f"found {short(repr(value))} as {what}, expected text")
    return list(map(str, names))


def show_given(given: object) -> str:
    """Describe a value that was given as a document or a chunk, for messages."""
    if isinstance(given, Mapping):
        noun = "key" if len(given) == 1 else "keys"
        return f"the {noun} {short_list(map(str, given))}" if given else "an empty object"
    return f"{short(repr(given))} of type {type(given).__name__}"
