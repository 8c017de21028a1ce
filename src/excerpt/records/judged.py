"""Judgments, read from records: passages, lists of passages, alternatives, and grades of documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import short
from excerpt.model.run import encode
from excerpt.model.spans import MAX_OFFSET, UNKNOWN, AnyArray, BoolArray, IntArray
from excerpt.notices import Notices
from excerpt.records.record import Coded, Odd, Records, as_grade, filled, is_text, show
from excerpt.records.results import OF_RESULTS, ResultTexts, fingerprints_in, places, reject_null
from excerpt.records.rows import ABSENT, RowTable, is_absent
from excerpt.records.spellings import ABOUT_JUDGMENTS, BEIR, NESTED

_SWAPPED = "are judgments and run swapped?"
_PLACE = ("start", "end", "offset", "length", "spans", "elements", "any_of", "path")
_LISTS = (list, tuple, np.ndarray)


class ElementListing(NamedTuple):
    """What a row lists as its elements."""

    line: int
    topic: str
    document: str
    items: Any


class JudgedColumns(NamedTuple):
    """Judgments as columns: a row for each passage, and an empty one for a judged document without any."""

    topics: Coded
    documents: Coded
    start: IntArray
    end: IntArray
    size: IntArray
    entry: IntArray
    line: IntArray
    #: Numbers of the need and of the alternative; -1 in rows that are no alternatives.
    need: IntArray
    alternative: IntArray
    #: Grades, 0 in rows without one; and whether they are grades of whole documents.
    grade: IntArray
    of_documents: bool
    #: The text of the passage; None without it.
    quote: AnyArray
    #: Text and group of the question of each topic.
    questions: dict[str, tuple[str, str]]
    listing: list[ElementListing]
    #: Fingerprints of the documents of which a row has one.
    fingerprints: Mapping[str, str]

    def all_topics(self, questions: Iterable[str]) -> tuple[str, ...]:
        """Topics of the rows by code, then those of questions that have none."""
        return tuple(dict.fromkeys((*self.topics.distinct, *questions)))

    def taken(self, rows: IntArray) -> JudgedColumns:
        """Take some rows, in any order."""
        values: list[Any] = [one[rows] if isinstance(one, np.ndarray) else one for one in self]
        return JudgedColumns(self.topics.taken(rows), self.documents.taken(rows), *values[2:])


class _PassageRows(NamedTuple):
    """Passages, each with the number of its row."""

    row: IntArray
    document: AnyArray
    start: IntArray
    end: IntArray
    size: IntArray
    entry: IntArray
    grade: IntArray
    quote: AnyArray
    alternative: IntArray


def read_judged(records: Records, notices: Notices, where: str) -> JudgedColumns:
    """Read judgments; report rows that are none, and keys that resemble those of judgments."""
    records.check_contradictions()
    beir = _of_beir(records)
    _reject_results(records, beir)
    topics = records.topics()
    questions, choice = _questions(records, topics), records.present("any_of")
    kept = ~(choice | _without_evidence(records, topics))
    grade, graded = _grades(records, beir)
    spans = _Spans.of(records, kept)
    placed = spans.placed | choice | (records.present("elements") & kept)
    _check_keys(records, notices, where, placed | graded)
    records.report_missing("topic", topics.where(""))
    found = _passages(records, spans, kept, grade, graded)
    listing = _listing(records, topics, found) if records.has("elements") else []
    _check_mixture(records, placed, kept, graded, grade)
    fingerprints = fingerprints_in(records, records.coded("document"))
    if choice.any():
        inner, others = _alternatives(records, choice)
        fingerprints = {**fingerprints_in(inner, inner.coded("document")), **fingerprints}
        found = _PassageRows(*(np.concatenate(pair) for pair in zip(found, others, strict=True)))
        order = np.argsort(found.row, kind="stable")
        found = _PassageRows(*(column[order] for column in found))
    line = records.line[found.row]
    return JudgedColumns(
        topics.taken(found.row),
        Coded(*encode(found.document.tolist())),
        *found[2:6],
        line,
        np.where(found.alternative < 0, -1, line),
        found.alternative,
        found.grade,
        bool((kept & graded).any() and not placed.any()),
        found.quote,
        questions,
        listing,
        fingerprints,
    )


def _of_beir(records: Records) -> BoolArray:
    """Return which rows have BEIR's keys alone; only there a score is a grade."""
    keys = set(records.table.keys)
    found = np.full(len(records), keys >= BEIR, np.bool_)
    for key in keys if found.any() and keys != BEIR else ():
        there = np.array([value is not ABSENT for value in records.table.values(key)], np.bool_)
        found &= there == (key in BEIR)
    return found


def _reject_results(records: Records, beir: BoolArray) -> None:
    """Report rows of a run: they have a score, a rank or the name of a run."""
    done = beir.copy()
    for key in [key for key in OF_RESULTS if key in records.table.keys]:
        rows = filled(records.table.values(key)) & ~done
        hint = _SWAPPED if key != "score" else f"{_SWAPPED} the grade of a document is its relevance"
        records.report(rows, f"found a row with {key}, expected judgments", hint)
        done |= rows


def _grades(records: Records, beir: BoolArray | None = None) -> tuple[IntArray, BoolArray]:
    """Return the grades of the rows, 0 in rows without one, and which rows have one."""
    column, graded = np.zeros(len(records), np.int64), np.zeros(len(records), np.bool_)
    values = records.values("grade") if records.has("grade") else []
    if beir is not None and beir.any():
        both = zip(beir.tolist(), records.table.values("score"), records.values("grade"), strict=True)
        values = [score if own else grade for own, score, grade in both]
    known: dict[Any, int] = {}
    for row, value in enumerate(values):
        number = known.get(value) if type(value) in {int, str} else None
        if number is None and not is_absent(value):
            try:
                number = as_grade(value)
            except Odd as odd:
                records.fault(row, f"found grade {show(value)}, expected {odd.expected}")
                continue
            if type(value) in {int, str}:
                known[value] = number
        if number is not None:
            column[row], graded[row] = number, True
    return column, graded


class _Spans(NamedTuple):
    """Start and end of each row, whether it has them, and whether it has any place."""

    start: IntArray
    end: IntArray
    single: BoolArray
    placed: BoolArray

    @classmethod
    def of(cls, records: Records, kept: BoolArray) -> _Spans:
        start, end, single = places(records, ResultTexts(records))
        single &= kept
        return cls(start, end, single, single | (records.present("spans") & kept))


def _passages(
    records: Records, spans: _Spans, kept: BoolArray, grade: IntArray, graded: BoolArray
) -> _PassageRows:
    """Return the passages of the rows that are `kept`."""
    (start, end, single, placed), documents = spans, records.coded("document")
    records.report_missing("document", documents.where("") & kept)
    if records.has("path"):
        records.report(records.present("path") & kept, "found a path, expected start and end, or spans")
    bare = kept & ~placed & ~graded
    if bare.any():
        quoted = _texts(records, "text", bare) | _texts(records, "quote", bare)
        message = "found text without its offsets, expected start and end, or a question and its quote"
        records.report(quoted, message)
        reject_null(records, ~bare | np.any([records.present(role) for role in _PLACE], axis=0))
    empty = placed & graded & (grade <= 0)
    listed, first, last = _pairs(records, placed & ~empty)
    alone = np.flatnonzero(single & ~empty)
    none = kept & ~(empty & (grade < 0))
    none[listed] = none[alone] = False
    rows = np.concatenate((listed, alone, np.flatnonzero(none)))
    order = np.argsort(rows, kind="stable")
    rows, zeros = rows[order], np.zeros(int(none.sum()), np.int64)
    start, end = (
        np.concatenate((pairs, column[alone], zeros))[order]
        for pairs, column in ((first, start), (last, end))
    )
    own = np.repeat((False, True, False), (len(listed), len(alone), len(zeros)))[order]
    quote = _of_passages(records, ("text", "quote"), rows, own)
    size, entry = (records.whole(role, nowhere_too=_unknown(records, role))[rows] for role in ("size", "bep"))
    names = np.array(documents.taken(rows).names(), np.object_)
    columns = (rows, names, start, end, size, entry, grade[rows], quote)
    return _PassageRows(*columns, np.full(len(rows), -1, np.int64))


def _unknown(records: Records, role: str) -> BoolArray:
    return np.array(
        [value == UNKNOWN for value in records.values(role)] if records.has(role) else [], np.bool_
    )


def _texts(records: Records, role: str, rows: BoolArray) -> BoolArray:
    values = records.values(role)
    return rows & np.array([bool(value) and not is_absent(value) for value in values], np.bool_)


def _of_passages(records: Records, roles: Sequence[str], rows: IntArray, own: BoolArray) -> AnyArray:
    """Return the first value of two roles in the rows with a place of their own, None in other rows."""
    column = np.full(len(rows), None, np.object_)
    for role in (role for role in reversed(roles) if records.has(role)):
        values = records.values(role)
        for at in np.flatnonzero(own).tolist():
            value = values[rows[at]]
            if isinstance(value, str) and value:
                column[at] = value
    return column


def _pairs(records: Records, wanted: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return row, start and end of each pair of the lists under `spans`; report all other values."""
    rows, pairs = list[int](), list[Any]()
    for row, value in enumerate(records.values("spans") if records.has("spans") else ()):
        if is_absent(value):
            continue
        if isinstance(value, _LISTS) and all(isinstance(one, _LISTS) and len(one) == 2 for one in value):
            if wanted[row]:
                rows += [row] * len(value)
                pairs.extend(value)
        else:
            records.fault(row, f"found spans {show(value)}, expected a list of pairs [start, end]")
    names, flat = ("span start", "span end"), list(chain.from_iterable(pairs))
    if set(map(type, flat)) <= {int} and (not flat or 0 <= min(flat) <= max(flat) <= MAX_OFFSET):
        numbers = flat
    else:
        numbers = [records.checked(rows[at // 2], names[at % 2], value) for at, value in enumerate(flat)]
    start, end = np.array(numbers, np.int64).reshape(-1, 2).T
    for at in np.flatnonzero(start > end).tolist():
        if numbers[2 * at + 1] == flat[2 * at + 1]:  # a fault was 0
            expected = "expected an end at or after the start"
            records.fault(rows[at], f"found span end {end[at]} before span start {start[at]}, {expected}")
    return np.array(rows, np.int64), start, end


def _alternatives(records: Records, choice: BoolArray) -> tuple[Records, _PassageRows]:
    """Return the rows under `any_of`, and their passages, each with the number of its alternative."""
    rows, numbers, parts = list[int](), list[int](), list[Mapping[str, Any]]()
    values = records.values("any_of")
    for row in np.flatnonzero(choice).tolist():
        given = values[row]
        items = [one if isinstance(one, list) else [one] for one in given] if isinstance(given, list) else []
        if not items or not all(some and all(isinstance(one, Mapping) for one in some) for some in items):
            expected = "expected a list of objects, each with a document and a span"
            records.fault(row, f"found any_of {short(repr(given))}, {expected}")
            continue
        for number, some in enumerate(items):
            rows += [row] * len(some)
            numbers += [number] * len(some)
            parts += some
    inner = Records(RowTable.of(records.line[rows].tolist(), parts), records.kind, records.faults)
    inner.check_contradictions()
    every = np.ones(len(parts), np.bool_)
    found = _passages(inner, _Spans.of(inner, every), every, *_grades(inner))
    of_rows, alternative = (np.array(column, np.int64)[found.row] for column in (rows, numbers))
    return inner, found._replace(row=of_rows, alternative=alternative)


def _questions(records: Records, topics: Coded) -> dict[str, tuple[str, str]]:
    """Return text and group of the question of each topic; report a topic with two texts."""
    given = records.present("question") | records.present("group")
    rows, questions = np.flatnonzero(given), dict[str, tuple[str, str]]()
    if not len(rows):
        return questions
    columns = [list(map(_about, records.values(role))) for role in ("question", "group")]
    every = list(zip(topics.code.tolist(), *columns, strict=True))
    distinct, code = encode([every[row] for row in rows.tolist()])
    for number, (topic, text, group) in enumerate(distinct):
        if name := topics.distinct[topic]:
            known = questions.get(name, ("", ""))
            if text and known[0] not in ("", text):
                again = np.zeros(len(records), np.bool_)
                again[rows[code == number]] = True
                found = f"found question {short(name)} again with other words, expected each id once"
                records.report(again, found)
            questions[name] = (known[0] or text, known[1] or group)
    return questions


def _about(value: Any) -> str:
    """Return the text of a question, or the name of its group; empty without one."""
    text = value if type(value) is str else "" if is_absent(value) else str(value)
    return text if is_text(text) else ""


def _without_evidence(records: Records, topics: Coded) -> BoolArray:
    """Return which rows have only a question, which no document answers."""
    found = records.present("question") & ~topics.where("")
    for role in records.words.roles:
        if found.any() and role not in {"topic", "question", "group"}:
            found &= ~records.present(role)
    for key in records.table.keys if found.any() else ():
        if key not in records.words.meaning and key not in ABOUT_JUDGMENTS:
            values = records.table.values(key)
            found &= ~filled([None if key in NESTED and isinstance(one, Mapping) else one for one in values])
    return found


def _listing(records: Records, topics: Coded, found: _PassageRows) -> list[ElementListing]:
    """Return what rows with passages or judged documents list as their elements."""
    values, kept = records.values("elements"), dict(zip(found.row.tolist(), found.document, strict=True))
    return [
        ElementListing(int(records.line[row]), topics.distinct[topics.code[row]], document, values[row])
        for row, document in kept.items()
        if not is_absent(values[row])
    ]


def _check_keys(records: Records, notices: Notices, where: str, known: BoolArray) -> None:
    groups = dict.fromkeys((*_PLACE, "text"), known)
    if records.has("text"):
        groups["quote"] = records.present("text") | records.present("quote")
    records.check_keys(notices, where, groups)


def _check_mixture(
    records: Records, placed: BoolArray, kept: BoolArray, graded: BoolArray, grade: IntArray
) -> None:
    """Report grades of whole documents beside passages, and documents without a grade beside these."""
    alone = kept & ~placed
    if placed.any():
        first = f"{records.faults.unit} {records.line[placed.argmax()]}"
        message = f"start and end are missing, expected them, as in {first}"
        records.report(alone & graded & (grade > 0), message, "a grade of 0 needs no passage")
    elif (kept & graded).any():
        records.report_missing("grade", alone & ~graded)
