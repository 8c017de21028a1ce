"""Judgments as records, with assessed elements: JSON Lines, a JSON list, CSV, TSV, Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import short, short_list
from excerpt.formats.reader import NameColumn
from excerpt.formats.registry import RECORDS, Format, fit, register_judgments
from excerpt.formats.source import HEAD_LINES, Source
from excerpt.formats.writer import write_object
from excerpt.model.dictionaries import judgment_rows
from excerpt.model.elements import COVERAGE, TOO_SMALL, GradedElement, GradedElements, canonical
from excerpt.model.judgments import Judgments, Question, Quoted, Scale, collect_judgments
from excerpt.model.spans import UNKNOWN, IntArray, Span
from excerpt.notices import Faults
from excerpt.records.judged import ElementListing, JudgedColumns, read_judged
from excerpt.records.record import Odd, Records, as_whole, show
from excerpt.records.results import OF_JUDGMENTS, OF_RESULTS
from excerpt.records.rows import RowTable

if TYPE_CHECKING:
    from excerpt.corpus import Corpus

_HIGHLIGHTED = 2
#: The scale of elements by the key that only this scale has.
_SECOND: dict[str, Scale] = {
    "specificity": "exhaustivity and specificity",
    "coverage": "relevance and coverage",
    "rsize": "exhaustivity 0-2",
}


class ListedElement(NamedTuple):
    """An element of a line, with its scale."""

    line: int
    scale: Scale
    element: GradedElement


def elements_of(listing: ElementListing, faults: Faults) -> list[ListedElement]:
    """Return the elements of a line; report invalid ones."""
    items, line = listing.items, listing.line
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        faults.add(line, f"found elements {short(repr(items))}, expected a list of objects")
        return []
    listed = []
    for item in items:
        scale = next((scale for name, scale in _SECOND.items() if name in item), None)
        path, found = item.get("path"), f"found element {short(repr(item))}"
        if scale is None or not isinstance(path, str) or not path.startswith("/"):
            faults.add(line, f"{found}, expected a path and two grades, or exhaustivity and sizes")
            continue
        try:
            grades = _grades(item, scale)
        except Odd as odd:
            faults.add(line, str(odd))
            continue
        if grades is None:
            faults.add(line, f"{found}, expected grades of {scale}")
        else:
            element = GradedElement(listing.topic, listing.document, canonical(path), *grades)
            listed.append(ListedElement(line, scale, element))
    return listed


def _grades(item: dict[str, Any], scale: Scale) -> tuple[int, int, int, int] | None:
    """Return both grades, size and length of highlighted text; None if they are invalid."""
    first: Any
    second: Any
    if scale == "exhaustivity 0-2":
        size, relevant = (_size(item.get(key), key) for key in ("size", "rsize"))
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
    return (first, second, size, relevant) if good else None


def _size(value: Any, name: str) -> int:
    try:
        return as_whole(value)
    except Odd as odd:
        raise Odd(f"found {name} {show(value)}, expected {odd.expected}") from None


def _is_grade(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def with_elements(source: Source, judgments: Judgments, listed: list[ListedElement]) -> Judgments:
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
    elements = GradedElements.of([item.element for item in listed], pair)
    if scale == "exhaustivity 0-2" and not bool((elements.exhaustivity != _HIGHLIGHTED).any()):
        scale = "highlights"  # as in XML: the only grade of years that asked for highlighting alone
    return replace(judgments, scale=scale, elements=look_up(source, judgments, elements))


def look_up(source: Source, judgments: Judgments, elements: GradedElements) -> GradedElements:
    """Return the assessed elements with their rows in the index, if there is one, and sizes until 2004."""
    if source.index is None:
        return elements
    from excerpt.index.element_spans import element_rows

    documents = judgments.pair_document[elements.pair]
    rows = element_rows(source.index, judgments.documents, documents, elements.paths, elements.path)

    def place(row: int) -> str:
        path, document = elements.paths[elements.path[row]], judgments.documents[documents[row]]
        return f"{short(path)} of document {short(document)} of {source.name}"

    one = "assessed element is not in the index; no result can match it"
    many = "assessed elements are not in the index; no result can match them"
    source.notices.add_marked(one, many, rows < 0, place)
    start, end = source.index.spans(rows)
    unsized = (elements.specificity != UNKNOWN) & (rows >= 0)
    size = np.where(unsized, end - start, elements.size)
    # Parents are derived from paths, which also works for elements that the index does not have.
    return replace(elements, row=rows, parent=elements.parents, size=size)


LAYOUT = '{"topic": …, "document": …, "spans": [[start, end], …], "size": …, "bep": …}'
EXAMPLE = """\
{"topic": "1", "document": "A", "spans": [[120, 220], [900, 940]], "size": 2000, "bep": 120}
{"topic": "1", "document": "B", "spans": [], "size": 800}
"""


def read(source: Source) -> Judgments:
    """Read relevant passages, whose union is the relevant text of a document, or grades of documents."""
    return judgments_of(source, source.table("judgment"))


def judgments_of(source: Source, table: RowTable) -> Judgments:
    """Make judgments of rows, with their probabilities of inclusion if they have some."""
    records = Records(table, "judgment", source.faults)
    found = read_judged(records, source.notices, source.name)
    judgments = _judgments(source, records, found)
    return offered("inclusion")(records, found, judgments) if records.has("probability") else judgments


def _judgments(source: Source, records: Records, found: JudgedColumns) -> Judgments:
    listed = [one for listing in found.listing for one in elements_of(listing, source.faults)]
    source.faults.settle()
    questions = {topic: Question(topic, *about) for topic, about in found.questions.items()}
    told = records.has("grade") or not {"assessors", "time"}.isdisjoint(records.table.keys)
    named = offered("judged_lines") if told else None
    if found.of_documents:
        several = named and named.documents_of(records, found, source.name, questions)
        return several or _graded(source, found, questions)
    quotes = bool((found.quote != None).any())  # noqa: E711 - by element
    changed = _changed(source, found)
    _reject_changed(source, found, changed)
    found, counts, quoted = _verified(source, found, questions, changed)
    source.faults.settle()
    topics, documents = found.topics, found.documents
    line, size, entry, end = found.line, found.size, found.entry, found.end
    judgments = collect_judgments(
        found.all_topics(questions),
        documents.distinct,
        topics.code,
        documents.code,
        found.start,
        end,
        size=_sizes(source, documents.distinct, documents.code, size),
        entry=entry,
        source=source.name,
        questions=questions,
        need=found.need,
        alternative=found.alternative,
    )
    judgments = replace(judgments, fingerprints=found.fingerprints, quoted=quoted)
    pair = judgments.pairs(topics.code, documents.code)
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
        copies = offered("copies").elsewhere(source, judgments, source.text_of)
        judgments = replace(judgments, evidence={**counts, **copies})
    judgments = replace(judgments, rows=named.rows_of(records, found) if named else (), gold=quotes)
    return with_elements(source, judgments, listed)


def _graded(source: Source, found: JudgedColumns, questions: dict[str, Question]) -> Judgments:
    """Return judgments of whole documents by their grades."""
    (topics, topic), (documents, document), grade = found.topics, found.documents, found.grade
    _, first, pair = np.unique(topic * len(documents) + document, return_index=True, return_inverse=True)
    other = first[pair]

    def again(row: int) -> str:
        name = f"document {short(documents[document[row]])} of topic {short(topics[topic[row]])}"
        where = f"first in {source.faults.unit} {found.line[other[row]]}"
        return f"found {name} again with grade {grade[row]} ({where}), expected one grade"

    rows = np.flatnonzero(grade != grade[other])
    source.faults.add_all(found.line[rows], lambda at: again(int(rows[at])))
    source.faults.settle()
    from excerpt.formats.judgments.qrels import judge_documents

    names = NameColumn(found.all_topics(questions), topic), NameColumn(*found.documents)
    return replace(judge_documents(source, *names, grade.astype(np.float64)), questions=questions)


def _verified(
    source: Source, found: JudgedColumns, questions: dict[str, Question], changed: Sequence[str]
) -> tuple[JudgedColumns, dict[str, int], tuple[Quoted, ...]]:
    """Relocate passages by their quotes, and count them; leave out questions without evidence."""
    quoting = np.flatnonzero(found.quote != None)  # noqa: E711 - by element
    if not len(quoting):
        return found, {}, ()
    from excerpt.formats.judgments.gold_files import verify_in
    from excerpt.gold.file import Evidence, Gold, GoldItem

    gold = Gold(source.gold_file)
    topics, documents = found.topics.names(), found.documents.names()
    for row in quoting.tolist():
        span = topics[row], documents[row], int(found.start[row]), int(found.end[row]), found.quote[row]
        gold.evidence.append(Evidence(*span, GoldItem(source.gold_file, {}, (), int(found.line[row]))))
    found = _resized(source, found, changed)
    verification = verify_in(source, gold, source.text_of)
    count = np.ones(len(found.start), np.int64)
    count[quoting] = [*map(len, verification.each)]
    rows = np.repeat(np.arange(len(count)), count)
    placed = found.taken(rows)
    moved = np.isin(rows, quoting)
    spans = [span for some in verification.each for span in some]
    placed.start[moved], placed.end[moved] = [one.start for one in spans], [one.end for one in spans]
    relevant = {
        placed.topics.distinct[code] for code in placed.topics.code[placed.start < placed.end].tolist()
    }
    gone = verification.unknown - relevant
    for topic in gone:
        questions.pop(topic, None)
    if gone:
        kept = [name not in gone for name in placed.topics.names()]
        placed = placed.taken(np.flatnonzero(kept))
    return placed, verification.counts if source.corpus is not None else {}, _quoted(placed)


def _quoted(found: JudgedColumns) -> tuple[Quoted, ...]:
    """Return the passages as the file has them."""
    names = found.topics.names(), found.documents.names()
    columns = found.start.tolist(), found.end.tolist(), found.quote, found.need, found.alternative
    return tuple(
        Quoted(topic, document, start, end, quote or "", int(need), int(alternative))
        for topic, document, start, end, quote, need, alternative in zip(*names, *columns, strict=True)
        if start < end
    )


def _changed(source: Source, found: JudgedColumns) -> list[str]:
    """Documents whose text in the corpus is another version than that of the judgments."""
    if source.corpus is None or not found.fingerprints:
        return []
    from excerpt.records.fingerprints import differing

    return differing(found.fingerprints, source.corpus.known_hash)


def _reject_changed(source: Source, found: JudgedColumns, changed: Sequence[str]) -> None:
    """Raise if passages without their text belong to another version."""
    if not changed:
        return
    from excerpt.records.fingerprints import OtherVersionError

    bare = (found.start < found.end) & (found.quote == None)  # noqa: E711 - by element
    named = {found.documents.distinct[code] for code in found.documents.code[bare].tolist()}
    if differ := [name for name in changed if name in named]:
        raise OtherVersionError(source.name, differ, len(found.documents.distinct))


def _resized(source: Source, found: JudgedColumns, differ: Sequence[str]) -> JudgedColumns:
    """Warn about documents that changed since quotes were taken; replace their lengths and entry points."""
    documents, corpus = found.documents.names(), source.corpus
    changed = {name: len(corpus[name]) for name in differ if corpus is not None}
    one = "document has changed since the judgments were written; its quotes are located again"
    many = "documents have changed since the judgments were written; their quotes are located again"
    source.notices.add(one, many, len(changed), where=f"document {short_list(changed, 1)} of {source.name}")
    if not changed:
        return found
    sizes = np.array([changed.get(name, UNKNOWN) for name in documents], np.int64)
    new = sizes != UNKNOWN
    size, entry = np.where(new, sizes, found.size), np.where(new, UNKNOWN, found.entry)
    now = {name: corpus.hash(name) for name in changed if corpus is not None}
    return found._replace(size=size, entry=entry, fingerprints={**found.fingerprints, **now})


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
    is_of_track = None if source.has_places else offered("tracks")
    if is_of_track is not None and is_of_track(source):
        return 0
    if source.is_beir:
        from excerpt.formats.judgments.qrels import recognise_beir

        return 0 if recognise_beir(source) else HEAD_LINES
    return fit(source, "judgment", (*OF_JUDGMENTS, "size", "grade"), OF_RESULTS, 2)


def write(judgments: Judgments, stream: io.BufferedIOBase, corpus: Corpus | None = None) -> None:
    """Write one line per judged document, or per span with its quote, then one per need with alternatives.

    Judgments whose assessors, times or grades are known have one line for each.
    """
    if judgments.rows and judgments.elements is None:
        offered("judged_lines").write_rows(judgments, stream, corpus)
        return
    for row in judgment_rows(judgments):
        stream.writelines(write_object(one) for one in ([row] if corpus is None else _quoting(row, corpus)))


def _quoting(row: dict[str, Any], corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Yield the rows of a row: one for each of its passages, and its alternatives, with their text."""
    if "any_of" in row:
        places = [one if isinstance(one, list) else [one] for one in row["any_of"]]
        quoted = [[_with_quote(part, corpus) for part in parts] for parts in places]
        yield row | {"any_of": [one if one[1:] else one[0] for one in quoted]}
    elif not row.get("spans") or corpus.get(row["document"]) is None:
        yield row
    else:
        kept = {key: value for key, value in row.items() if key != "spans"}
        for span in row["spans"]:
            yield kept | _with_quote(Span(row["document"], *span)._asdict(), corpus)
            kept.pop("elements", None)


def _with_quote(part: dict[str, Any], corpus: Corpus) -> dict[str, Any]:
    """Return document and offsets of a part, its text if the corpus has it, and what else it has."""
    text = corpus.get(part["document"])
    quote = {} if text is None else {"quote": text[part["start"] : part["end"]]}
    return {key: part[key] for key in Span._fields} | quote | part


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
