"""Relevance judgments: relevant text per topic, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, FormatError, plural, short
from excerpt.model.run import Rows, encode
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray, KeyedSpans, Span, sums
from excerpt.notices import Faults, Gathering, Notices

if TYPE_CHECKING:
    from fractions import Fraction

    from excerpt.bridges.judged_rows import JudgedRow
    from excerpt.model.alternatives import Needs, TopicNeeds
    from excerpt.model.elements import GradedElements
    from excerpt.quantise import Quantisation
    from excerpt.records.rows import RowTable


class Question(NamedTuple):
    """Text, group and title of a topic; fields that a file does not have are empty."""

    id: str
    text: str = ""
    #: Group of topics, such as one of several corpora, for means per group.
    group: str = ""
    #: Short title from a topic file.
    title: str = ""


OffsetUnit: TypeAlias = Literal["char", "byte"]
#: Scale of the assessments: highlighted text (from 2006); whole documents (TREC); elements by relevance 0-3
#: and coverage N, S, L, E (2002), by exhaustivity and specificity 0-3 (2003, 2004), or by exhaustivity 0, 1,
#: 2, ? with specificity as the proportion of highlighted text (2005).
Scale: TypeAlias = Literal[
    "highlights", "documents", "relevance and coverage", "exhaustivity and specificity", "exhaustivity 0-2"
]


_FIELDS = ("topic", "document", "start", "end")
_EXPECTED = "relevant text: topic, document, start, end"


def _highlight(row: object) -> tuple[Any, Any, Any, Any]:
    """Topic, document, start and end of a row of relevant text, or of a topic and a span."""
    match row:
        case (topic, (document, start, end)) | (topic, document, start, end):
            return topic, document, start, end
    raise ExcerptError(
        f"found {short(repr(row))} as relevant text, expected topic and Span, or topic, document, start, end"
    )


def judged_rows(given: Rows) -> RowTable:
    """Return judgments in any form of Python as a table."""
    from excerpt.records.objects import python_rows

    return python_rows(given, "judgment", _FIELDS, _highlight, _EXPECTED, number="relevance")


def _whole(values: Sequence[object], what: str) -> IntArray:
    """Make a column of lengths or entry points; raise for what is none."""
    from excerpt.records.record import Odd, as_whole

    found = []
    for value in values:
        try:
            found.append(as_whole(value, least=UNKNOWN))
        except Odd as odd:
            raise ExcerptError(f"found {value!r:.60} as {what}, expected {odd.expected}") from None
    return np.array(found, np.int64)


def _by_names(values: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """Values by names, or by pairs of names; numbers as names become text."""
    return {
        tuple(map(str, key)) if isinstance(key, tuple) else str(key): value
        for key, value in (values or {}).items()
    }


class Quoted(NamedTuple):
    """A passage as a file has it: its quote, empty without one, and its need as in `Judgments.collect`."""

    topic: str
    document: str
    start: int
    end: int
    quote: str
    need: int = -1
    alternative: int = -1


@dataclass(frozen=True, eq=False)
class Judgments:
    """Judgments of assessors: a (topic, document) pair is unjudged, judged irrelevant, or has relevant spans.

    >>> judgments = Judgments.of([("1", Span("A", 10, 50))], sizes={"A": 200})
    >>> judgments.topics, judgments.relevant_by_topic.tolist()
    (('1',), [40])
    """

    topics: tuple[str, ...]
    documents: tuple[str, ...]
    #: One row per judged (topic, document), sorted by topic, then document.
    pair_topic: IntArray
    pair_document: IntArray
    #: Length of the document, and offset of its best entry point; -1 if unknown.
    pair_size: IntArray
    pair_entry: IntArray
    #: Relevant text; the group of a span is its pair.
    spans: KeyedSpans
    elements: GradedElements | None = None
    unit: OffsetUnit = "char"
    scale: Scale = "highlights"
    source: str = ""
    #: Mean length of the documents of the collection, if there is an index.
    mean_length: Fraction | None = None
    #: Characters of the whole collection, if there is an index.
    collection_size: int | None = None
    #: The user's own quantisations of grades, besides the registered ones.
    quantisations: tuple[Quantisation, ...] = ()
    #: Questions by topic, if the file has them.
    questions: Mapping[str, Question] = field(default_factory=dict)
    #: Grade of each pair in TREC qrels, which may be negative; None for judgments of text.
    grades: IntArray | None = None
    #: Numbers of quoted passages that are at their offsets (exact), were moved to their words, …
    evidence: Mapping[str, int] = field(default_factory=dict)
    #: Length of each document from judgments of topics that were left out, if there are such topics.
    sizes: IntArray | None = None
    #: Fingerprints of the documents' texts to which the offsets belong, as far as they are known.
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    #: Passages as the file has them, if it quotes some: two quotes that overlap are one span.
    quoted: tuple[Quoted, ...] = ()
    #: Needs of the topics of which some text is alternative; `spans` has all of it.
    alternatives: TopicNeeds = field(default_factory=dict)
    #: Who found what, if the file says so; the spans have the text that any of them found.
    rows: tuple[JudgedRow, ...] = ()

    @classmethod
    def of(
        cls,
        highlights: Rows,
        *,
        irrelevant: Iterable[tuple[str, str]] = (),
        sizes: Mapping[str, int] | None = None,
        entries: Mapping[tuple[str, str], int] | None = None,
        notices: Notices | None = None,
    ) -> Judgments:
        """Make judgments from highlighted spans, (topic, document) pairs judged irrelevant, and lengths.

        Rows may be tuples, dictionaries or the rows of a data frame, with any field name that JSON Lines may
        have. `{topic: {document: grade}}`, or rows with `relevance` and no offsets, judge whole documents.
        """
        from excerpt.records.judged import read_judged
        from excerpt.records.record import Records, list_names

        faults = Faults("")
        faults.unit = "row"
        with Gathering(notices) as gathered:
            found = read_judged(Records(judged_rows(highlights), "judgment", faults), gathered, "")
        faults.settle()
        if found.listing:
            message = "found elements with grades, expected text, or grades of documents"
            raise ExcerptError(message, hint="read_judgments(rows) reads assessed elements")
        more = [_highlight((*pair, 0, 0)) for pair in irrelevant]
        names = [
            [*column.names(), *list_names([row[at] for row in more], _FIELDS[at])]
            for at, column in enumerate((found.topics, found.documents))
        ]
        topics, topic = encode([*names[0], *found.questions])  # those of questions alone are last
        documents, document = encode(names[1])
        zeros = np.zeros(len(more), np.int64)
        start, end, grade = (np.append(column, zeros) for column in (found.start, found.end, found.grade))
        size, entry, need, alternative = (
            np.append(column, zeros - 1)
            for column in (found.size, found.entry, found.need, found.alternative)
        )
        if found.of_documents:
            relevant = (grade > 0).astype(np.int64)
            start, end, size, entry = 0 * relevant, relevant, np.ones_like(relevant), relevant - 1
        sizes_, entries_, pairs = _by_names(sizes), _by_names(entries), zip(*names, strict=True)
        known = _whole([sizes_.get(name, UNKNOWN) for name in names[1]], "size")
        points = _whole([entries_.get(pair, UNKNOWN) for pair in pairs], "entry point")
        return cls.collect(
            topics,
            documents,
            topic[: len(document)],
            document,
            start,
            end,
            size=np.maximum(size, known),
            entry=np.maximum(entry, points),
            scale="documents" if found.of_documents else "highlights",
            questions={topic: Question(topic, *about) for topic, about in found.questions.items()},
            grade=grade if found.of_documents else None,
            need=need,
            alternative=alternative,
        )

    @classmethod
    def graded(cls, elements: Iterable[tuple[Any, ...]], *, scale: Scale) -> Judgments:
        """Make judgments from elements (`GradedElement` or tuples) without text, as of INEX 2002 to 2005."""
        from excerpt.model.elements import GradedElement, GradedElements

        rows = [GradedElement(*element) for element in elements]
        topics, topic = encode([row.topic for row in rows])
        documents, document = encode([row.document for row in rows])
        zeros = np.zeros(len(rows), np.int64)
        judgments = cls.collect(
            topics, documents, topic, document, zeros, zeros, size=zeros - 1, entry=zeros - 1, scale=scale
        )
        return replace(judgments, elements=GradedElements.of(rows, judgments.pairs(topic, document)))

    @classmethod
    def collect(
        cls,
        topics: tuple[str, ...],
        documents: tuple[str, ...],
        topic: IntArray,
        document: IntArray,
        start: IntArray,
        end: IntArray,
        *,
        size: IntArray,
        entry: IntArray,
        scale: Scale = "highlights",
        unit: OffsetUnit = "char",
        source: str = "",
        questions: Mapping[str, Question] | None = None,
        grade: IntArray | None = None,
        need: IntArray | None = None,
        alternative: IntArray | None = None,
    ) -> Judgments:
        """Make judgments from one row per span, in any order; an empty span marks its pair as judged.

        Of several sizes or entry points for one pair the largest is kept (-1 means unknown). Rows with the
        same `need` of a topic are alternatives, or parts of one with the same `alternative`; -1 is neither.
        """
        code = topic * max(len(documents), 1) + document
        pairs, pair = np.unique(code, return_inverse=True)
        pair_size = np.full(len(pairs), UNKNOWN, np.int64)
        pair_entry = np.full(len(pairs), UNKNOWN, np.int64)
        np.maximum.at(pair_size, pair, size)
        np.maximum.at(pair_entry, pair, entry)
        grades = None
        if grade is not None:
            grades = np.full(len(pairs), np.iinfo(np.int64).min)
            np.maximum.at(grades, pair, grade)
        alternatives: TopicNeeds = {}
        if need is not None and alternative is not None and bool((need >= 0).any()):
            from excerpt.model.alternatives import gather

            columns = (topic, document, start, end, need, alternative)
            rows = zip(*(column.tolist() for column in columns), strict=True)
            alternatives = gather((topics[t], Span(documents[d], *span), n, a) for t, d, *span, n, a in rows)
        return cls(
            topics=topics,
            documents=documents,
            pair_topic=pairs // max(len(documents), 1),
            pair_document=pairs % max(len(documents), 1),
            pair_size=pair_size,
            pair_entry=pair_entry,
            spans=KeyedSpans.union(pair, start, end),
            scale=scale,
            unit=unit,
            source=source,
            questions=questions or {},
            grades=grades,
            alternatives=alternatives,
        )

    @classmethod
    def together(cls, parts: Sequence[Judgments], *, source: str = "") -> Judgments:
        """Combine judgments of several files; no topic may be in two of them."""
        from excerpt.model.elements import GradedElements

        topics = _topics_of_one_file_each(parts)
        documents = tuple(dict.fromkeys(document for part in parts for document in part.documents))
        topic_code = {topic: code for code, topic in enumerate(topics)}
        document_code = {document: code for code, document in enumerate(documents)}
        moved = []
        for part in parts:
            topic = np.array([topic_code[name] for name in part.topics], np.int64)
            document = np.array([document_code[name] for name in part.documents], np.int64)
            moved.append(part.recoded(topics, documents, topic, document))
        grades = [part.grades for part in moved if part.grades is not None]
        shift = np.cumsum([0, *(len(part) for part in moved)])
        names = ("pair_topic", "pair_document", "pair_size", "pair_entry")
        pairs: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in moved]) for name in names
        }
        return replace(
            moved[0],
            **pairs,
            spans=KeyedSpans(
                np.concatenate([part.spans.group + by for part, by in zip(moved, shift, strict=False)]),
                np.concatenate([part.spans.start for part in moved]),
                np.concatenate([part.spans.end for part in moved]),
            ),
            elements=GradedElements.together([part.elements for part in moved], shift),
            alternatives={name: needs for part in parts for name, needs in part.alternatives.items()},
            questions={name: question for part in parts for name, question in part.questions.items()},
            grades=np.concatenate(grades) if len(grades) == len(moved) else None,
            evidence=_evidence(parts),
            quoted=tuple(one for part in parts for one in part.quoted),
            fingerprints={name: one for part in parts for name, one in part.fingerprints.items()},
            rows=tuple(row for part in parts for row in part.rows),
            source=source,
            scale=_scale(parts, source),
        )

    def recoded(
        self, topics: tuple[str, ...], documents: tuple[str, ...], topic: IntArray, document: IntArray
    ) -> Judgments:
        """Return the same judgments with other lists of topics and documents, sorted by the new codes."""
        pair_topic, pair_document = topic[self.pair_topic], document[self.pair_document]
        order = np.lexsort((pair_document, pair_topic))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        elements = self.elements and replace(self.elements, pair=place[self.elements.pair])
        return replace(
            self,
            topics=topics,
            documents=documents,
            pair_topic=pair_topic[order],
            pair_document=pair_document[order],
            pair_size=self.pair_size[order],
            pair_entry=self.pair_entry[order],
            grades=None if self.grades is None else self.grades[order],
            spans=KeyedSpans.union(place[self.spans.group], self.spans.start, self.spans.end),
            elements=elements,
            sizes=None,
        )

    @cached_property
    def topic_codes(self) -> dict[str, int]:
        """Code of each topic id."""
        return {topic: code for code, topic in enumerate(self.topics)}

    @cached_property
    def document_codes(self) -> dict[str, int]:
        """Code of each document id."""
        return {document: code for code, document in enumerate(self.documents)}

    @cached_property
    def _pair_codes(self) -> IntArray:
        return self.pair_topic * max(len(self.documents), 1) + self.pair_document

    def pairs(self, topic: IntArray, document: IntArray) -> IntArray:
        """Judged pair of each (topic code, document code), -1 if it is unjudged."""
        pair = np.full(len(topic), -1, np.int64)
        if not len(self._pair_codes):
            return pair
        rows = np.flatnonzero(document >= 0)
        code = topic[rows] * len(self.documents) + document[rows]
        place = np.searchsorted(self._pair_codes, code).clip(max=len(self._pair_codes) - 1)
        pair[rows] = np.where(self._pair_codes[place] == code, place, -1)
        return pair

    @cached_property
    def relevant_by_pair(self) -> IntArray:
        """Relevant characters of each judged pair."""
        return self.spans.totals(len(self.pair_topic))

    @cached_property
    def relevant_by_topic(self) -> IntArray:
        """Relevant characters of each topic in all judged documents."""
        return sums(self.pair_topic, self.relevant_by_pair, len(self.topics))

    @cached_property
    def relevant_documents(self) -> IntArray:
        """Number of documents with relevant text for each topic."""
        return sums(self.pair_topic, (self.relevant_by_pair > 0).astype(np.int64), len(self.topics))

    def single_documents(self) -> dict[str, str]:
        """Document of each topic that has relevant text in one document only."""
        single = (self.relevant_by_pair > 0) & (self.relevant_documents[self.pair_topic] == 1)
        return {
            self.topics[topic]: self.documents[document]
            for topic, document in zip(self.pair_topic[single], self.pair_document[single], strict=True)
        }

    @cached_property
    def has_relevant(self) -> BoolArray:
        """Mask of the topics that have relevant text."""
        return self.relevant_by_topic > 0

    @cached_property
    def needs(self) -> Needs | None:
        """Needs of the topics with alternatives; None if there are none."""
        from excerpt.model.alternatives import Needs

        return Needs(self) if self.alternatives else None

    @cached_property
    def first_passages(self) -> tuple[IntArray, IntArray]:
        """Topics that have relevant passages, and the first passage of each."""
        topic = self.pair_topic[self.spans.group]
        first = np.flatnonzero(np.diff(topic, prepend=-1))
        return topic[first], first

    @cached_property
    def document_sizes(self) -> IntArray:
        """Length of each document if a judgment contains it, else -1."""
        sizes = np.full(len(self.documents), UNKNOWN, np.int64) if self.sizes is None else self.sizes.copy()
        np.maximum.at(sizes, self.pair_document, self.pair_size)
        return sizes

    @property
    def only_documents(self) -> bool:
        """True for judgments of whole documents of unknown length."""
        return self.scale == "documents" and bool((self.pair_size <= 1).all())

    def __len__(self) -> int:
        """Return the number of judged (topic, document) pairs."""
        return len(self.pair_topic)

    def __repr__(self) -> str:
        return f"<Judgments: {plural(len(self), 'judged document')} on {plural(len(self.topics), 'topic')}>"

    def highlights(self, topic: str) -> list[Span]:
        """List the relevant spans of a topic by document, for humans and tests."""
        rows = np.flatnonzero(self.pair_topic[self.spans.group] == self.topic_codes[topic])
        columns = self.pair_document[self.spans.group], self.spans.start, self.spans.end
        spans = zip(*(column[rows].tolist() for column in columns), strict=True)
        return [Span(self.documents[document], start, end) for document, start, end in spans]


def _scale(parts: Sequence[Judgments], folder: str) -> Scale:
    """Return the scale of all files; a topic of graded assessments may have the highest grade only."""
    scales = {part.scale for part in parts}
    if "documents" in scales and len(scales) > 1:
        message = "judgments of whole documents and judgments of text cannot be combined"
        raise ExcerptError(message, path=folder or None)
    # A file without assessments does not show its scale.
    files = {part.scale: part.source for part in reversed(parts) if part.elements or len(part.spans)}
    if "exhaustivity 0-2" in files:
        files.pop("highlights", None)
    if len(files) > 1:
        one, other = sorted(files, key=lambda scale: files[scale])[:2]
        found = f"found judgments by {one} ({files[one]}) and judgments by {other} ({files[other]})"
        raise ExcerptError(f"{found}, expected one scale", path=folder or None)
    return next(iter(files), parts[0].scale)


def _evidence(parts: Sequence[Judgments]) -> dict[str, int]:
    """Counts of quoted passages over all files, of the kinds that were counted in each of them."""
    counted = [part.evidence for part in parts if part.evidence]
    kinds = [kind for kind in counted[0] if all(kind in some for some in counted)] if counted else []
    return {kind: sum(some[kind] for some in counted) for kind in kinds}


def _topics_of_one_file_each(parts: Sequence[Judgments]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for part in parts:
        for topic in part.topics:
            if topic in seen:
                message = f"found topic {topic} again, expected it only in {seen[topic] or 'another part'}"
                raise FormatError(message, path=part.source or None, hint="keep one of the two assessments")
            seen[topic] = part.source
    return tuple(seen)
