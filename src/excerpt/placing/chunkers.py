"""Scores of chunkers without a retriever."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, TypeAlias, Unpack

import numpy as np

from excerpt.errors import ExcerptError, MissingData, UnknownName, plural, short_list
from excerpt.evaluation.reading import AnyTopics, GoldOptions, Judged, Reading
from excerpt.evaluation.scoring import OPTIONAL_INPUTS, single_documents, unique_run_names, warn_empty_topics
from excerpt.files import display_name
from excerpt.model.ids import Sides, propose
from excerpt.model.judgments import Judgments
from excerpt.model.spans import AnyArray, FloatArray, IntArray, KeyedSpans, keys, sums
from excerpt.model.texts import Texts
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunks import Chunks
from excerpt.scores.provenance import made_with
from excerpt.scores.score_table import ScoreTable

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.formats.source import AnyCorpus


@dataclass(frozen=True, eq=False)
class ChunkCounts:
    """Located chunks of judged documents; `document` has the judgments' number of each chunk's document."""

    judgments: Judgments
    texts: Texts | None
    document: IntArray
    start: IntArray
    end: IntArray

    def ceiling(self) -> FloatArray:
        """Recall if every chunk were returned: the proportion of the topic's relevant characters in chunks.

        As in charR, needs count with their best alternatives. In the other measures of chunkers all
        alternatives are relevant text.

        >>> from excerpt.model import Judgments, Span
        >>> gold = Judgments.of([("1", Span("A", 0, 30)), ("1", Span("B", 0, 10))])
        >>> chunks = ChunkCounts(gold, None, np.array([0, 0]), np.array([0, 10]), np.array([15, 25]))
        >>> chunks.ceiling().tolist()
        [0.625]
        """
        judgments, spans = self.judgments, self.judgments.spans
        covered = KeyedSpans.union(self.document, self.start, self.end)
        found = self._by_topic(covered.overlap(self._passage_document, spans.start, spans.end))
        total, needs = judgments.relevant_by_topic, judgments.needs
        if needs is not None:
            inside = covered.overlap(needs.document, needs.start, needs.end)
            found, total = needs.recalled(inside, found, total)
        return self._proportion(found, total)

    def cut(self) -> FloatArray:
        """Proportion of the topic's relevant passages that no single chunk contains, ignoring whitespace.

        A passage of whitespace only is left out.

        >>> from excerpt.model import Judgments, Span
        >>> gold = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("A", 20, 30))])
        >>> chunks = ChunkCounts(gold, None, np.array([0, 0]), np.array([0, 15]), np.array([12, 29]))
        >>> chunks.cut().tolist()
        [0.5]
        """
        spans = self.judgments.spans
        low, high = spans.start, spans.end
        if self.texts is not None:
            low, high = self.texts.trimmed(self.judgments.documents, self._passage_document, low, high)
        # Of the chunks that start at or before a passage's start, the one that reaches farthest decides.
        starts, reach, _ = self._sorted
        before = np.searchsorted(starts, keys(self._passage_document, low), side="right")
        contained = np.append(-1, reach)[before] >= keys(self._passage_document, high)
        has_text = high > low
        return self._proportion(self._by_topic(has_text & ~contained), self._by_topic(has_text))

    def omega(self, *, legacy: bool = False) -> FloatArray:
        """Precision of all chunks with relevant text of the topic together, each character counted once.

        Relevant text that is in no chunk counts as read, so that lost text does not raise the score. `legacy`
        includes chunks that only touch relevant text, as in chunking_evaluation's precision omega.

        >>> from excerpt.model import Judgments, Span
        >>> gold = Judgments.of([("1", Span("A", 10, 20))])
        >>> chunks = ChunkCounts(gold, None, np.array([0, 0]), np.array([0, 8]), np.array([10, 28]))
        >>> chunks.omega().tolist(), chunks.omega(legacy=True).round(4).tolist()
        ([0.5], [0.3571])
        """
        spans = self.judgments.spans
        passage, chunk = self._meeting(legacy=legacy)
        shown = KeyedSpans.union(spans.group[passage], self.start[chunk], self.end[chunk])
        found = self._by_topic(shown.overlap(spans.group, spans.start, spans.end))
        judgments = self.judgments
        read = sums(judgments.pair_topic, shown.totals(len(judgments)), len(judgments.topics))
        return self._proportion(found, read + self.judgments.relevant_by_topic - found)

    def _meeting(self, *, legacy: bool) -> tuple[IntArray, IntArray]:
        """Pairs of a passage and a chunk that share a character, or with `legacy` a border."""
        # A chunk that ends before the passage may be included if it lies inside a chunk that overlaps it.
        spans = self.judgments.spans
        starts, reach, order = self._sorted
        document = self._passage_document
        low_key, high_key = keys(document, spans.start), keys(document, spans.end)
        low = np.searchsorted(reach, low_key, side="left" if legacy else "right")
        high = np.searchsorted(starts, high_key, side="right" if legacy else "left")
        count = np.maximum(high - low, 0)
        passage = np.repeat(np.arange(len(spans)), count)
        chunk = order[np.arange(len(passage)) - np.repeat(np.cumsum(count) - count, count) + low[passage]]
        return passage, chunk

    @cached_property
    def _passage_document(self) -> IntArray:
        return self.judgments.pair_document[self.judgments.spans.group]

    @cached_property
    def _sorted(self) -> tuple[IntArray, IntArray, IntArray]:
        """Chunks by document and start: the starts, the farthest end up to each chunk, and their order."""
        starts = keys(self.document, self.start)
        order = np.argsort(starts, kind="stable")
        return starts[order], np.maximum.accumulate(keys(self.document, self.end)[order]), order

    def _by_topic(self, amount: AnyArray) -> IntArray:
        topic = self.judgments.pair_topic[self.judgments.spans.group]
        return sums(topic, amount, len(self.judgments.topics))

    @staticmethod
    def _proportion(part: IntArray, total: IntArray) -> FloatArray:
        return np.where(total > 0, part / np.maximum(total, 1), np.nan)


#: Chunks, or a file of located chunks.
OneChunker: TypeAlias = Chunks | str | os.PathLike[str]
Chunkers: TypeAlias = OneChunker | Iterable[OneChunker] | Mapping[str, OneChunker]

#: Measures of chunkers: syntax, definition and reference of each.
DEFINITIONS = {
    "ceiling": (
        "ceiling",
        (
            "Recall if every chunk were returned: the proportion of the relevant characters in some chunk. "
            "It reveals lost chunks and text that no chunk contains."
        ),
        "the recall of HiXEval, of all chunks together",
    ),
    "cut": (
        "cut",
        "The proportion of the relevant passages that no single chunk contains, ignoring whitespace.",
        "excerpt: docs/measures/rag.md",
    ),
    "omega": (
        "omega(legacy=false)",
        (
            "Precision of all chunks with relevant text together, each character counted once; the "
            "denominator includes relevant text that is in no chunk. With legacy=true, chunks that only "
            "touch relevant text also count, as in chunking_evaluation."
        ),
        "B. Smith, A. Troynikov: Evaluating Chunking Strategies for Retrieval. Chroma technical report, 2024",
    ),
}
MEASURES = tuple(DEFINITIONS)
_LEGACY = ("omega(legacy=true)", "omega(legacy=false)")
_SHOWN = 3


#: Scores of the chunks of one chunker by topic and measure, beside those of chunks alone.
OtherScores: TypeAlias = Callable[[Chunks], FloatArray]


def score_chunks(
    gold: Judged,
    chunks: Chunkers,
    corpus: AnyCorpus | None = None,
    *,
    measures: Iterable[str] = (),
    others: Sequence[str] = (),
    score_others: Callable[[Judgments, Reading], OtherScores] | None = None,
    topics: AnyTopics | None = None,
    notices: Notices | None = None,
    **reading: Unpack[GoldOptions],
) -> ScoreTable:
    """Scores of chunkers by `measures` of chunks alone, then by `others`; see `evaluate_chunks`."""
    with Gathering(notices) as gathered:
        named = chunker_measures(measures)
        read = Reading.of(corpus=corpus, topics=topics, **reading)
        judgments = read.judgments(gold, gathered)
        if judgments.only_documents or (judgments.elements is not None and not len(judgments.spans)):
            message = "chunks need judgments of text, but these are of whole documents or graded elements"
            raise MissingData(message, path=judgments.source or None)
        warn_empty_topics(judgments, gathered)
        texts = read.texts if judgments.unit == "char" else None
        ignored = texts is not None and "cut" in named.values()
        origin = partial(
            made_with,
            judgments,
            named,
            policy={},
            limit=None,
            without_white_space=ignored,
            corpus=read.corpus,
        )
        if texts is None and "cut" in named.values():
            names = [name for name, meant in named.items() if meant == "cut"]
            gathered.add(OPTIONAL_INPUTS["text"].format(short_list(names, _SHOWN)))
        more = None if score_others is None else score_others(judgments, read)
        scored = []
        for chunked, file in _chunkers(chunks, read.corpus):
            rows, document = _judged_chunks(chunked, judgments, read.corpus, gathered)
            counts = ChunkCounts(judgments, texts, document, chunked.start[rows], chunked.end[rows])
            values = _scores(counts, named)
            if more is not None:
                values = np.concatenate((values, more(chunked)), axis=1)
            scored.append((chunked.name, file, values))
        return ScoreTable(
            runs=unique_run_names([(name, file) for name, file, _ in scored]),
            files=tuple(file for _, file, _ in scored),
            topics=judgments.topics,
            measures=(*named, *others),
            values=np.stack([values for *_, values in scored]),
            warnings=tuple(gathered),
            questions=judgments.questions,
            single_documents=single_documents(judgments),
            origin=cache(origin),
        )


def is_chunker_measure(name: str) -> bool:
    """Return whether a measure is one of chunks alone.

    >>> is_chunker_measure("Omega (legacy=true)"), is_chunker_measure("recall")
    (True, False)
    """
    return "".join(name.lower().split()) in (*MEASURES, *_LEGACY)


def chunker_measures(names: Iterable[str]) -> dict[str, str]:
    """Measures of chunkers by the names that were given for them."""
    named = {}
    for name in names:
        meant = "".join(name.lower().split())
        if not is_chunker_measure(name):
            error = UnknownName("measure of chunkers", name, (*MEASURES, _LEGACY[0]))
            error.hint = error.hint or "measures of runs are those of excerpt evaluate"
            raise error
        named[name] = "omega" if meant == _LEGACY[1] else meant
    return named


def _scores(counts: ChunkCounts, named: Mapping[str, str]) -> FloatArray:
    if not named:
        return np.zeros((len(counts.judgments.topics), 0))
    functions: dict[str, Callable[[], FloatArray]] = {
        "ceiling": counts.ceiling,
        "cut": counts.cut,
        "omega": counts.omega,
        _LEGACY[0]: partial(counts.omega, legacy=True),
    }
    return np.stack([functions[measure]() for measure in named.values()], axis=1)


def _chunkers(chunkers: Chunkers, corpus: Corpus | None) -> Iterator[tuple[Chunks, str]]:
    """Each chunker with the file it was read from."""
    if isinstance(chunkers, Mapping):
        several = list(chunkers.items())
    elif isinstance(chunkers, Chunks | str | os.PathLike) or not isinstance(chunkers, Iterable):
        several = [("", chunkers)]
    else:
        several = [("", one) for one in chunkers]
    if not several:
        raise ExcerptError("no chunks given", hint="give the chunks of at least one chunker")
    for name, one in several:
        if isinstance(one, str | os.PathLike):
            chunks, file = Chunks.read(one, corpus), display_name(one)
        elif isinstance(one, Chunks):
            chunks, file = one, ""
        else:
            found = f"found a value of type {type(one).__name__} as chunks"
            message = f"{found}, expected Chunks or the path of a file of located chunks"
            raise ExcerptError(message, hint="corpus.place(chunks) locates them")
        yield replace(chunks, name=str(name) or chunks.name), file


def _judged_chunks(
    chunks: Chunks, judgments: Judgments, corpus: Corpus | None, notices: Notices
) -> tuple[IntArray, IntArray]:
    """Rows of the chunks of judged documents, and the judgments' number of each one's document."""
    own = {name: name for name in (*judgments.documents, *chunks.documents)}
    if corpus is not None:
        own = {name: corpus.resolve(name) or name for name in own}
    judged: dict[str, list[int]] = {}
    for code, name in enumerate(judgments.documents):
        judged.setdefault(own[name], []).append(code)
    codes = [judged.get(own[name], ()) for name in chunks.documents]
    pairs = [(place, code) for place, several in enumerate(codes) for code in several]
    if len(judgments.spans) and not pairs:
        some = [short_list(one.documents, _SHOWN) or plural(0, "document") for one in (chunks, judgments)]
        message = f"found chunks of {some[0]}, expected chunks of judged documents, such as {some[1]}"
        hint = "" if corpus is not None else "⟨corpus⟩ joins different ids of the same document"
        raise ExcerptError(message, path=chunks.name, hint=hint)
    folding = propose(Sides.of(chunks.documents, judgments.document_codes)) if corpus is None else None
    if folding is not None:
        gold = judgments.source or "the judgments"
        raise ExcerptError(
            f"{folding.found('document', ' of chunks')}, expected ids of {gold}",
            path=chunks.name,
            hint="⟨corpus⟩ joins different ids of the same document",
        )
    _warn_missing(chunks, judgments, own, notices)
    return _located(chunks, pairs)


def _located(chunks: Chunks, pairs: Sequence[tuple[int, int]]) -> tuple[IntArray, IntArray]:
    """Located chunks of some documents, repeated for each id that the judgments have for a document."""
    order = np.argsort(chunks.document, kind="stable")
    order = order[chunks.start[order] >= 0]
    document = chunks.document[order]
    blocks = [order[slice(*np.searchsorted(document, (place, place + 1)))] for place, _ in pairs]
    rows = np.concatenate([np.zeros(0, np.int64), *blocks])
    codes = np.array([code for _, code in pairs], np.int64)
    return rows, np.repeat(codes, [len(block) for block in blocks])


def _warn_missing(chunks: Chunks, judgments: Judgments, own: Mapping[str, str], notices: Notices) -> None:
    """Count documents with relevant text but without chunks, and chunks that were not located."""
    relevant = np.unique(judgments.pair_document[judgments.spans.group]).tolist()
    chunked = {own[name] for name in chunks.documents}
    bare = [name for name in (judgments.documents[code] for code in relevant) if own[name] not in chunked]
    lack = "no chunks of a chunker"
    one, many = f"document with relevant text has {lack}", f"documents with relevant text have {lack}"
    notices.add(one, many, len(bare), where=f"{short_list(bare, _SHOWN)} of {chunks.name}")
    lost = int((chunks.start < 0).sum()) + chunks.dropped
    one = "chunk does not occur in its document and covers no text"
    notices.add(one, "chunks do not occur in their documents and cover no text", lost, where=chunks.name)
