"""Rows of results and judgments (tuples, dictionaries, data frames) as columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.model.field_names import COSTS, HOW, KEYS, TEXTS, contradictions, location_keys, nowhere, rename
from excerpt.model.folding import fold_characters
from excerpt.model.judgments import Question
from excerpt.model.run import is_frame
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray, check_spans, whole_numbers
from excerpt.model.texts import squeeze
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.model.run import Kind


def read_frame(frame: Any) -> dict[str, list[Any]]:
    """Return the columns of a data frame by name; missing values are None, missing numbers NaN."""
    try:
        import narwhals.stable.v1 as narwhals

        opened: Any = narwhals.from_native(frame)
    except (ImportError, TypeError):
        columns = _without_narwhals(frame)
    else:
        opened = opened.collect() if hasattr(opened, "collect") else opened
        columns = {str(name): opened.get_column(name).to_list() for name in opened.columns}
    return {
        name: [None if _is_missing(value) else value for value in values] for name, values in columns.items()
    }


def frame_rows(frame: Any) -> list[dict[str, Any]]:
    """List the rows of a data frame or an Arrow table."""
    columns = read_frame(frame)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _without_narwhals(frame: Any) -> dict[str, list[Any]]:
    frame = frame.collect() if hasattr(frame, "collect") else frame  # a lazy frame
    names = getattr(frame, "column_names", None)
    names = list(frame.columns) if names is None else names
    return {str(name): column_values(frame[name]) for name in names}


def column_values(column: Any) -> list[Any]:
    """List the values of a column of pandas, polars or Arrow."""
    for name in ("to_pylist", "to_list", "tolist"):
        if callable(method := getattr(column, name, None)):
            return list(method())
    if isinstance(column, Iterable):
        return list(column)
    raise ExcerptError(f"found a column of type {type(column).__name__}, expected a column of a data frame")


def _is_missing(value: object) -> bool:
    """Return whether a value is pandas' marker of a missing value, which is equal to nothing."""
    return type(value).__name__ in {"NAType", "NaTType"}


def is_absent(value: object) -> bool:
    """Return whether a value is missing: None, or a data frame's marker of a missing value.

    >>> is_absent(None), is_absent(float("nan")), is_absent(0)
    (True, True, False)
    """
    return value is None or (isinstance(value, float) and math.isnan(value)) or _is_missing(value)


def list_rows(given: object, expected: str) -> list[Any]:
    """List the rows of an iterable; raise for text and for values that are not iterable."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ExcerptError(f"found {short(repr(given))}, expected {expected}")
    return list(given)


def list_names(values: Iterable[object], what: str) -> list[str]:
    """List names as text; numbers may be names, as in JSON.

    >>> list_names(["a", 7], "topic")
    ['a', '7']
    """
    names = list(values)
    if set(map(type, names)) <= {str}:
        return cast("list[str]", names)
    for value in names:
        if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
            raise ExcerptError(f"found {short(repr(value))} as {what}, expected text")
    return list(map(str, names))


def list_scores(values: Sequence[object]) -> FloatArray:
    """Make a column of scores; None becomes NaN."""
    plain = set(map(type, values)) <= {float, int, NoneType}
    for value in (value for value in values if not plain or value != value):  # noqa: PLR0124 - NaN is not
        number = isinstance(value, Real) and not isinstance(value, bool)
        if value is not None and not (number and value == value):  # noqa: PLR0124 - NaN is not
            raise ExcerptError(f"found {short(repr(value))} as score, expected a number or None")
    return np.array([np.nan if value is None else value for value in values], np.float64)


def list_highlight(row: object) -> tuple[Any, Any, Any, Any]:
    """Topic, document, start and end of a row of relevant text, or of a topic and a span."""
    match row:
        case (topic, (document, start, end)) | (topic, document, start, end):
            return topic, document, start, end
    raise ExcerptError(
        f"found {short(repr(row))} as relevant text, expected topic and Span, or topic, document, start, end"
    )


#: Function that returns the values of a row in the order of the fields, or raises if they do not fit.
Unpack: TypeAlias = Callable[[Any], tuple[Any, ...]]

_MANY = (list, tuple, np.ndarray)


@dataclass(frozen=True)
class RowColumns:
    """Columns of rows by the keys of `KEYS` and other keys; None if a row lacks a key."""

    columns: Mapping[str, list[Any]]
    count: int

    @classmethod
    def of(cls, source: object, fields: Sequence[str], unpack: Unpack, expected: str) -> RowColumns:
        """Read a data frame, columns, rows or rows by topic; rows without keys have values of `fields`."""
        if is_frame(source):
            return cls._named(read_frame(source))
        if isinstance(source, Mapping):
            if _is_columns(source):
                return cls._named({name: list(values) for name, values in source.items()})
            source = _by_topic(source, expected)
        rows = list_rows(source, expected)
        if not any(map(_has_names, set(map(type, rows)))):
            values = list(zip(*map(unpack, rows), strict=True)) or [()] * len(fields)
            return cls(dict(zip(fields, map(list, values), strict=True)), len(rows))
        records = [
            row if isinstance(row, Mapping) else dict(zip(fields, unpack(row), strict=True))
            for row in map(_named, rows)
        ]
        keys = dict.fromkeys(key for record in records for key in record)
        return cls({key: [record.get(key) for record in records] for key in keys}, len(records))

    @classmethod
    def _named(cls, columns: Mapping[str, list[Any]]) -> RowColumns:
        lengths = {len(values) for values in columns.values()} or {0}
        if len(lengths) > 1:
            shown = ", ".join(f"{short(name)} {len(values)}" for name, values in list(columns.items())[:6])
            raise ExcerptError(f"found columns of different lengths ({shown}), expected equal lengths")
        return cls(_renamed(columns), lengths.pop())

    def take(self, rows: Sequence[int]) -> RowColumns:
        """Return only some rows."""
        columns = {key: [values[row] for row in rows] for key, values in self.columns.items()}
        return RowColumns(columns, len(rows))

    def column(self, key: str) -> list[Any]:
        """List the values of a key; None in every row if there is no such column."""
        return self.columns.get(key) or [None] * self.count

    def optional(self, key: str) -> list[Any]:
        """List the values of a key that rows need not have; NaN becomes None."""
        return [None if is_absent(value) else value for value in self.column(key)]

    def integers(self, key: str) -> IntArray:
        """Whole numbers of a key that rows need not have; -1 if a row has none."""
        return whole_numbers([UNKNOWN if value is None else value for value in self.optional(key)], key)

    def names(self, key: str) -> list[str]:
        """List the ids of the rows; raise if a row has none."""
        if key not in self.columns and self.count:
            raise ExcerptError(
                f"key {key} is missing (also called {short_list(KEYS[key][1:], 6)}); "
                f"the rows have {short_list(self.columns, 6) or 'no keys'}"
            )
        return list_names(self.column(key), key)

    def warn_unknown(self, notices: Notices, known: Iterable[str] = ()) -> None:
        """Warn about unknown keys."""
        unknown = self.columns.keys() - KEYS.keys() - {*TEXTS, HOW} - set(known)
        if unknown:
            notices.add(f"unknown keys are ignored: {short_list(sorted(map(str, unknown)))}")

    def check_names(self) -> None:
        """Raise if rows name several runs."""
        names = dict.fromkeys(str(name) for name in self.optional("run") if name is not None)
        if len(names) > 1:
            message = f"found rows of the runs {short_list(names, 3)}, expected rows of one run"
            raise ExcerptError(message, hint="give {name: rows} with the rows of each")

    def lost_and_costs(self, notices: Notices) -> dict[str, IntArray]:
        """Columns of lost and own text, which some rows may have, and of costs, which all rows must have."""
        columns = {}
        for key in ("lost", *COSTS):
            present = [value is not None for value in self.optional(key)]
            if not any(present):
                continue
            if key in COSTS[:2] and not all(present):
                one = f"result has no {key}; the column {key} is ignored"
                many = f"results have no {key}; the column {key} is ignored"
                notices.add(one, many, present.count(False))
                continue
            column = self.integers(key)
            if (column < (0 if key in COSTS[:2] else UNKNOWN)).any():
                raise ExcerptError(f"found {column.min()} as {key}, expected a number that is not negative")
            columns[key] = column
        return columns


@dataclass(frozen=True)
class RowSpans:
    """Start and end of each row's text; 0 and 0 if it has none."""

    start: IntArray
    end: IntArray
    present: BoolArray

    @classmethod
    def of(cls, columns: RowColumns, rows: list[tuple[str, str]], *, graded: bool = False) -> RowSpans:
        """Read `start` and `end`, or `offset` and `length`; `rows` are topic and document, for messages."""
        start, end = columns.column("start"), columns.column("end")
        if not any(value is None for column in (start, end) for value in column):
            present = np.ones(columns.count, np.bool_)
        else:
            pairs = [_span(columns, row, rows[row]) for row in range(columns.count)]
            present = np.array([pair is not None for pair in pairs], np.bool_)
            start, end = ([0 if pair is None else pair[side] for pair in pairs] for side in (0, 1))
        known = {"path", "spans", *(() if graded else TEXTS)}
        if not present.any() and columns.count and columns.columns.keys().isdisjoint(known):
            _reject_location_keys(columns, graded=graded)
        spans = cls(whole_numbers(start, "start", rows), whole_numbers(end, "end", rows), present)
        check_spans(spans.start, spans.end, rows, unknown=not graded)
        return spans

    def of_results(
        self, path: BoolArray, lost: IntArray | None, kind: Kind | None, rows: list[tuple[str, str]]
    ) -> tuple[IntArray, IntArray, Kind]:
        """Start, end and kind of results; results without a span are elements, lost, or whole documents."""
        gone = np.zeros(len(rows), np.bool_) if lost is None else lost > 0
        for row in np.flatnonzero(gone & self.present & (self.start >= 0))[:1].tolist():
            topic, document = rows[row]
            raise ExcerptError(
                f"found lost text with offsets in document {short(document)} of topic {short(topic)}, "
                "expected start and end -1"
            )
        whole = ~self.present & ~path & ~gone
        for row in np.flatnonzero(whole)[: int(not whole.all() or kind not in (None, "documents"))].tolist():
            topic, document = rows[row]
            where = f"in document {short(document)} of topic {short(topic)}"
            raise ExcerptError(f"start and end are missing {where}")
        if len(rows) and whole.all():
            return self.start, np.ones_like(self.end), "documents"
        start, end = np.where(self.present, self.start, UNKNOWN), np.where(self.present, self.end, UNKNOWN)
        if kind == "elements" and len(rows) and bool((start >= 0).all()):
            kind = "spans"  # with paths: the offsets of elements are unknown
        return start, end, kind or ("elements" if bool((~self.present & path).any()) else "spans")


def _reject_location_keys(columns: RowColumns, *, graded: bool) -> None:
    """Raise if unknown keys seem to be locations (or grades), which must not be ignored."""
    unknown = location_keys(map(str, columns.columns), graded=graded)
    if graded:
        unknown = [key for key in unknown if key not in GRADES]
    if unknown:
        called = f"start and end (also called {short_list(KEYS['start'][1:])}), offset and length"
        raise ExcerptError(f"found unknown keys {short_list(unknown)}, expected {called}")


#: Keys of grades of whole documents or of passages.
GRADES = ("relevance", "grade", "rel", "label")


def _span(row_columns: RowColumns, row: int, named: tuple[str, str]) -> tuple[Any, Any] | None:
    """Start and end of a row; None if it has no offsets."""
    columns = row_columns.columns
    start, end, offset, length = (columns[key][row] if key in columns else None for key in _OFFSETS)
    where = f" in document {short(named[1])} of topic {short(named[0])}"
    if start is not None and end is None:
        text = next((columns[key][row] for key in TEXTS if key in columns), None)
        if isinstance(text, str) and isinstance(start, int) and start >= 0:
            return start, start + len(text)
        if isinstance(start, int) and start == UNKNOWN:
            check_spans(np.array([start]), np.array([0]), [named])
    if start is not None or end is not None:
        absent = "end" if end is None else "start"
        if absent not in columns:
            raise ExcerptError(f"{absent} is missing{where}")
        return start, end
    if offset is not None and length is not None:
        begin, size = whole_numbers([offset, length], "offset or length", [named] * 2).tolist()
        return begin, begin + size
    if offset is not None or length is not None:
        raise ExcerptError(f"{'offset' if offset is None else 'length'} is missing{where}")
    located = any(key in columns and columns[key][row] is not None for key in ("path", "spans", "lost"))
    if not located and ("start" in columns or "end" in columns):
        if any(not is_absent(value) for key in _OFFSETS[:2] for value in columns.get(key, ())):
            raise ExcerptError(
                f"start and end are missing{where}, but other rows have them",
                hint=f"rows without offsets are whole documents if no row has any; {nowhere(None)}",
            )
        return None, None  # the caller rejects it and names topic and document
    return None


_OFFSETS = ("start", "end", "offset", "length")


def _has_names(kind: type) -> bool:
    """Return whether rows of a type are dictionaries, or named records of another library."""
    ours = kind.__module__.split(".")[0] == "excerpt"
    return issubclass(kind, Mapping) or (hasattr(kind, "_asdict") and not ours)


def _named(row: Any) -> Any:
    """Turn a row with keys into a dictionary with the keys of `KEYS`; return other rows unchanged."""
    if _has_names(type(row)) and not isinstance(row, Mapping):
        row = row._asdict()
    if isinstance(row, Mapping):
        return row if row.keys() <= KEYS.keys() else _renamed(row)
    return row


def _renamed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Rename fields to the keys of `KEYS`; raise if two spellings of a key contradict each other."""
    if both := contradictions(fields):
        raise ExcerptError(f"found {' and '.join(both)} with different values, expected one of them")
    return rename(fields)


def _is_columns(source: Mapping[Any, Any]) -> bool:
    """Return whether a mapping has columns by name, not rows by topic."""
    named = rename({key: value for key, value in source.items() if isinstance(key, str)})
    both = [named.get("topic"), named.get("document")]
    return all(
        isinstance(values, _MANY)
        and not any(isinstance(value, Mapping | list | tuple) for value in values[:1])
        for values in both
    )


def _by_topic(source: Mapping[Any, Any], expected: str) -> Iterator[Any]:
    """Yield rows with their topic from rows by topic, or from scores or grades by topic and document."""
    for topic, value in source.items():
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
#: Keys of the topic's question.
_QUESTION = ("question", "group")


class JudgedRows(NamedTuple):
    """Judgments with one row per span; an empty span marks its document as judged."""

    topics: list[str]
    documents: list[str]
    start: IntArray
    end: IntArray
    size: IntArray
    entry: IntArray
    #: Grades of whole documents; None for judgments of text.
    grade: IntArray | None
    questions: dict[str, Question]


def judged_rows(highlights: object, irrelevant: Iterable[Any], notices: Notices) -> JudgedRows:
    """Read rows of relevant text or graded documents, and pairs (topic, document) judged irrelevant."""
    columns, unanswered = _split(RowColumns.of(highlights, _FIELDS, list_highlight, _EXPECTED))
    topics, documents = columns.names("topic"), columns.names("document")
    rows = list(zip(topics, documents, strict=True))
    columns.warn_unknown(notices, (*GRADES, *_QUESTION))
    row_spans = RowSpans.of(columns, rows, graded=True)
    _reject_results(columns, with_text=bool(row_spans.present.any()))
    questions = _questions(columns, topics) | _questions(unanswered, unanswered.names("topic"))
    only_documents = not row_spans.present.any() and "spans" not in columns.columns
    grade = _grades(columns, by_score=only_documents)
    size, entry = columns.integers("size"), columns.integers("bep")
    if grade is not None and only_documents:
        ones = np.ones(columns.count, np.int64)
        relevant = (grade > 0).astype(np.int64)
        judged = JudgedRows(topics, documents, 0 * ones, relevant, ones, relevant - 1, grade, questions)
        return _with_irrelevant(judged, irrelevant)
    row, start, end = _spans(columns, rows, row_spans)
    good = (np.ones(columns.count, np.bool_) if grade is None else grade > 0)[row]
    start, end = np.where(good, start, 0), np.where(good, end, 0)
    names = [topics[one] for one in row.tolist()], [documents[one] for one in row.tolist()]
    judged = JudgedRows(*names, start, end, size[row], entry[row], None, questions)
    return _with_irrelevant(judged, irrelevant)


def _reject_results(columns: RowColumns, *, with_text: bool) -> None:
    """Raise if rows of judgments are results of a run; a grade of a document may be called its score."""
    for key in ("rank", "run", *(("score",) if with_text else ())):
        if any(value is not None for value in columns.optional(key)):
            hint = "are judgments and run swapped?"
            raise ExcerptError(f"found rows with {key}, expected judgments", hint=hint)


def _split(columns: RowColumns) -> tuple[RowColumns, RowColumns]:
    """Split rows into those with a document and those with only a question, which no document answers."""
    if _QUESTION[0] not in columns.columns:
        return columns, RowColumns({}, 0)
    present = [
        [columns.optional(key)[row] is not None for key in (_QUESTION[0], "document", "start", "end")]
        for row in range(columns.count)
    ]
    alone = [row for row, fields in enumerate(present) if fields == [True, False, False, False]]
    rest = [row for row in range(columns.count) if row not in set(alone)]
    return columns.take(rest), columns.take(alone)


def _with_irrelevant(judged: JudgedRows, pairs: Iterable[Any]) -> JudgedRows:
    more = [list_highlight((*pair, 0, 0)) for pair in pairs]
    if not more:
        return judged
    zeros, unknown = np.zeros(len(more), np.int64), np.full(len(more), UNKNOWN, np.int64)
    return judged._replace(
        topics=judged.topics + list_names([row[0] for row in more], "topic"),
        documents=judged.documents + list_names([row[1] for row in more], "document"),
        start=np.append(judged.start, zeros),
        end=np.append(judged.end, zeros),
        size=np.append(judged.size, unknown if judged.grade is None else zeros + 1),
        entry=np.append(judged.entry, unknown),
        grade=None if judged.grade is None else np.append(judged.grade, zeros),
    )


def _grades(columns: RowColumns, *, by_score: bool) -> IntArray | None:
    """Grade of each row; the grade of a document may be called its score, as in BEIR."""
    keys = [key for key in (*GRADES, *(("score",) if by_score else ())) if key in columns.columns]
    return whole_numbers(columns.column(keys[0]), "grade") if keys else None


def _spans(
    columns: RowColumns, rows: list[tuple[str, str]], row_spans: RowSpans
) -> tuple[IntArray, IntArray, IntArray]:
    """Row, start and end of each span: the row's own span, its list of spans, or an empty span."""
    if "spans" not in columns.columns:
        return np.arange(columns.count), row_spans.start, row_spans.end
    spans: list[tuple[int, Any, Any]] = []
    for row, pairs in enumerate(columns.optional("spans")):
        own = [] if pairs is None else [(row, *pair) for pair in _pairs(pairs, rows[row])]
        if row_spans.present[row]:
            own.append((row, row_spans.start[row], row_spans.end[row]))
        spans += own or [(row, 0, 0)]
    where = [rows[row] for row, _, _ in spans]
    start = whole_numbers([span[1] for span in spans], "start", where)
    end = whole_numbers([span[2] for span in spans], "end", where)
    check_spans(start, end, where)
    return np.array([span[0] for span in spans], np.int64), start, end


def _pairs(value: Any, row: tuple[str, str]) -> list[tuple[Any, Any]]:
    pairs: list[Any] = list(value) if isinstance(value, list | tuple | np.ndarray) else [None]
    if all(isinstance(pair, list | tuple | np.ndarray) and len(pair) == 2 for pair in pairs):
        return [(pair[0], pair[1]) for pair in pairs]
    raise ExcerptError(
        f"found {short(repr(value))} as spans in document {short(row[1])} of topic {short(row[0])}, "
        "expected a list of pairs (start, end)"
    )


def _questions(columns: RowColumns, topics: list[str]) -> dict[str, Question]:
    questions: dict[str, Question] = {}
    texts, groups = (columns.optional(key) for key in _QUESTION)
    for topic, text, group in zip(topics, texts, groups, strict=True):
        if (text is not None or group is not None) and topic not in questions:
            known = ("" if value is None else str(value) for value in (text, group))
            questions[topic] = Question(topic, *known)
    return questions


def by_names(values: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """Values by names, or by pairs of names; numbers as names become text."""
    return {
        tuple(map(str, key)) if isinstance(key, tuple) else str(key): value
        for key, value in (values or {}).items()
    }


#: Text of each row, None if it has none.
Quotes: TypeAlias = np.ndarray[tuple[int], np.dtype[np.object_]]


class Trimmed(str):
    """Text of a chunk of which only a part occurs in its document."""

    __slots__ = ()


def quote_of(fields: Mapping[str, Any]) -> str | None:
    """Return the text of a row; None if it has none.

    >>> quote_of({"text": "one two", "start": 0}), quote_of({"start": 0})
    ('one two', None)
    """
    text = next((fields[key] for key in TEXTS if isinstance(fields.get(key), str)), "")
    return (Trimmed(text) if fields.get(HOW) == "trimmed" else text) if text else None


def is_quoted(quote: str, text: str) -> bool:
    r"""Return whether a text is the text that a row quotes; whitespace and folded characters may differ.

    >>> is_quoted("one two", "one\n\ntwo "), is_quoted("one two", "one"), is_quoted(Trimmed("1. one"), "one")
    (True, False, True)
    """
    if quote == text:
        return True
    quoted, actual = (squeeze(fold_characters(part)) for part in (quote, text))
    return quoted == actual or (isinstance(quote, Trimmed) and bool(actual) and actual in quoted)


def quotes_of(columns: Mapping[str, list[Any]], count: int) -> Quotes | None:
    """Texts of rows that are given as columns; None if no row has a text."""
    keys = [key for key in (*TEXTS, HOW) if key in columns]
    if not count or not set(keys) & set(TEXTS):
        return None
    quotes = np.empty(count, np.object_)
    for row in range(count):
        quotes[row] = quote_of({key: columns[key][row] for key in keys})
    return quotes if any(quote is not None for quote in quotes.tolist()) else None
