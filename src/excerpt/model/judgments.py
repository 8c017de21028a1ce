"""Relevance judgments: relevant text per topic, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import plural, short
from excerpt.model.display import InNotebook
from excerpt.model.run import Rows, encode, forward
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray, KeyedSpans, Span, sums

if TYPE_CHECKING:
    import os
    from fractions import Fraction

    from excerpt.bridges.judged_rows import JudgedRow
    from excerpt.model.alternatives import Needs, TopicNeeds
    from excerpt.model.elements import GradedElements
    from excerpt.model.topic_choice import TopicIds
    from excerpt.notices import Notices
    from excerpt.quantise import Quantisation


class Question(NamedTuple):
    """Text, group and title of a topic; fields that a file does not have are empty."""

    id: str
    text: str = ""
    #: Group of topics, such as one of several corpora, for means per group.
    group: str = ""
    #: Short title from a topic file.
    title: str = ""


class Judgment(NamedTuple):
    """One relevant passage of a judged document, for humans and tests.

    A judged document without relevant text has one from 0 to 0, and a whole document of unknown length, or
    one of which elements were graded, one from -1 to -1. The grade is 1 if the text is relevant, else 0; that
    of a whole document if it has one; None where elements were graded.
    """

    topic: str
    document: str
    start: int
    end: int
    grade: int | None = None


OffsetUnit: TypeAlias = Literal["char", "byte"]
#: Scale of the assessments: highlighted text (from 2006); whole documents (TREC); elements by relevance 0-3
#: and coverage N, S, L, E (2002), by exhaustivity and specificity 0-3 (2003, 2004), or by exhaustivity 0, 1,
#: 2, ? with specificity as the proportion of highlighted text (2005).
Scale: TypeAlias = Literal[
    "highlights", "documents", "relevance and coverage", "exhaustivity and specificity", "exhaustivity 0-2"
]


class Quoted(NamedTuple):
    """A passage as a file has it: its quote, empty without one, and its need as in `collect_judgments`."""

    topic: str
    document: str
    start: int
    end: int
    quote: str
    need: int = -1
    alternative: int = -1


class Inclusion(NamedTuple):
    """Sampling of the judged pairs: the stratum of each, and the probability of inclusion in each stratum."""

    probability: tuple[Fraction, ...]
    stratum: IntArray

    def of(self, pairs: IntArray | BoolArray) -> Inclusion:
        """Return that of some pairs, in any order."""
        return Inclusion(self.probability, self.stratum[pairs])


@dataclass(frozen=True, eq=False)
class Judgments(InNotebook):
    """Judgments of assessors: a (topic, document) pair is unjudged, judged irrelevant, or has relevant spans.

    `len` counts the judged pairs, slices are of pairs, and an iteration gives the passages as `Judgment`.

    >>> judgments = Judgments.of([("1", Span("A", 10, 50)), ("2", Span("B", 0, 9))], sizes={"A": 200})
    >>> judgments.topics, judgments.relevant_by_topic.tolist(), len(judgments[:1])
    (('1', '2'), [40, 9], 1)
    >>> [(passage.document, passage.start, passage.end) for passage in judgments.topic("1")]
    [('A', 10, 50)]
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
    #: Needs of the topics of which some text is alternative; `spans` has all of it.
    alternatives: TopicNeeds = field(default_factory=dict)
    #: Fingerprints of the documents' texts to which the offsets belong, as far as they are known.
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    #: Passages as the file has them, if it quotes some: two quotes that overlap are one span.
    quoted: tuple[Quoted, ...] = ()
    #: Who found what, if the file says so; the spans have the text that any of them found.
    rows: tuple[JudgedRow, ...] = ()
    #: Whether the file is gold: of a gold format, or with quotes.
    gold: bool = False
    #: How the judged documents were sampled; None if the judgments do not say so.
    inclusion: Inclusion | None = None

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
        from excerpt.records.values import judgments_of

        return judgments_of(highlights, irrelevant, sizes, entries, notices)

    @classmethod
    def graded(cls, elements: Iterable[tuple[Any, ...]], *, scale: Scale) -> Judgments:
        """Make judgments from elements (`GradedElement` or tuples) without text, as of INEX 2002 to 2005."""
        return _graded(elements, scale)

    @property
    def is_gold(self) -> bool:
        """Whether these are gold of questions: a gold file, quotes, or rows with the texts of questions."""
        return self.gold or any(question.text for question in self.questions.values())

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

    def __iter__(self) -> Iterator[Judgment]:
        from excerpt.model.dictionaries import passages

        return passages(self)

    def __getitem__(self, part: str | slice) -> Judgments:
        """Return the judgments of a topic, or of a slice of the judged pairs."""
        if isinstance(part, str):
            return self.topic(part)
        if not isinstance(part, slice):
            raise TypeError(f"found {short(repr(part))}, expected a topic or a slice, such as [:10]")
        pairs = np.zeros(len(self), np.bool_)
        pairs[forward(part)] = True
        return self._part(np.bincount(self.pair_topic[pairs], minlength=len(self.topics)) > 0, pairs)

    def topic(self, name: str) -> Judgments:
        """Return the judgments of a topic."""
        from excerpt.model.topic_choice import place_of  # it imports this module

        topics = np.arange(len(self.topics)) == place_of(name, self.topics)
        return self._part(topics, topics[self.pair_topic])

    def only(self, topics: TopicIds = None, *, exclude: TopicIds = None) -> Judgments:
        """Return the judgments of some topics, or of all but some: ids, or text such as `201,205-210`."""
        from excerpt.model.topic_choice import TopicChoice

        return TopicChoice.of(topics, exclude).of_judgments(self)

    def _part(self, topics: BoolArray, pairs: BoolArray) -> Judgments:
        from excerpt.model.judgment_parts import keep_pairs  # it imports this module

        return keep_pairs(self, topics, pairs)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary for each judged document, with the keys of JSON Lines.

        `Judgments.of` reads them, and `excerpt.read_judgments` those with graded elements, too.
        """
        from excerpt.model.dictionaries import judgment_rows

        return list(judgment_rows(self))

    def save(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002 - the users' word
        **options: Any,
    ) -> None:
        """Write the judgments to a file, as `excerpt.write_judgments` does."""
        offered("write_judgments")(self, path, format, **options)

    def equals(self, other: object) -> bool:
        """Return whether others have the same scale, judged documents, passages, grades and questions."""
        from excerpt.model.dictionaries import said

        return isinstance(other, Judgments) and said(self) == said(other)

    def __repr__(self) -> str:
        return f"<Judgments: {plural(len(self), 'judged document')} on {plural(len(self.topics), 'topic')}>"

    def highlights(self, topic: str) -> list[Span]:
        """List the relevant spans of a topic by document, for humans and tests."""
        rows = np.flatnonzero(self.pair_topic[self.spans.group] == self.topic_codes[topic])
        columns = self.pair_document[self.spans.group], self.spans.start, self.spans.end
        spans = zip(*(column[rows].tolist() for column in columns), strict=True)
        return [Span(self.documents[document], start, end) for document, start, end in spans]


def collect_judgments(
    topics: tuple[str, ...],
    documents: tuple[str, ...],
    topic: IntArray,
    document: IntArray,
    start: IntArray,
    end: IntArray,
    *,
    size: IntArray | int = UNKNOWN,
    entry: IntArray | int = UNKNOWN,
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
    return Judgments(
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


def _graded(elements: Iterable[tuple[Any, ...]], scale: Scale) -> Judgments:
    from excerpt.model.elements import GradedElement, GradedElements

    rows = [GradedElement(*element) for element in elements]
    topics, topic = encode([row.topic for row in rows])
    documents, document = encode([row.document for row in rows])
    zeros = np.zeros(len(rows), np.int64)
    judgments = collect_judgments(topics, documents, topic, document, zeros, zeros, scale=scale)
    return replace(judgments, elements=GradedElements.of(rows, judgments.pairs(topic, document)))
