"""Rows as callers give them, turned into the columns of runs and judgments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.model.field_names import COSTS, HOW, KEYS, TEXTS, contradictions, nowhere, rename, telling_keys
from excerpt.model.judgments import Question
from excerpt.model.run import is_frame
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray, check_spans, whole_numbers
from excerpt.model.texts import squeeze
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.model.run import Kind


def read_frame(frame: Any) -> dict[str, list[Any]]:
    """The columns of a data frame by name; what is missing is None, but for numbers that are NaN.

    Narwhals reads it where it is installed; without it, frames of pandas, polars and Arrow are read.
    """
    try:
        import narwhals.stable.v1 as narwhals

        opened: Any = narwhals.from_native(frame)
    except (ImportError, TypeError):
        columns = _by_hand(frame)
    else:
        opened = opened.collect() if hasattr(opened, "collect") else opened
        columns = {str(name): opened.get_column(name).to_list() for name in opened.columns}
    return {
        name: [None if _is_missing(value) else value for value in values] for name, values in columns.items()
    }


def _by_hand(frame: Any) -> dict[str, list[Any]]:
    frame = frame.collect() if hasattr(frame, "collect") else frame  # not before it is asked for
    names = getattr(frame, "column_names", None)
    names = list(frame.columns) if names is None else names
    return {str(name): column_values(frame[name]) for name in names}


def column_values(column: Any) -> list[Any]:
    """The values of a column, as pandas, polars and Arrow give them."""
    for name in ("to_pylist", "to_list", "tolist"):
        if callable(found := getattr(column, name, None)):
            return list(found())
    if isinstance(column, Iterable):
        return list(column)
    raise ExcerptError(f"found a column of type {type(column).__name__}, expected one of a data frame")


def _is_missing(value: object) -> bool:
    """Whether a value is what a library has where there is none: `pandas.NA` is equal to nothing."""
    return type(value).__name__ in {"NAType", "NaTType"}


def is_absent(value: object) -> bool:
    """Whether there is no value: None, or what a data frame has instead.

    >>> is_absent(None), is_absent(float("nan")), is_absent(0)
    (True, True, False)
    """
    return value is None or (isinstance(value, float) and math.isnan(value)) or _is_missing(value)


def list_rows(given: object, expected: str) -> list[Any]:
    """The rows of an iterable; an error for text and for what has none."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ExcerptError(f"found {short(repr(given))}, expected {expected}")
    return list(given)


def list_names(values: Iterable[object], what: str) -> list[str]:
    """Names as text; numbers may be names, as in JSON.

    >>> list_names(["a", 7], "topic")
    ['a', '7']
    """
    found = list(values)
    if set(map(type, found)) <= {str}:
        return cast("list[str]", found)
    for value in found:
        if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
            raise ExcerptError(f"found {short(repr(value))} as {what}, expected text")
    return list(map(str, found))


def list_scores(values: Sequence[object]) -> FloatArray:
    """A column of scores; None stands for none, which a column has as NaN."""
    plain = set(map(type, values)) <= {float, int, NoneType}
    for value in (value for value in values if not plain or value != value):  # noqa: PLR0124 - NaN is not
        number = isinstance(value, Real) and not isinstance(value, bool)
        if value is not None and not (number and value == value):  # noqa: PLR0124 - NaN is not
            raise ExcerptError(f"found {short(repr(value))} as score, expected a number or None")
    return np.array([np.nan if value is None else value for value in values], np.float64)


def list_highlight(row: object) -> tuple[Any, Any, Any, Any]:
    """Topic, document, start and end of relevant text, also where the last three are a span."""
    match row:
        case (topic, (document, start, end)) | (topic, document, start, end):
            return topic, document, start, end
    raise ExcerptError(
        f"found {short(repr(row))} as relevant text, expected topic and Span, or topic, document, start, end"
    )


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


_FIELDS = ("topic", "document", "start", "end")
_EXPECTED = "relevant text: topic, document, start, end"
#: What rows may tell of a question besides.
_ASKED = ("question", "group")


class JudgedRows(NamedTuple):
    """One row for each span; an empty one only says that its document was judged."""

    topics: list[str]
    documents: list[str]
    start: IntArray
    end: IntArray
    size: IntArray
    entry: IntArray
    #: Grades of whole documents, where these were judged.
    grade: IntArray | None
    questions: dict[str, Question]


def judged_rows(highlights: object, irrelevant: Iterable[Any], notices: Notices) -> JudgedRows:
    """What rows say is relevant, and pairs of topic and document that are judged irrelevant."""
    given, asked = _split(Given.of(highlights, _FIELDS, list_highlight, _EXPECTED))
    topics, documents = given.names("topic"), given.names("document")
    rows = list(zip(topics, documents, strict=True))
    given.notice_unknown(notices, (*GRADES, *_ASKED))
    places = Places.of(given, rows, graded=True)
    questions = _questions(given, topics) | _questions(asked, asked.names("topic"))
    grade = _grades(given, by_score=not places.told.any() and "spans" not in given.columns)
    size, entry = given.whole("size"), given.whole("bep")
    if grade is not None and not places.told.any() and "spans" not in given.columns:
        ones = np.ones(given.count, np.int64)
        relevant = (grade > 0).astype(np.int64)
        judged = JudgedRows(topics, documents, 0 * ones, relevant, ones, relevant - 1, grade, questions)
        return _with_irrelevant(judged, irrelevant)
    row, start, end = _spans(given, rows, places)
    good = (np.ones(given.count, np.bool_) if grade is None else grade > 0)[row]
    start, end = np.where(good, start, 0), np.where(good, end, 0)
    names = [topics[one] for one in row.tolist()], [documents[one] for one in row.tolist()]
    judged = JudgedRows(*names, start, end, size[row], entry[row], None, questions)
    return _with_irrelevant(judged, irrelevant)


def _split(given: Given) -> tuple[Given, Given]:
    """Rows with a document, and those that only ask a question, to which no document has an answer."""
    if _ASKED[0] not in given.columns:
        return given, Given({}, 0)
    told = [
        [given.optional(key)[row] is not None for key in (_ASKED[0], "document", "start", "end")]
        for row in range(given.count)
    ]
    alone = [row for row, there in enumerate(told) if there == [True, False, False, False]]
    rest = [row for row in range(given.count) if row not in set(alone)]
    return given.take(rest), given.take(alone)


def _with_irrelevant(judged: JudgedRows, pairs: Iterable[Any]) -> JudgedRows:
    more = [list_highlight((*pair, 0, 0)) for pair in pairs]
    if not more:
        return judged
    nothing, unknown = np.zeros(len(more), np.int64), np.full(len(more), UNKNOWN, np.int64)
    return judged._replace(
        topics=judged.topics + list_names([row[0] for row in more], "topic"),
        documents=judged.documents + list_names([row[1] for row in more], "document"),
        start=np.append(judged.start, nothing),
        end=np.append(judged.end, nothing),
        size=np.append(judged.size, unknown if judged.grade is None else nothing + 1),
        entry=np.append(judged.entry, unknown),
        grade=None if judged.grade is None else np.append(judged.grade, nothing),
    )


def _grades(given: Given, *, by_score: bool) -> IntArray | None:
    """The grade of each row; that of a document may be called its score, as BEIR does."""
    keys = (*GRADES, "score") if by_score else GRADES
    for key in keys:
        if key in given.columns:
            return whole_numbers(given.column(key), "grade")
    return None


def _spans(given: Given, rows: list[tuple[str, str]], places: Places) -> tuple[IntArray, IntArray, IntArray]:
    """The row, start and end of each span: that of a row, those of its list, or an empty one."""
    if "spans" not in given.columns:
        return np.arange(given.count), places.start, places.end
    found: list[tuple[int, Any, Any]] = []
    for row, pairs in enumerate(given.optional("spans")):
        spans = [] if pairs is None else [(row, *pair) for pair in _pairs(pairs, rows[row])]
        if places.told[row]:
            spans.append((row, places.start[row], places.end[row]))
        found += spans or [(row, 0, 0)]
    where = [rows[row] for row, _, _ in found]
    start = whole_numbers([span[1] for span in found], "start", where)
    end = whole_numbers([span[2] for span in found], "end", where)
    check_spans(start, end, where)
    return np.array([span[0] for span in found], np.int64), start, end


def _pairs(given: Any, row: tuple[str, str]) -> list[tuple[Any, Any]]:
    pairs: list[Any] = list(given) if isinstance(given, list | tuple | np.ndarray) else [None]
    if all(isinstance(pair, list | tuple | np.ndarray) and len(pair) == 2 for pair in pairs):
        return [(pair[0], pair[1]) for pair in pairs]
    raise ExcerptError(
        f"found {short(repr(given))} as spans in document {short(row[1])} of topic {short(row[0])}, "
        "expected a list of pairs (start, end)"
    )


def _questions(given: Given, topics: list[str]) -> dict[str, Question]:
    found: dict[str, Question] = {}
    texts, groups = (given.optional(key) for key in _ASKED)
    for topic, text, group in zip(topics, texts, groups, strict=True):
        if (text is not None or group is not None) and topic not in found:
            found[topic] = Question(
                topic, "" if text is None else str(text), "" if group is None else str(group)
            )
    return found


def by_names(given: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """Values by names, or by pairs of names, which callers may have given as numbers."""
    return {
        tuple(map(str, key)) if isinstance(key, tuple) else str(key): value
        for key, value in (given or {}).items()
    }


#: The text of each row, None where it has none.
Quotes: TypeAlias = np.ndarray[tuple[int], np.dtype[np.object_]]


class Trimmed(str):
    """A text of which only a part stands in its document, as placing says."""

    __slots__ = ()


def quote_of(fields: Mapping[str, Any]) -> str | None:
    """The text that a row has; None where it has none.

    >>> quote_of({"text": "one two", "start": 0}), quote_of({"start": 0})
    ('one two', None)
    """
    text = next((fields[key] for key in TEXTS if isinstance(fields.get(key), str)), "")
    return (Trimmed(text) if fields.get(HOW) == "trimmed" else text) if text else None


def is_quoted(quote: str, text: str) -> bool:
    r"""Whether a text is what a row quotes; white space may differ, which chunkers strip and collapse.

    >>> is_quoted("one two", "one\n\ntwo "), is_quoted("one two", "one"), is_quoted(Trimmed("1. one"), "one")
    (True, False, True)
    """
    if quote == text:
        return True
    wanted, found = squeeze(quote), squeeze(text)
    return wanted == found or (isinstance(quote, Trimmed) and bool(found) and found in wanted)


def quotes_of(columns: Mapping[str, list[Any]], count: int) -> Quotes | None:
    """The texts of rows that are given as columns; None where no row has one."""
    keys = [key for key in (*TEXTS, HOW) if key in columns]
    if not count or not set(keys) & set(TEXTS):
        return None
    quotes = np.empty(count, np.object_)
    for row in range(count):
        quotes[row] = quote_of({key: columns[key][row] for key in keys})
    return quotes if any(quote is not None for quote in quotes.tolist()) else None
