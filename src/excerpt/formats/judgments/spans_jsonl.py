"""Judgments as records, with assessed elements: JSON Lines, a JSON list, CSV, TSV, Parquet."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt.errors import short, short_list
from excerpt.formats.registry import RECORDS, Format, fit, register_judgments
from excerpt.formats.source import HEAD_LINES, Source
from excerpt.formats.writer import spans_by_pair, write_object
from excerpt.model.elements import COVERAGE, TOO_SMALL, GradedElement, GradedElements, canonical
from excerpt.model.judgments import Judgments, Question, Scale
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN, IntArray, Span
from excerpt.records.judged import JudgedRow, read_judged
from excerpt.records.record import Record, note_unknown
from excerpt.records.results import OF_JUDGMENTS, OF_RESULTS

if TYPE_CHECKING:
    from excerpt.corpus import Corpus

_HIGHLIGHTED = 2
#: The scale of elements by the key that only this scale has.
_SECOND: dict[str, Scale] = {
    "specificity": "exhaustivity and specificity",
    "coverage": "relevance and coverage",
    "rsize": "exhaustivity 0-2",
}


class Listed(NamedTuple):
    """An element of a line, with its scale."""

    line: int
    scale: Scale
    element: GradedElement


def elements_of(record: Record, topic: str, document: str) -> list[Listed]:
    """Return the elements of a line; report invalid ones."""
    items = record.fields.get("elements")
    if items is None:
        return []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        record.fault(f"elements {short(repr(items))}", "a list of objects")
        return []
    listed = []
    for item in items:
        scale = next((scale for name, scale in _SECOND.items() if name in item), None)
        path = item.get("path")
        if scale is None or not isinstance(path, str) or not path.startswith("/"):
            record.fault(f"element {short(repr(item))}", "a path and two grades, or exhaustivity and sizes")
            continue
        grades = _grades(record, item, scale)
        if grades is not None:
            element = GradedElement(topic, document, canonical(path), *grades)
            listed.append(Listed(record.line, scale, element))
    return listed


def _grades(record: Record, item: dict[str, Any], scale: Scale) -> tuple[int, int, int, int] | None:
    """Return both grades, size and length of highlighted text; report a fault and return None if invalid."""
    first: Any
    second: Any
    if scale == "exhaustivity 0-2":
        size, relevant = (record.check(item.get(key), key) for key in ("size", "rsize"))
        first, second = item.get("exhaustivity"), UNKNOWN
        first = TOO_SMALL if first == "?" else first
        good = _is_grade(first, TOO_SMALL, _HIGHLIGHTED) and relevant <= size
    else:
        size = relevant = 0
        first = item.get("exhaustivity" if scale == "exhaustivity and specificity" else "relevance")
        second = item.get("specificity" if scale == "exhaustivity and specificity" else "coverage")
        if scale == "relevance and coverage" and isinstance(second, str) and len(second) == 1:
            second = COVERAGE.find(second)
        good = _is_grade(first, 0, 3) and _is_grade(second, 0, 3)
    if not good:
        record.fault(f"element {short(repr(item))}", f"grades of {scale}")
    return (first, second, size, relevant) if good else None


def _is_grade(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def with_elements(source: Source, judgments: Judgments, listed: list[Listed]) -> Judgments:
    """Return the judgments with the elements that lines list."""
    if not listed:
        return judgments
    topics, documents = judgments.topic_codes, judgments.document_codes
    topic = np.array([topics[item.element.topic] for item in listed], np.int64)
    document = np.array([documents[item.element.document] for item in listed], np.int64)
    pair = judgments.pairs(topic, document)
    scale = listed[0].scale
    seen: dict[tuple[int, str], int] = {}
    for item, number in zip(listed, pair.tolist(), strict=True):
        key = number, item.element.path
        if item.scale != scale:
            first = f"as in line {listed[0].line}"
            source.faults.add(item.line, f"found grades of {item.scale}, expected {scale} {first}")
        elif key in seen:
            path = short(item.element.path)
            source.faults.add(
                item.line, f"found element {path} again (first in line {seen[key]}), expected it once"
            )
        seen.setdefault(key, item.line)
    source.faults.settle()
    if source.faults:  # the faults are kept, and the elements may be wrong
        return judgments
    from excerpt.formats.judgments._inex_xml import look_up

    elements = GradedElements.of([item.element for item in listed], pair)
    if scale == "exhaustivity 0-2" and not bool((elements.exhaustivity != _HIGHLIGHTED).any()):
        scale = "highlights"  # as in XML: the only grade of years that asked for highlighting alone
    return replace(judgments, scale=scale, elements=look_up(source, judgments, elements))


LAYOUT = '{"topic": …, "document": …, "spans": [[start, end], …], "size": …, "bep": …}'
EXAMPLE = """\
{"topic": "1", "document": "A", "spans": [[120, 220], [900, 940]], "size": 2000, "bep": 120}
{"topic": "1", "document": "B", "spans": [], "size": 800}
"""


def read(source: Source) -> Judgments:
    """Read relevant passages, whose union is the relevant text of a document, or grades of documents."""
    unknown: set[str] = set()
    found = read_judged(source.objects("judgment"), source.faults, unknown)
    listed = [one for row in found.listing for one in elements_of(*row)]
    source.faults.settle()
    note_unknown(source.notices, unknown, source.name)
    questions = {topic: Question(topic, *about) for topic, about in found.questions.items()}
    if found.of_documents:
        return _graded(source, found.rows, questions)
    rows, counts = _verified_rows(source, found.rows, questions)
    source.faults.settle()
    columns = list(zip(*rows, strict=True)) or [()] * len(JudgedRow._fields)
    topics, topic = encode([*columns[0], *questions])
    documents, document = encode(columns[1])
    start, end, size, entry, line, need, alternative = (
        np.array(column, np.int64) for column in columns[2:-3]
    )
    judgments = Judgments.collect(
        topics,
        documents,
        topic[: len(rows)],
        document,
        start,
        end,
        size=_sizes(source, documents, document, size),
        entry=entry,
        source=source.name,
        questions=questions,
        need=need,
        alternative=alternative,
    )
    pair = judgments.pairs(topic[: len(rows)], document)
    used, last = judgments.pair_size[pair], judgments.pair_entry[pair]
    beyond, resized = (used != UNKNOWN) & (end > used), (size != UNKNOWN) & (size != used)
    for text, mask in (
        ("a passage beyond the end of the document; is the size right?", beyond),
        ("another size than a line of the same document; the largest is used", resized),
        (
            "another entry point than a line of the same document; the last in the text is used",
            (entry != UNKNOWN) & (entry != last),
        ),
    ):
        lines = np.unique(line[mask])
        where = f"{source.name}:{lines[0]}" if len(lines) else ""
        source.notices.add(f"judgment has {text}", f"judgments have {text}", len(lines), where=where)
    if counts:
        from excerpt.formats.judgments.gold_files import elsewhere

        judgments = replace(judgments, evidence={**counts, **elsewhere(source, judgments, source.text_of)})
    return with_elements(source, judgments, listed)


def _graded(source: Source, rows: list[JudgedRow], questions: dict[str, Question]) -> Judgments:
    """Return judgments of whole documents by their grades."""
    first: dict[tuple[str, str], JudgedRow] = {}
    for row in rows:
        other = first.setdefault((row.topic, row.document), row)
        if other.grade != row.grade:
            name = f"document {short(row.document)} of topic {short(row.topic)}"
            message = (
                f"found {name} again with grade {row.grade} (first in {source.faults.unit} {other.line})"
            )
            source.faults.add(row.line, f"{message}, expected one grade")
    source.faults.settle()
    from excerpt.formats.judgments.qrels import judge_documents

    names = (encode([row.topic for row in rows]), encode([row.document for row in rows]))
    judgments = judge_documents(source, *names, np.array([row.grade or 0 for row in rows], np.float64))
    topics = (*judgments.topics, *(topic for topic in questions if topic not in judgments.topic_codes))
    return replace(judgments, topics=topics, questions=questions)


def _verified_rows(
    source: Source, rows: list[JudgedRow], questions: dict[str, Question]
) -> tuple[list[JudgedRow], dict[str, int]]:
    """Relocate rows by the texts that they quote, and count them; leave out questions without evidence."""
    quoting = [number for number, row in enumerate(rows) if row.quote]
    if not quoting:
        return rows, {}
    from excerpt.formats.judgments.gold_files import verify_in
    from excerpt.gold.content import Evidence, Gold
    from excerpt.gold.file import Item

    gold = Gold(source.gold_file)
    for row in (rows[number] for number in quoting):
        item = Item(source.gold_file, {}, (), row.line)
        gold.evidence.append(Evidence(row.topic, row.document, row.start, row.end, row.quote, item))
    rows = _resized(source, rows)
    verification = verify_in(source, gold, source.text_of)
    found = {
        number: [rows[number]._replace(start=span.start, end=span.end) for span in spans]
        for number, spans in zip(quoting, verification.each, strict=True)
    }
    rows = [one for number, row in enumerate(rows) for one in found.get(number, [row])]
    gone = verification.unknown - {row.topic for row in rows if row.start < row.end}
    for topic in gone:
        questions.pop(topic, None)
    rows = [row for row in rows if row.topic not in gone]
    return rows, verification.counts if source.corpus is not None else {}


def _resized(source: Source, rows: list[JudgedRow]) -> list[JudgedRow]:
    """Warn about documents that changed since quotes were taken; replace their lengths and entry points."""
    digests = {row.document: row.digest for row in rows if row.digest is not None}
    corpus = source.corpus
    changed = {
        name: len(corpus[name])
        for name, digest in digests.items()
        if corpus is not None and name in corpus and corpus.hash(name) != digest
    }
    one = "document has changed since the judgments were written; its quotes are located again"
    many = "documents have changed since the judgments were written; their quotes are located again"
    source.notices.add(one, many, len(changed), where=f"document {short_list(changed, 1)} of {source.name}")
    return [
        row._replace(size=changed[row.document], entry=UNKNOWN) if row.document in changed else row
        for row in rows
    ]


def _sizes(source: Source, documents: tuple[str, ...], document: IntArray, size: IntArray) -> IntArray:
    if source.index is None or not len(size):
        return size
    given = np.full(len(documents), UNKNOWN, np.int64)
    np.maximum.at(given, document, size)
    codes = source.index.document_codes(documents)
    known = source.index.document_sizes(codes)
    return np.where(given[document] == UNKNOWN, known[document], size)


def recognise(source: Source) -> int:
    """Count lines of JSON objects with keys of judgments, or at least without keys of runs."""
    if source.form not in RECORDS or source.gold_kind is not None:
        return 0
    if source.is_beir:
        from excerpt.formats.judgments.qrels import recognise_beir

        return 0 if recognise_beir(source) else HEAD_LINES
    return fit(source, "judgment", (*OF_JUDGMENTS, "size", "grade"), OF_RESULTS, 2)


def write(judgments: Judgments, stream: io.BufferedIOBase, corpus: Corpus | None = None) -> None:
    """Write one line per judged document, or per span with its quote, then one per need with alternatives."""
    from excerpt.formats.judgments._inex_xml import two_grades, written_elements

    spans = _plain_spans(judgments)
    for pair, elements in enumerate(written_elements(judgments) or [[]] * len(judgments)):
        fields: dict[str, Any] = {
            "topic": judgments.topics[int(judgments.pair_topic[pair])],
            "document": judgments.documents[int(judgments.pair_document[pair])],
        }
        if not two_grades(judgments):
            fields["spans"] = spans[pair]
        optional = {"size": int(judgments.pair_size[pair]), "bep": int(judgments.pair_entry[pair])}
        fields |= {key: value for key, value in optional.items() if value != UNKNOWN}
        if elements or two_grades(judgments):
            fields["elements"] = elements
        if question := judgments.questions.get(fields["topic"]):
            about = {"question": question.text, "group": question.group}
            fields |= {key: value for key, value in about.items() if value}
        text = corpus.get(fields["document"]) if corpus is not None and spans[pair] else None
        if text is None or corpus is None or "spans" not in fields:
            stream.write(write_object(fields))
            continue
        kept = {key: value for key, value in fields.items() if key != "spans"}
        for span in spans[pair]:
            stream.write(write_object(kept | _place(Span(fields["document"], *span), corpus)))
            kept.pop("elements", None)
    choices = ((topic, need) for topic, needs in judgments.alternatives.items() for need in needs if need[1:])
    for topic, need in choices:
        places = [[_place(part, corpus) for part in parts] for parts in need]
        stream.write(write_object({"topic": topic, "any_of": [one if one[1:] else one[0] for one in places]}))
    judged = {judgments.topics[code] for code in judgments.pair_topic.tolist()}
    for topic, question in judgments.questions.items():
        if topic not in judged and question.text:
            stream.write(write_object({"topic": topic, "question": question.text}))


def _plain_spans(judgments: Judgments) -> list[list[tuple[int, int]]]:
    """Return start and end of the passages of each judged pair that have no alternatives."""
    spans, needs = spans_by_pair(judgments), judgments.needs
    if needs is not None:
        single = np.repeat(needs.count, needs.count)[needs.alternative] == 1
        for pair in needs.pair.tolist():
            spans[pair] = []
        columns = (column[single].tolist() for column in (needs.pair, needs.start, needs.end))
        for pair, start, end in zip(*columns, strict=True):
            spans[pair].append((start, end))
    return spans


def _place(part: Span, corpus: Corpus | None) -> dict[str, Any]:
    """Return document and offsets of a part, and its text if a corpus has it."""
    text = None if corpus is None else corpus.get(part.document)
    if corpus is None or text is None:
        return part._asdict()
    return part._asdict() | {"quote": text[part.start : part.end], "sha256": corpus.hash(part.document)}


register_judgments(
    Format(
        "jsonl",
        "judgments",
        LAYOUT,
        "a judgment a row: JSON Lines, JSON list, CSV, TSV, Parquet",
        read,
        recognise,
        write,
        example=EXAMPLE,
        write_placed=write,
        forms=RECORDS,
    )
)
