"""Judgments, read from records: passages, lists of passages, alternatives, and grades of documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from excerpt.errors import short
from excerpt.model.spans import UNKNOWN
from excerpt.notices import Faults
from excerpt.records.record import Record, inside_of, is_text, resembling
from excerpt.records.results import OF_RESULTS
from excerpt.records.rows import is_absent
from excerpt.records.spellings import BEIR, Words

WORDS = Words("judgment")
_SWAPPED = "are judgments and run swapped?"
_PLACE = ("start", "end", "offset", "length", "spans", "elements", "any_of", "path")


class JudgedRow(NamedTuple):
    """A passage of a row, or an empty one for a judged document."""

    topic: str
    document: str
    start: int
    end: int
    size: int
    entry: int
    line: int
    #: Numbers of the need and of the alternative, if the row lists alternatives.
    need: int = -1
    alternative: int = -1
    #: The text of the span, if the row has it.
    quote: str = ""
    #: The hash of the document from which it was taken.
    digest: Any = None
    #: The grade; None without one.
    grade: int | None = None


@dataclass
class JudgedRows:
    """Judgments as rows, in the order of the file."""

    rows: list[JudgedRow] = field(default_factory=list)
    #: Text and group of the question of each topic.
    questions: dict[str, tuple[str, str]] = field(default_factory=dict)
    #: Rows that list elements, each with its topic and document.
    listing: list[tuple[Record, str, str]] = field(default_factory=list)
    #: The first row with a place, and those without one: with a grade above 0, and without a grade.
    placed: int | None = None
    graded: list[Record] = field(default_factory=list)
    bare: list[Record] = field(default_factory=list)

    @property
    def of_documents(self) -> bool:
        """Whether the rows are grades of whole documents."""
        return self.placed is None and any(row.grade is not None for row in self.rows)

    def check_mixture(self) -> None:
        """Report grades of whole documents beside passages, and documents without a grade beside these."""
        if self.placed is not None:
            for record in self.graded:
                first = f"{record.faults.unit} {self.placed}"
                message = f"start and end are missing, expected them, as in {first}"
                record.faults.add(record.line, message, "a grade of 0 needs no passage")
        elif self.of_documents:
            for record in self.bare:
                record.report_missing("grade")


def read_judged(
    rows: Iterable[tuple[int, Mapping[str, Any]]], faults: Faults, unknown: set[str]
) -> JudgedRows:
    """Read judgments; report rows that are none, and collect unknown keys."""
    found = JudgedRows()
    for line, given in rows:
        row = given
        if row.keys() == BEIR:  # only there a score is a grade
            row = {"topic": row["query-id"], "document": row["corpus-id"], "grade": row["score"]}
        record = Record.of(line, row, WORDS, faults)
        fields = record.fields
        _check_keys(record, unknown)
        _reject_result(record)
        if not (is_absent(fields.get("question")) and is_absent(fields.get("group"))):
            _add_question(record, found.questions)
        if not is_absent(fields.get("any_of")):
            found.rows += _alternatives(record)
            found.placed = found.placed or line
        elif not _lacks_evidence(record):
            made, placed = _rows(record)
            found.rows += made
            if fields.get("elements") is not None and made:
                found.listing.append((record, made[-1].topic, made[-1].document))
            if placed:
                found.placed = found.placed or line
            elif is_absent(fields.get("grade")):
                found.bare.append(record)
            elif made and (made[-1].grade or 0) > 0:
                found.graded.append(record)
    found.check_mixture()
    return found


def _check_keys(record: Record, unknown: set[str]) -> None:
    fields = record.fields
    for key in [key for key in fields if not WORDS.knows(key)]:
        if key in OF_RESULTS:
            continue
        inside = inside_of(fields[key], WORDS)
        role, spelling = WORDS.meant(key) or (inside and "start", "")
        lacks = role and fields.get(role) is None
        if role in _PLACE or role == "text":
            lacks = not any(fields.get(name) is not None for name in (*_PLACE, "grade"))
        elif role == "quote":
            lacks = fields.get("text") is None and lacks
        if lacks and not is_absent(fields[key]):
            record.faults.add(record.line, resembling(key, spelling, inside))
        else:
            unknown.add(key)


def _reject_result(record: Record) -> None:
    """Report a row of a run: it has a score, a rank or the name of a run."""
    for key in OF_RESULTS:
        if not is_absent(record.fields.get(key)):
            hint = _SWAPPED if key != "score" else f"{_SWAPPED} the grade of a document is its relevance"
            record.faults.add(record.line, f"found a row with {key}, expected judgments", hint)
            return


def _add_question(record: Record, questions: dict[str, tuple[str, str]]) -> None:
    topic = record.fields.get("topic")
    values = [record.fields.get(key) for key in ("question", "group")]
    text, group = ("" if is_absent(value) else str(value) if is_text(str(value)) else "" for value in values)
    if not is_absent(topic):
        name = record.name("topic")
        known = questions.get(name, ("", ""))
        if text and known[0] not in ("", text):
            record.fault(f"question {short(name)} again with other words", "each id once")
        questions[name] = (known[0] or text, known[1] or group)


_ABOUT = {"labels", "notes", "assessors", "human", "confirmed", "machine", "finished", "inferred"}


def _lacks_evidence(record: Record) -> bool:
    """Return whether a row has only a question, which no document answers."""
    keys = {key for key, value in record.fields.items() if not is_absent(value)}
    allowed = {"topic", "question", "group", *_ABOUT}
    return {"topic", "question"} <= keys <= allowed and bool(record.name("topic"))


def _rows(record: Record) -> tuple[list[JudgedRow], bool]:
    """Return the passages of a row, and whether it has any place."""
    fields = record.fields
    topic, document = record.name("topic"), record.name("document")
    size, entry = record.whole("size", UNKNOWN), record.whole("bep", UNKNOWN)
    if not is_absent(fields.get("path")):
        record.fault("a path", "start and end, or spans")
    for key in ("start", "end"):
        if key in fields and fields[key] is None and is_absent(fields.get("grade")) and _alone(record, key):
            record.check(None, key)
    single, grade = record.span(), record.grade()
    spans = record.spans() + ([single] if single else [])
    placed = single is not None or fields.get("spans") is not None
    if grade is not None and placed and grade <= 0:
        spans = []
        if grade < 0:
            return [], True
    elif not placed and grade is None and (record.quote() or fields.get("quote")):
        record.fault("text without its offsets", "start and end, or a question and its quote")
    rows = [JudgedRow(topic, document, *span, size, entry, record.line) for span in spans or [(0, 0)]]
    if single is not None and topic and document and spans:
        quote = record.quote() or fields.get("quote")
        digest = fields.get("sha256") or fields.get("fingerprint")
        rows[-1] = rows[-1]._replace(quote=quote if isinstance(quote, str) else "", digest=digest)
    return [row._replace(grade=grade) for row in rows], placed or fields.get("elements") is not None


def _alone(record: Record, key: str) -> bool:
    """Return whether a null is the only place of a row."""
    others = (name for name in _PLACE if name != key)
    return all(is_absent(record.fields.get(name)) for name in others)


def _alternatives(record: Record) -> list[JudgedRow]:
    given, topic = record.fields["any_of"], {"topic": record.name("topic")}
    items = [one if isinstance(one, list) else [one] for one in given] if isinstance(given, list) else []
    if not items or not all(parts and all(isinstance(part, Mapping) for part in parts) for parts in items):
        record.fault(f"any_of {short(repr(given))}", "a list of objects, each with a document and a span")
        return []
    return [
        row._replace(need=record.line, alternative=number)
        for number, parts in enumerate(items)
        for part in parts
        for row in _rows(Record.of(record.line, {**part, **topic}, WORDS, record.faults))[0]
    ]
