"""Scores of chunkers without a retriever."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeAlias, Unpack

import numpy as np

from excerpt.errors import ExcerptError, MissingData, UnknownName, listed, plural, short_list
from excerpt.evaluation.reading import AnyTopics, GoldOptions, Judged, Reading
from excerpt.evaluation.scoring import WISHES, notice_empty_topics, unique_run_names
from excerpt.files import display_name
from excerpt.model.judgments import Judgments
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import FloatArray, IntArray, KeyedSpans, keys
from excerpt.model.texts import Texts
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunks import Chunks

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.formats.source import AnyCorpus


@dataclass(frozen=True, eq=False)
class ChunkCounts:
    """Chunks beside judgments; `home` is the document of each chunk, as the judgments number them.

    A chunk that stands nowhere, or in a document that nobody judged, is not among them.
    """

    judgments: Judgments
    texts: Texts | None
    home: IntArray
    start: IntArray
    end: IntArray

    def ceiling(self) -> FloatArray:
        """Recall if every chunk were returned: the share of the topic's relevant characters in any chunk.

        >>> from excerpt.model import Judgments, Span
        >>> gold = Judgments.of([("1", Span("A", 0, 30)), ("1", Span("B", 0, 10))])
        >>> chunks = ChunkCounts(gold, None, np.array([0, 0]), np.array([0, 10]), np.array([15, 25]))
        >>> chunks.ceiling().tolist()
        [0.625]
        """
        judgments, spans = self.judgments, self.judgments.spans
        covered = KeyedSpans.union(self.home, self.start, self.end)
        found = self._by_topic(covered.overlap(self._document, spans.start, spans.end))
        return self._share(found, judgments.relevant_by_topic)

    def cut(self) -> FloatArray:
        """The share of the topic's relevant passages that no single chunk holds, white space not counted.

        A passage of white space only is left out.

        >>> from excerpt.model import Judgments, Span
        >>> gold = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("A", 20, 30))])
        >>> chunks = ChunkCounts(gold, None, np.array([0, 0]), np.array([0, 15]), np.array([12, 29]))
        >>> chunks.cut().tolist()
        [0.5]
        """
        spans = self.judgments.spans
        low, high = spans.start, spans.end
        if self.texts is not None:
            low, high = self.texts.trimmed(self.judgments.documents, self._document, low, high)
        # Of the chunks that start at a passage's start or before, the one that reaches farthest.
        starts, reach, _ = self._sorted
        before = np.searchsorted(starts, keys(self._document, low), side="right")
        held = np.append(-1, reach)[before] >= keys(self._document, high)
        there = high > low
        return self._share(self._by_topic(there & ~held), self._by_topic(there))

    def omega(self, *, legacy: bool = False) -> FloatArray:
        """Precision of all chunks that hold relevant text of the topic, together: each character once.

        Relevant text that is in no chunk counts as read, too, so that what was lost is no gain. With `legacy`
        chunks that only touch relevant text are among them, as in chunking_evaluation's precision omega.

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
        read = self._by_pair(shown.totals(len(self.judgments)))
        return self._share(found, read + self.judgments.relevant_by_topic - found)

    def _meeting(self, *, legacy: bool) -> tuple[IntArray, IntArray]:
        """Every passage with every chunk that shares a character with it, or with `legacy` a border.

        Chunks that end before a passage may be among them where they lie inside of one that does not.
        """
        spans = self.judgments.spans
        starts, reach, order = self._sorted
        low_key, high_key = keys(self._document, spans.start), keys(self._document, spans.end)
        low = np.searchsorted(reach, low_key, side="left" if legacy else "right")
        high = np.searchsorted(starts, high_key, side="right" if legacy else "left")
        count = np.maximum(high - low, 0)
        passage = np.repeat(np.arange(len(spans)), count)
        chunk = order[np.arange(len(passage)) - np.repeat(np.cumsum(count) - count, count) + low[passage]]
        return passage, chunk

    @cached_property
    def _document(self) -> IntArray:
        """The document of each passage."""
        return self.judgments.pair_document[self.judgments.spans.group]

    @cached_property
    def _sorted(self) -> tuple[IntArray, IntArray, IntArray]:
        """Chunks by document and start: the starts, how far all up to each one reach, and their order."""
        starts = keys(self.home, self.start)
        order = np.argsort(starts, kind="stable")
        return starts[order], np.maximum.accumulate(keys(self.home, self.end)[order]), order

    def _by_topic(self, amount: IntArray | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> IntArray:
        """Sums over the passages of each topic."""
        total = np.zeros(len(self.judgments), np.int64)
        np.add.at(total, self.judgments.spans.group, amount)
        return self._by_pair(total)

    def _by_pair(self, amount: IntArray) -> IntArray:
        """Sums over the judged documents of each topic."""
        total = np.zeros(len(self.judgments.topics), np.int64)
        np.add.at(total, self.judgments.pair_topic, amount)
        return total

    @staticmethod
    def _share(part: IntArray, whole: IntArray) -> FloatArray:
        """Quotients, undefined where there is nothing."""
        return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


#: Chunks, or the file of placed ones.
OneChunker: TypeAlias = Chunks | str | os.PathLike[str]
Chunkers: TypeAlias = OneChunker | Iterable[OneChunker] | Mapping[str, OneChunker]

_CHROMA = (
    "B. Smith, A. Troynikov: Evaluating Chunking Strategies for Retrieval. Chroma technical report, 2024"
)
#: What can be asked of chunkers: how it is written, its definition, its reference.
DEFINITIONS = {
    "ceiling": (
        "ceiling",
        (
            "Recall if every chunk were returned: the share of the relevant characters that some chunk has. "
            "It finds lost chunks and text that was never cut into any."
        ),
        "the recall of HiXEval, of all chunks together",
    ),
    "cut": (
        "cut",
        "The share of the relevant passages that no single chunk holds, white space not counted.",
        "excerpt: docs/measures/rag.md",
    ),
    "omega": (
        "omega(legacy=false)",
        (
            "Precision of the chunks that hold relevant text, all together, each character counted once; "
            "relevant text that no chunk holds stands in the denominator. With legacy=true chunks that only "
            "touch relevant text count too, as in chunking_evaluation."
        ),
        _CHROMA,
    ),
}
MEASURES = tuple(DEFINITIONS)
_LEGACY = ("omega(legacy=true)", "omega(legacy=false)")
_SHOWN = 3


def evaluate_chunks(
    gold: Judged,
    chunks: Chunkers,
    corpus: AnyCorpus | None = None,
    *,
    measures: Iterable[str] | str = MEASURES,
    topics: AnyTopics | None = None,
    notices: Notices | None = None,
    **reading: Unpack[GoldOptions],
) -> ScoreTable:
    """What chunkers make possible, whatever is retrieved later: `ceiling`, `cut` and `omega` by question.

    `ceiling` is the recall if every chunk were returned; `cut` the share of the relevant passages that no
    single chunk holds, white space not counted; `omega` the precision of all chunks that hold relevant text,
    together (`omega(legacy=true)` counts those that only touch it, as chunking_evaluation does).

    `gold` are judgments or a file of them; `chunks` are `Chunks`, files that `excerpt place` wrote, several
    of them, or several by name. The `corpus` tells where white space is, checks what files say, and joins
    documents that gold and chunks call differently. `topics` has titles and questions, `only` and `exclude`
    choose topics.

    >>> from excerpt import Corpus, Judgments, Span
    >>> corpus = Corpus({"A": "Rain fell. The river rose."})
    >>> gold = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("A", 15, 26))])
    >>> chunks = corpus.place([{"document": "A", "text": text} for text in ("Rain fell. The", "river")])
    >>> print(evaluate_chunks(gold, chunks, corpus))
    run     ceiling     cut   omega
    -------------------------------
    chunks   0.7143  0.5000  0.6000
    """
    with Gathering(notices) as gathered:
        named = _measures(measures)
        read = Reading.of(corpus=corpus, topics=topics, **reading)
        judgments = read.judgments(gold, gathered)
        if judgments.only_documents or (judgments.elements is not None and not len(judgments.spans)):
            raise MissingData(
                "chunks need judgments of text, but these are of whole documents or graded elements",
                path=judgments.source or None,
            )
        notice_empty_topics(judgments, gathered)
        texts = read.texts if judgments.unit == "char" else None
        if texts is None and "cut" in named.values():
            names = [name for name, meant in named.items() if meant == "cut"]
            gathered.add(WISHES["text"].format(short_list(names, _SHOWN)))
        found = []
        for chunked, file in _chunkers(chunks, read.corpus):
            rows, home = _homes(chunked, judgments, read.corpus, gathered)
            counts = ChunkCounts(judgments, texts, home, chunked.start[rows], chunked.end[rows])
            found.append((chunked.name, file, _scores(counts, named)))
        return ScoreTable(
            runs=unique_run_names([(name, file) for name, file, _ in found]),
            files=tuple(file for _, file, _ in found),
            topics=judgments.topics,
            measures=tuple(named),
            values=np.stack([values for *_, values in found]),
            warnings=tuple(gathered),
            questions=judgments.questions,
            documents=judgments.single_documents(),
        )


def _measures(given: Iterable[str] | str) -> dict[str, str]:
    """What each name that was given means."""
    named = {}
    for name in listed(given, str, "measure", "the name of a measure of chunkers"):
        meant = "".join(name.lower().split())
        if meant not in (*MEASURES, *_LEGACY):
            error = UnknownName("measure of chunkers", name, (*MEASURES, _LEGACY[0]))
            error.hint = error.hint or "measures of runs are those of excerpt evaluate"
            raise error
        named[name] = "omega" if meant == _LEGACY[1] else meant
    if not named:
        raise ExcerptError("found no measure, expected at least one", hint=f"try {', '.join(MEASURES)}")
    return named


def _scores(counts: ChunkCounts, named: Mapping[str, str]) -> FloatArray:
    """By topic and measure."""
    made: dict[str, Callable[[], FloatArray]] = {
        "ceiling": counts.ceiling,
        "cut": counts.cut,
        "omega": counts.omega,
        _LEGACY[0]: partial(counts.omega, legacy=True),
    }
    return np.stack([made[meant]() for meant in named.values()], axis=1)


def _chunkers(given: Chunkers, corpus: Corpus | None) -> Iterator[tuple[Chunks, str]]:
    """Each chunker, with the file it was read from."""
    if isinstance(given, Mapping):
        several = list(given.items())
    elif isinstance(given, Chunks | str | os.PathLike) or not isinstance(given, Iterable):
        several = [("", given)]
    else:
        several = [("", one) for one in given]
    if not several:
        raise ExcerptError("found no chunks, expected at least one chunker")
    for name, one in several:
        if isinstance(one, str | os.PathLike):
            chunks, file = Chunks.read(one, corpus), display_name(one)
        elif isinstance(one, Chunks):
            chunks, file = one, ""
        else:
            raise ExcerptError(
                f"found a value of type {type(one).__name__} as chunks, "
                "expected Chunks, or the name of a file of placed chunks",
                hint="corpus.place(chunks) places them",
            )
        yield replace(chunks, name=str(name) or chunks.name), file


def _homes(
    chunks: Chunks, judgments: Judgments, corpus: Corpus | None, notices: Notices
) -> tuple[IntArray, IntArray]:
    """Chunks of judged documents, each with its document there; what is missing is counted."""
    own = {name: name for name in (*judgments.documents, *chunks.documents)}
    if corpus is not None:
        own = {name: corpus.resolve(name) or name for name in own}
    judged: dict[str, list[int]] = {}
    for code, name in enumerate(judgments.documents):
        judged.setdefault(own[name], []).append(code)
    pairs = [
        (place, code) for place, name in enumerate(chunks.documents) for code in judged.get(own[name], ())
    ]
    if len(judgments.spans) and not pairs:
        raise ExcerptError(
            f"found chunks of {_some(chunks.documents)}, "
            f"expected some of the judged documents, such as {_some(judgments.documents)}",
            path=chunks.name,
            hint="" if corpus is not None else "⟨corpus⟩ joins names that mean the same document",
        )
    _notice_missing(chunks, judgments, own, notices)
    return _spread(chunks, pairs)


def _spread(chunks: Chunks, pairs: Sequence[tuple[int, int]]) -> tuple[IntArray, IntArray]:
    """The chunks that stand in some documents, once for each name that the judgments have for it."""
    order = np.argsort(chunks.document, kind="stable")
    order = order[chunks.start[order] >= 0]
    document = chunks.document[order]
    blocks = [order[slice(*np.searchsorted(document, (place, place + 1)))] for place, _ in pairs]
    rows = np.concatenate([np.zeros(0, np.int64), *blocks])
    codes = np.array([code for _, code in pairs], np.int64)
    return rows, np.repeat(codes, [len(block) for block in blocks])


def _notice_missing(chunks: Chunks, judgments: Judgments, own: Mapping[str, str], notices: Notices) -> None:
    """Count documents with relevant text but without chunks, and chunks without a place."""
    relevant = np.unique(judgments.pair_document[judgments.spans.group]).tolist()
    known = {own[name] for name in chunks.documents}
    bare = [name for name in (judgments.documents[code] for code in relevant) if own[name] not in known]
    message = "document with relevant text has no chunks"
    notices.add(message, len(bare), where=f"{short_list(bare, _SHOWN)} of {chunks.name}")
    lost = int((chunks.start < 0).sum()) + chunks.dropped
    notices.add("chunk stands nowhere in its document and holds nothing", lost, where=chunks.name)


def _some(names: Iterable[str]) -> str:
    given = list(names)
    return short_list(given, _SHOWN) if given else plural(0, "document")
