"""Judgments: relevant text per topic, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, FormatError, plural
from excerpt.model.run import Rows, encode
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray, KeyedSpans, Span, whole_numbers
from excerpt.notices import Gathering, Notices

if TYPE_CHECKING:
    from fractions import Fraction

    from excerpt.model.elements import GradedElement, GradedElements
    from excerpt.quantise import Quantisation


class Question(NamedTuple):
    """A question that judgments answer; what a file does not tell is empty.

    >>> Question("7", "Who signed?").group
    ''
    """

    id: str
    text: str = ""
    #: What it belongs to, such as a corpus of several; means may be taken by it.
    group: str = ""
    #: A short name, which a file of topics gives it.
    title: str = ""


Unit: TypeAlias = Literal["char", "byte"]
#: What assessors graded: highlighted text (2006 on); whole documents (TREC); elements by relevance 0-3 and
#: coverage N, S, L, E (2002); by exhaustivity and specificity 0-3 (2003, 2004); by exhaustivity 0, 1, 2, ?
#: with specificity as the share of highlighted text (2005).
Scale: TypeAlias = Literal[
    "highlights",
    "documents",
    "relevance and coverage",
    "exhaustivity and specificity",
    "exhaustivity 0-2",
]


@dataclass(frozen=True, eq=False)
class Judgments:
    """What assessors said. A (topic, document) pair is unjudged, judged irrelevant, or has relevant spans.

    >>> judgments = Judgments.of([("1", Span("A", 10, 50))], sizes={"A": 200})
    >>> judgments.topics, judgments.relevant_by_topic.tolist()
    (('1',), [40])
    """

    topics: tuple[str, ...]
    documents: tuple[str, ...]
    #: One row per judged (topic, document), sorted by topic, then document.
    pair_topic: IntArray
    pair_document: IntArray
    #: Length of the document, and offset of its best entry point; -1 where not known.
    pair_size: IntArray
    pair_entry: IntArray
    #: Relevant text; the group of a span is its pair.
    spans: KeyedSpans
    elements: GradedElements | None = None
    unit: Unit = "char"
    scale: Scale = "highlights"
    source: str = ""
    #: Mean length of the documents of the collection, where an index tells it.
    mean_length: Fraction | None = None
    #: Quantisations of their grades beside those that every process knows.
    quantisations: tuple[Quantisation, ...] = ()
    #: The questions by topic, where the file tells them.
    questions: Mapping[str, Question] = field(default_factory=dict)
    #: The grade of each pair as TREC qrels give it, also below 0; None for judgments of text.
    grades: IntArray | None = None
    #: How many quoted passages of the file stand where it says (exact), were moved to their words, …
    evidence: Mapping[str, int] = field(default_factory=dict)
    #: Length of each document as judgments of topics that were left out tell it, where some were.
    sizes: IntArray | None = None

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
        """Judgments from highlighted spans, judged irrelevant (topic, document) pairs, document lengths.

        Rows may be tuples, dictionaries or those of a data frame, whose values have any name that JSON Lines
        may have; `{topic: {document: grade}}`, or rows with `relevance` and no place, judge whole documents.
        """
        from excerpt.model.rows import by_names, judged_rows

        with Gathering(notices) as gathered:
            rows = judged_rows(highlights, irrelevant, gathered)
        known, best = by_names(sizes), by_names(entries)
        sizes_ = whole_numbers([known.get(name, UNKNOWN) for name in rows.documents], "size")
        pairs = zip(rows.topics, rows.documents, strict=True)
        entries_ = whole_numbers([best.get(pair, UNKNOWN) for pair in pairs], "entry point")
        topics, topic = encode([*rows.topics, *rows.questions])
        documents, document = encode(rows.documents)
        return cls.collect(
            topics,
            documents,
            topic[: len(rows.topics)],
            document,
            rows.start,
            rows.end,
            size=np.maximum(rows.size, sizes_),
            entry=np.maximum(rows.entry, entries_),
            scale="highlights" if rows.grade is None else "documents",
            questions=rows.questions,
            grade=rows.grade,
        )

    @classmethod
    def graded(cls, elements: Iterable[GradedElement], *, scale: Scale) -> Judgments:
        """Judgments from assessed elements, without text: what INEX 2002 to 2005 released."""
        from excerpt.model.elements import GradedElements

        rows = list(elements)
        topics, topic = encode([row.topic for row in rows])
        documents, document = encode([row.document for row in rows])
        nothing = np.zeros(len(rows), np.int64)
        judgments = cls.collect(
            topics,
            documents,
            topic,
            document,
            nothing,
            nothing,
            size=nothing - 1,
            entry=nothing - 1,
            scale=scale,
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
        unit: Unit = "char",
        source: str = "",
        questions: Mapping[str, Question] | None = None,
        grade: IntArray | None = None,
    ) -> Judgments:
        """Judgments from one row per span; rows of one pair may stand apart, an empty span only says judged.

        Of several sizes or entry points for one pair the largest is kept (-1 is "not known").
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
        )

    @classmethod
    def together(cls, parts: Sequence[Judgments], *, source: str = "") -> Judgments:
        """Judgments of several files as one; no topic may be in two of them."""
        return put_together(parts, source)

    def recoded(
        self, topics: tuple[str, ...], documents: tuple[str, ...], topic: IntArray, document: IntArray
    ) -> Judgments:
        """The same judgments with other vocabularies, pairs sorted by the new codes."""
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
        """The code of each topic id."""
        return {topic: code for code, topic in enumerate(self.topics)}

    @cached_property
    def document_codes(self) -> dict[str, int]:
        """The code of each document id."""
        return {document: code for code, document in enumerate(self.documents)}

    @cached_property
    def _pair_codes(self) -> IntArray:
        return self.pair_topic * max(len(self.documents), 1) + self.pair_document

    def pairs(self, topic: IntArray, document: IntArray) -> IntArray:
        """The judged pair of each (topic code, document code), -1 where it was not judged."""
        if not len(self._pair_codes):
            return np.full(len(topic), -1, np.int64)
        found = np.full(len(topic), -1, np.int64)
        rows = np.flatnonzero(document >= 0)
        code = topic[rows] * len(self.documents) + document[rows]
        place = np.searchsorted(self._pair_codes, code).clip(max=len(self._pair_codes) - 1)
        found[rows] = np.where(self._pair_codes[place] == code, place, -1)
        return found

    @cached_property
    def relevant_by_pair(self) -> IntArray:
        """Relevant characters of each judged pair."""
        return self.spans.totals(len(self.pair_topic))

    @cached_property
    def relevant_by_topic(self) -> IntArray:
        """Relevant characters of each topic, also in documents that a run does not return."""
        return self._by_topic(self.relevant_by_pair)

    @cached_property
    def relevant_documents(self) -> IntArray:
        """Number of documents with relevant text for each topic."""
        return self._by_topic((self.relevant_by_pair > 0).astype(np.int64))

    def single_documents(self) -> dict[str, str]:
        """The document of each topic that has relevant text in one document only."""
        single = (self.relevant_by_pair > 0) & (self.relevant_documents[self.pair_topic] == 1)
        return {
            self.topics[topic]: self.documents[document]
            for topic, document in zip(self.pair_topic[single], self.pair_document[single], strict=True)
        }

    @cached_property
    def has_relevant(self) -> BoolArray:
        """Which topics have relevant text."""
        return self.relevant_by_topic > 0

    @cached_property
    def first_passages(self) -> tuple[IntArray, IntArray]:
        """The topics that have relevant passages, and the first passage of each."""
        topic = self.pair_topic[self.spans.group]
        first = np.flatnonzero(np.diff(topic, prepend=-1))
        return topic[first], first

    @cached_property
    def document_sizes(self) -> IntArray:
        """Length of each document as far as some judgment tells it, else -1."""
        sizes = np.full(len(self.documents), UNKNOWN, np.int64) if self.sizes is None else self.sizes.copy()
        np.maximum.at(sizes, self.pair_document, self.pair_size)
        return sizes

    @property
    def only_documents(self) -> bool:
        """Whether these are judgments of whole documents, each one thing of which no length is known."""
        return self.scale == "documents" and bool((self.pair_size <= 1).all())

    def _by_topic(self, amount: IntArray) -> IntArray:
        total = np.zeros(len(self.topics), np.int64)
        np.add.at(total, self.pair_topic, amount)
        return total

    def __len__(self) -> int:
        """The number of judged (topic, document) pairs."""
        return len(self.pair_topic)

    def __repr__(self) -> str:
        return f"<Judgments: {plural(len(self), 'judged document')} on {plural(len(self.topics), 'topic')}>"

    def highlights(self, topic: str) -> list[Span]:
        """The relevant spans of a topic, by document, for humans and tests."""
        rows = np.flatnonzero(self.pair_topic[self.spans.group] == self.topic_codes[topic])
        columns = self.pair_document[self.spans.group], self.spans.start, self.spans.end
        found = zip(*(column[rows].tolist() for column in columns), strict=True)
        return [Span(self.documents[document], start, end) for document, start, end in found]


def put_together(parts: Sequence[Judgments], source: str) -> Judgments:
    """Judgments of several files as one; no topic may be in two of them."""
    from excerpt.model.elements import GradedElements

    topics = _topics_of_one_file_each(parts)
    assessed = [part for part in parts if part.elements is not None or len(part.spans)]
    scales = sorted({part.scale for part in assessed})
    if len(scales) > 1 and scales != ["exhaustivity 0-2", "highlights"]:
        raise ExcerptError(f"found judgments by {' and by '.join(scales)}, expected one scale")
    documents = tuple(dict.fromkeys(document for part in parts for document in part.documents))
    topic_code = {topic: code for code, topic in enumerate(topics)}
    document_code = {document: code for code, document in enumerate(documents)}
    moved = [
        part.recoded(
            topics,
            documents,
            np.array([topic_code[topic] for topic in part.topics], np.int64),
            np.array([document_code[document] for document in part.documents], np.int64),
        )
        for part in parts
    ]
    shift = np.cumsum([0, *(len(part) for part in moved)])
    return replace(
        moved[0],
        pair_topic=np.concatenate([part.pair_topic for part in moved]),
        pair_document=np.concatenate([part.pair_document for part in moved]),
        pair_size=np.concatenate([part.pair_size for part in moved]),
        pair_entry=np.concatenate([part.pair_entry for part in moved]),
        spans=KeyedSpans(
            np.concatenate([part.spans.group + by for part, by in zip(moved, shift, strict=False)]),
            np.concatenate([part.spans.start for part in moved]),
            np.concatenate([part.spans.end for part in moved]),
        ),
        elements=GradedElements.together([part.elements for part in moved], shift),
        questions={name: question for part in parts for name, question in part.questions.items()},
        grades=_grades(moved),
        evidence=_evidence(parts),
        source=source,
    )


def _grades(parts: Sequence[Judgments]) -> IntArray | None:
    """The grades of all pairs; None where a part has none."""
    known = [part.grades for part in parts if part.grades is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def _evidence(parts: Sequence[Judgments]) -> dict[str, int]:
    """What came of the quoted passages of all files; what was counted in some of them only is not told."""
    counted = [part.evidence for part in parts if part.evidence]
    kinds = [kind for kind in counted[0] if all(kind in some for some in counted)] if counted else []
    return {kind: sum(some[kind] for some in counted) for kind in kinds}


def _topics_of_one_file_each(parts: Sequence[Judgments]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for part in parts:
        for topic in part.topics:
            if topic in seen:
                raise FormatError(
                    f"found topic {topic}, which {seen[topic] or 'another part'} has too, expected it once",
                    path=part.source or None,
                    hint="keep one of the two assessments",
                )
            seen[topic] = part.source
    return tuple(seen)
