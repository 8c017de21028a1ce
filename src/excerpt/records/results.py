"""Results of a run, read from records: ids, places, scores and costs as columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from numbers import Real
from typing import NamedTuple

import numpy as np

from excerpt.errors import short
from excerpt.model.spans import UNKNOWN, AnyArray, BoolArray, FloatArray, IntArray
from excerpt.notices import Notices
from excerpt.records.record import Coded, Records, filled, is_text, nowhere, show
from excerpt.records.rows import ABSENT, is_absent
from excerpt.records.spellings import COSTS, ROLES

#: Roles that only judgments have, and roles that only results have.
OF_JUDGMENTS, OF_RESULTS = ("spans", "bep", "any_of", "elements"), ("score", "rank", "run")
_PLACE = ("start", "end", "offset", "length")
_LENGTH = "found start and length, expected start and end, or offset and length"
#: Most texts that are compared with their offsets if there is no corpus.
_COMPARED = 1000


class ResultColumns(NamedTuple):
    """Columns of results, a row for each."""

    topics: Coded
    documents: Coded
    #: A path, or two pointers with a blank between them; "" without one.
    paths: list[str]
    start: IntArray
    end: IntArray
    #: True if the row has a place, or a text that is to be located (-1, -1).
    placed: BoolArray
    rank: IntArray
    score: FloatArray
    #: Optional columns: `lost`, and those of costs; -1 if a result has no value.
    extra: Mapping[str, IntArray]
    #: Texts of results; None if no result has one.
    quotes: AnyArray | None
    #: Names of the run, each with the row of its first occurrence.
    names: Mapping[str, int]
    #: Fingerprints of the documents of which a row has one.
    fingerprints: Mapping[str, str]


def read_results(records: Records, notices: Notices, where: str, *, searched: bool) -> ResultColumns:
    """Read results; texts without a place are faults unless a corpus is to be `searched` for them."""
    records.check_contradictions()
    texts = ResultTexts(records)
    topics, documents = records.topics(), records.coded("document")
    paths = _paths(records)
    has_path = np.zeros(len(records), np.bool_)
    if records.has("path"):
        has_path[:] = [bool(path) for path in paths]
    start, end, placed = places(records, texts)
    score, rank = records.numbers("score"), records.whole("rank")
    ignored: list[str] = []
    extra = _extra(records, notices, where, texts, ignored)
    lost = extra.get("lost", np.zeros(len(records), np.int64)) > 0
    expected = "expected start and end -1 for text that is not in its document"
    records.report(
        lost & placed & (start >= 0), lambda row: f"found lost {extra['lost'][row]} and offsets, {expected}"
    )
    placed |= lost
    quoted = np.zeros(len(records), np.bool_) if (placed | has_path).all() else texts.present
    wanted = quoted & ~placed & ~has_path
    if not searched:
        hint = "⟨command=place⟩ locates texts, and so does ⟨corpus⟩"
        message = "found text without its offsets, expected start and end, or the documents that have it"
        records.report(wanted, message, hint)
    placed |= wanted
    known = placed | has_path
    reject_null(records, known)
    _reject_odd_texts(records, known)
    nameless = topics.where("")
    given = dict.fromkeys((*_PLACE, "path", "text"), known)
    records.check_keys(notices, where, {**given, "topic": ~nameless, "question": ~nameless}, ignored)
    records.report_missing("topic", nameless)
    if "" in documents.distinct:  # a text is searched for in all documents
        records.report_missing("document", documents.where("") & ~texts.present)
    _reject_others(records, known)
    return ResultColumns(
        topics,
        documents,
        paths,
        np.where(placed, start, UNKNOWN),
        np.where(placed, end, UNKNOWN),
        placed,
        rank,
        score,
        extra,
        texts.quotes(every=searched),
        _names(records),
        fingerprints_in(records, documents),
    )


def fingerprints_in(records: Records, documents: Coded) -> Mapping[str, str]:
    """Fingerprints of documents by id; none if no row has one."""
    if not records.has("fingerprint") and not records.has("sha256"):
        return {}
    from excerpt.records.fingerprints import in_rows

    return in_rows(records, documents)


class ResultTexts:
    """Texts of results, which are read if they are needed."""

    def __init__(self, records: Records) -> None:
        self._records, self.has = records, records.has("text")

    @cached_property
    def all(self) -> list[str | None]:
        """Text of each row."""
        return self._records.texts() if self.has else [None] * len(self._records)

    @property
    def present(self) -> BoolArray:
        """Mask of the rows with a text."""
        return np.array([text is not None for text in self.all], np.bool_)

    def quotes(self, *, every: bool) -> AnyArray | None:
        """Texts as a column; some from all parts of a large table, unless `every` one is needed."""
        if not self.has:
            return None
        step = 1 if every else -(-len(self._records) // _COMPARED) or 1
        texts = self.all if step == 1 else self._records.texts(step)
        column = np.full(len(self._records), None, np.object_)
        column[::step] = texts
        return column if any(text is not None for text in texts) else None


def _paths(records: Records) -> list[str]:
    """Paths of elements, or the two pointers of a passage with one blank between them."""
    if not records.has("path"):
        return [""] * len(records)
    paths = []
    for row, value in enumerate(records.values("path")):
        parts = value.split() if isinstance(value, str) and is_text(value) else []
        if is_absent(value) or (isinstance(value, str) and not value):
            parts = []
        elif not 1 <= len(parts) <= 2 or not all(part.startswith("/") for part in parts):
            found = f"found path {short(str(value))!r}, expected one such as /article[1]/p[2]"
            records.fault(row, found)
        paths.append(" ".join(parts))
    return paths


def places(records: Records, texts: ResultTexts) -> tuple[IntArray, IntArray, BoolArray]:
    """Start and end of each row, and whether it has them; -1, -1 if it says that it has none."""
    if not any(map(records.has, _PLACE)):
        nothing = np.full(len(records), UNKNOWN, np.int64)
        return nothing, nothing.copy(), np.zeros(len(records), np.bool_)
    has_pair = records.has("offset") or records.has("length")
    nowhere_ = _marked_nowhere(records)
    start, end = (records.whole(role, nowhere_too=nowhere_) for role in ("start", "end"))
    has_start, has_end = _given(records, "start", start, nowhere_), _given(records, "end", end, nowhere_)
    placed = has_start & has_end
    if not placed.all():
        odd = has_start ^ has_end
        length = has_start & ~has_end & (records.present("length") if has_pair else False)
        records.report(length, _LENGTH)
        opens = np.flatnonzero(has_start & ~has_end & ~length)  # they end with their text
        if len(opens):
            quotes = texts.all
            long = np.array([len(quotes[row] or "") for row in opens.tolist()], np.int64)
            end[opens] = start[opens] + long
            odd[opens[long > 0]] = False
            placed[opens[long > 0]] = True
        _report_halves(records, odd & ~length, ("start", "end"), has_start)
    if has_pair:
        offset, size = records.whole("offset"), records.whole("length")
        has_offset, has_length = (
            _given(records, *pair, None) for pair in (("offset", offset), ("length", size))
        )
        free = ~has_start & ~has_end
        _report_halves(records, (has_offset ^ has_length) & free, ("offset", "length"), has_offset)
        both = has_offset & has_length & free
        start, end = np.where(both, offset, start), np.where(both, offset + size, end)
        placed |= both
    records.report(
        placed & (start > end),
        lambda row: f"found end {end[row]} before start {start[row]}, expected an end at or after the start",
    )
    return start, end, placed | nowhere_


def _given(records: Records, role: str, column: IntArray, nowhere_: BoolArray | None) -> BoolArray:
    """Return which rows have a value of a role, from its column where that is enough."""
    if not records.has(role):
        return np.zeros(len(records), np.bool_)
    known = column >= 0
    if nowhere_ is not None:
        known |= nowhere_
    return known


def _marked_nowhere(records: Records) -> BoolArray:
    """Return which results have start and end -1: text that does not exist in its document."""
    if records.kind != "result" or not (records.has("start") and records.has("end")):
        return np.zeros(len(records), np.bool_)
    typed = [records.typed(role) for role in ("start", "end")]
    if all(column is not None for column in typed):
        return np.asarray((typed[0] == UNKNOWN) & (typed[1] == UNKNOWN))
    both = zip(records.values("start"), records.values("end"), strict=True)
    return np.array([_is_nowhere(one) and _is_nowhere(two) for one, two in both], np.bool_)


def _is_nowhere(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and value == UNKNOWN


def _report_halves(records: Records, rows: BoolArray, names: tuple[str, str], first: BoolArray) -> None:
    """Report rows with one of two numbers; `first` has those with the first."""
    for row in np.flatnonzero(rows).tolist():
        present, absent = names if first[row] else names[::-1]
        value = records.values(absent)[row]
        if value is not ABSENT:
            found = f"found {absent} {show(value)} next to {present}"
            records.fault(row, f"{found}, expected a whole number", nowhere(value))
        else:
            records.report_missing(absent, np.arange(len(rows)) == row)


def reject_null(records: Records, known: BoolArray) -> None:
    """Report a null as start or end: the result is a part of its document, but an unknown one."""
    for role in ("start", "end"):
        if not records.has(role) or known.all():
            continue
        values = records.values(role)
        for row in np.flatnonzero(~known).tolist():
            if values[row] is not ABSENT and is_absent(values[row]):
                records.fault(row, f"found {role} null, expected a whole number", nowhere(None))
                known[row] = True


def _extra(
    records: Records, notices: Notices, where: str, texts: ResultTexts, ignored: list[str]
) -> dict[str, IntArray]:
    """Columns of lost and own text, which some rows may have, and of costs, which all rows must have."""
    columns: dict[str, IntArray] = {}
    for role in ("lost", *COSTS):
        if not records.has(role):
            continue
        values = records.values(role)
        if any(isinstance(value, str | list | tuple | dict) for value in values):  # lists of tokens
            ignored.append(role)
            values[:] = [
                ABSENT if isinstance(value, str | list | tuple | dict) else value for value in values
            ]
        column = records.whole(role)
        lack = int((column < 0).sum())
        if lack == len(column):
            continue
        if lack and role in COSTS[:2]:
            one, many = (f"{form} no {role}; the column {role} is ignored" for form in _LACK)
            notices.add(one, many, lack, where=where)
            continue
        columns[role] = column
    if "tokens" in columns and texts.has and (none := np.flatnonzero(columns["tokens"] == 0)).size:
        words = texts.all
        for row in none.tolist():
            if (words[row] or "").strip():
                expected = "expected the tokens of its text, which has some"
                records.fault(row, f"found tokens 0 beside {show(words[row])}, {expected}")
    return columns


_LACK = ("result has", "results have")


def _reject_odd_texts(records: Records, known: BoolArray) -> None:
    """Report texts of rows without a place that are no text: the result is a part of its document."""
    if not records.has("text") or known.all():
        return
    values = records.values("text")
    for row in np.flatnonzero(~known).tolist():
        if not is_absent(values[row]) and not isinstance(values[row], str):
            records.fault(row, f"found {show(values[row])} as text, expected text")
            known[row] = True


def _reject_others(records: Records, known: BoolArray) -> None:
    """Report rows that are judgments, and places in some rows but not in others."""
    others = dict.fromkeys(OF_JUDGMENTS, _SWAPPED)
    if not any(map(records.has, OF_RESULTS)):
        graded = ROLES["judgment"]["grade"][:-1]  # a label may be any
        others |= dict.fromkeys(graded, f"{_SWAPPED} a score is called score")
    for key in filter(records.table.keys.__contains__, others):
        message = f"found {key}, which judgments have, expected a result of a run"
        records.report(filled(records.table.values(key)), message, others[key])
    if not len(known) or known.all() or not known.any():
        return
    first = f"{records.faults.unit} {records.line[0]}"
    lack = f"the position in the document is missing, expected one, as in {first}"
    more = f"found a position in the document, expected none, as in {first}"
    records.report(known != known[0], lambda row: more if known[row] else lack)


_SWAPPED = "are judgments and run swapped?"


def _names(records: Records) -> dict[str, int]:
    if not records.has("run"):
        return {}
    names = records.coded("run")
    _, rows = np.unique(names.code, return_index=True)
    first = dict(zip(names.distinct, rows.tolist(), strict=True))
    first.pop("", None)
    return first
