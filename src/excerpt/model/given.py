"""Rows as callers give them, as columns: tuples, dictionaries with keys of any spelling, data frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.model.given_frames import Frame, is_absent, read_frame
from excerpt.model.keys import COSTS, HOW, KEYS, TEXTS, contradictions, nowhere, rename, telling_keys
from excerpt.model.rows import list_names, list_rows
from excerpt.model.run import is_frame
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray, check_spans, whole_numbers
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.model.run import Kind

#: What runs and judgments are made from: rows; rows, or numbers by document, by topic; or a data frame.
Rows: TypeAlias = Iterable[Mapping[str, Any] | tuple[Any, ...]] | Mapping[Any, Any] | Frame
#: The values of a row that is no dictionary, in the order of the fields; an error where they do not fit.
Unpack: TypeAlias = Callable[[Any], tuple[Any, ...]]

_MANY = (list, tuple, np.ndarray)


@dataclass(frozen=True)
class Given:
    """Rows as columns by the keys of `KEYS`, and whatever else they have; None where a row has nothing."""

    columns: Mapping[str, list[Any]]
    count: int

    @classmethod
    def of(cls, given: object, fields: Sequence[str], unpack: Unpack, expected: str) -> Given:
        """The columns of a data frame, of rows, or of rows by topic; other rows have values of `fields`."""
        if is_frame(given):
            return cls._named(read_frame(given))
        if isinstance(given, Mapping):
            if _is_columns(given):
                return cls._named({name: list(values) for name, values in given.items()})
            given = _by_topic(given, expected)
        rows = list_rows(given, expected)
        if any(map(_has_names, set(map(type, rows)))):
            rows = [_named(row) for row in rows]
        else:
            values = list(zip(*map(unpack, rows), strict=True)) or [()] * len(fields)
            return cls(dict(zip(fields, map(list, values), strict=True)), len(rows))
        records = [
            row if isinstance(row, Mapping) else dict(zip(fields, unpack(row), strict=True)) for row in rows
        ]
        keys = dict.fromkeys(key for record in records for key in record)
        return cls({key: [record.get(key) for record in records] for key in keys}, len(records))

    @classmethod
    def _named(cls, columns: Mapping[str, list[Any]]) -> Given:
        lengths = {len(values) for values in columns.values()} or {0}
        if len(lengths) > 1:
            shown = ", ".join(f"{short(name)} {len(values)}" for name, values in list(columns.items())[:6])
            raise ExcerptError(f"found columns of several lengths ({shown}), expected one")
        return cls(_renamed(columns), lengths.pop())

    def take(self, rows: Sequence[int]) -> Given:
        """Only these rows."""
        return Given({key: [values[row] for row in rows] for key, values in self.columns.items()}, len(rows))

    def column(self, key: str) -> list[Any]:
        """The values of a key; None in every row where there is no such column."""
        return self.columns.get(key) or [None] * self.count

    def optional(self, key: str) -> list[Any]:
        """The values of a key that rows need not have; NaN is none here."""
        return [None if is_absent(value) else value for value in self.column(key)]

    def whole(self, key: str) -> IntArray:
        """Whole numbers that rows need not have: -1 where there is none."""
        return whole_numbers([UNKNOWN if value is None else value for value in self.optional(key)], key)

    def names(self, key: str) -> list[str]:
        """The ids of the rows; an error where one has none."""
        if key not in self.columns and self.count:
            raise ExcerptError(
                f"found no {key} among {short_list(self.columns, 6) or 'no keys'}, "
                f"expected one (also called {short_list(KEYS[key][1:], 6)})"
            )
        return list_names(self.column(key), key)

    def notice_unknown(self, notices: Notices, known: Iterable[str] = ()) -> None:
        """Say which keys mean nothing to us."""
        unknown = self.columns.keys() - KEYS.keys() - {*TEXTS, HOW} - set(known)
        if unknown:
            notices.add(f"unknown keys were ignored: {short_list(sorted(map(str, unknown)))}")

    def check_names(self) -> None:
        """An error where rows name several runs."""
        names = dict.fromkeys(str(name) for name in self.optional("run") if name is not None)
        if len(names) > 1:
            raise ExcerptError(
                f"found the runs {short_list(names, 3)} in one, expected one name",
                hint="give {name: rows} with the rows of each",
            )

    def beside(self, notices: Notices) -> dict[str, IntArray]:
        """What some rows tell of lost text, and what all of them tell of their costs."""
        found = {}
        for key in ("lost", *COSTS):
            there = [value is not None for value in self.optional(key)]
            if not any(there):
                continue
            if key != "lost" and not all(there):
                message = f"result has no {key}, so those of the others were left out"
                notices.add(message, there.count(False))
                continue
            column = self.whole(key)
            if (column < UNKNOWN).any():
                raise ExcerptError(f"found {column.min()} as {key}, expected a number that is not negative")
            found[key] = column
        return found


@dataclass(frozen=True)
class Places:
    """Where the text of each row is, as far as a row tells; 0 and 0 where it does not."""

    start: IntArray
    end: IntArray
    told: BoolArray

    @classmethod
    def of(cls, given: Given, rows: list[tuple[str, str]], *, graded: bool = False) -> Places:
        """The places that rows tell by `start` and `end`, or `offset` and `length`, but no half ones.

        `rows` are topic and document of each, for messages; `graded` rows may have grades instead.
        """
        start, end = given.column("start"), given.column("end")
        if not any(value is None for column in (start, end) for value in column):
            told = np.ones(given.count, np.bool_)
        else:
            spans = [_span(given, row, rows[row]) for row in range(given.count)]
            told = np.array([span is not None for span in spans], np.bool_)
            start, end = ([0 if span is None else span[side] for span in spans] for side in (0, 1))
        if not told.any() and given.count and "path" not in given.columns and "spans" not in given.columns:
            _refuse_telling(given, graded=graded)
        places = cls(whole_numbers(start, "start", rows), whole_numbers(end, "end", rows), told)
        check_spans(places.start, places.end, rows, unknown=not graded)
        return places

    def of_results(
        self, path: BoolArray, lost: IntArray | None, kind: Kind | None, rows: list[tuple[str, str]]
    ) -> tuple[IntArray, IntArray, Kind]:
        """Start, end and kind of results: without a place they are elements, lost, or whole documents."""
        gone = np.zeros(len(rows), np.bool_) if lost is None else lost > 0
        for row in np.flatnonzero(gone & self.told & (self.start >= 0))[:1].tolist():
            topic, document = rows[row]
            raise ExcerptError(
                f"found lost text with a place in document {short(document)} of topic {short(topic)}, "
                "expected start and end -1"
            )
        whole = ~self.told & ~path & ~gone
        for row in np.flatnonzero(whole)[: int(not whole.all() or kind not in (None, "documents"))].tolist():
            topic, document = rows[row]
            raise ExcerptError(
                f"found no position in document {short(document)} of topic {short(topic)}, expected one"
            )
        if len(rows) and whole.all():
            return self.start, np.ones_like(self.end), "documents"
        nowhere = ~self.told
        start, end = np.where(nowhere, UNKNOWN, self.start), np.where(nowhere, UNKNOWN, self.end)
        return start, end, kind or ("elements" if bool((nowhere & path).any()) else "spans")


def _refuse_telling(given: Given, *, graded: bool) -> None:
    telling = telling_keys(map(str, given.columns), graded=graded)
    if graded:
        telling = [key for key in telling if key not in GRADES]
    if telling:
        called = f"start and end (also called {short_list(KEYS['start'][1:])}), offset and length"
        raise ExcerptError(f"found unknown keys {short_list(telling)}, expected {called}")


#: How grades of whole documents, or of passages, are called.
GRADES = ("relevance", "grade", "rel", "label")


def _span(given: Given, row: int, named: tuple[str, str]) -> tuple[Any, Any] | None:
    """Start and end of a row as it tells them; None where it tells nothing of a place."""
    columns = given.columns
    start, end, offset, length = (given.columns[key][row] if key in columns else None for key in _PLACES)
    where = f" in document {short(named[1])} of topic {short(named[0])}"
    if start is not None and end is None:
        text = next((columns[key][row] for key in TEXTS if key in columns), None)
        if isinstance(text, str) and isinstance(start, int) and start >= 0:
            return start, start + len(text)
        if isinstance(start, int) and start == UNKNOWN:
            check_spans(np.array([start]), np.array([0]), [named])
    if start is not None or end is not None:
        there, absent = ("start", "end") if end is None else ("end", "start")
        if absent not in columns:
            raise ExcerptError(f"found {there} without {absent}{where}, expected both")
        return start, end
    if offset is not None and length is not None:
        begin, size = whole_numbers([offset, length], "offset or length", [named] * 2).tolist()
        return begin, begin + size
    if offset is not None or length is not None:
        raise ExcerptError(f"found offset without length{where}, expected both")
    elsewhere = any(key in columns and columns[key][row] is not None for key in ("path", "spans", "lost"))
    if not elsewhere and ("start" in columns or "end" in columns):
        if any(not is_absent(value) for key in _PLACES[:2] for value in columns.get(key, ())):
            raise ExcerptError(
                f"found no start and end{where} beside rows with them, expected them in all or in none",
                hint=f"rows without any are whole documents; {nowhere(None)}",
            )
        return None, None  # which is refused with its place
    return None


_PLACES = ("start", "end", "offset", "length")


def _has_names(kind: type) -> bool:
    """Whether rows of a type are dictionaries, or records of another library."""
    ours = kind.__module__.split(".")[0] == "excerpt"
    return issubclass(kind, Mapping) or (hasattr(kind, "_asdict") and not ours)


def _named(row: Any) -> Any:
    """A row as a dictionary with the keys of `KEYS`, where it has keys; else as it is."""
    if _has_names(type(row)) and not isinstance(row, Mapping):
        row = row._asdict()
    if isinstance(row, Mapping):
        return row if row.keys() <= KEYS.keys() else _renamed(row)
    return row


def _renamed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields by the keys of `KEYS`; an error where two spellings of one contradict each other."""
    if both := contradictions(fields):
        raise ExcerptError(f"found {' and '.join(both)}, which mean the same, expected one of them")
    return rename(fields)


def _is_columns(given: Mapping[Any, Any]) -> bool:
    """Whether a mapping has columns by name, not rows by topic."""
    named = rename({key: value for key, value in given.items() if isinstance(key, str)})
    both = [named.get("topic"), named.get("document")]
    return all(isinstance(values, _MANY) and not any(map(_is_row, values[:1])) for values in both)


def _is_row(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple)


def _by_topic(given: Mapping[Any, Any], expected: str) -> Iterator[Any]:
    """Rows by topic, or scores (or grades) by topic and document, each as a row with its topic."""
    for topic, value in given.items():
        if isinstance(value, Mapping):
            for document, number in value.items():
                yield {"topic": topic, "document": document, "score": number}
            continue
        of = f"for topic {short(str(topic))}, expected {expected}"
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            raise ExcerptError(f"found {short(repr(value))} {of}, or numbers by document")
        for row in value:
            if isinstance(row, Mapping):
                yield {**row, "topic": topic}
            elif isinstance(row, tuple | list):
                yield (topic, *row)
            else:
                raise ExcerptError(f"found {short(repr(row))} {of}")
