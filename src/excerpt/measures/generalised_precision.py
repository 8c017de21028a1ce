"""Generalised precision and recall over documents: INEX relevant-in-context and best-in-context tasks."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.measures.base import (
    COUNT,
    INEX_2006,
    RANK,
    TRUTH,
    WEIGHT,
    Measure,
    Need,
    choice,
    parameter,
    required,
)
from excerpt.measures.characters import f_measure
from excerpt.model.join import Joined, cached
from excerpt.model.spans import BoolArray, FloatArray, IntArray, keys

#: Document score to which each parameter belongs, and the default value.
_OWNERS = {"beta": ("F", Fraction(1)), "irrelevant": ("T2I", 300), "n": ("BEP", 500)}


@dataclass(frozen=True)
class _InContext(Measure):
    """Base of the in-context measures: a score from 0 to 1 for each document returned."""

    reference = INEX_2006
    score: str = parameter(choice("F", "T2I", "BEP"), "F")
    beta: Fraction = parameter(WEIGHT, Fraction(1))
    irrelevant: int = parameter(COUNT, 300)
    n: int = parameter(COUNT, 500)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, (owner, default) in _OWNERS.items():
            if self.score != owner and getattr(self, name) != default:
                raise ExcerptError(
                    f"found parameter {name} of {self.name} with score={self.score}, expected score={owner}",
                    hint=f"try {self.name}(score={owner}, {name}={getattr(self, name)})",
                )

    @property
    def needs(self) -> frozenset[Need]:
        needs: dict[str, set[Need]] = {
            "F": {"spans", "highlights"},
            "T2I": {"spans", "highlights", "document lengths"},
            "BEP": {"entry points", "highlights", "judged entry points"},
        }
        return frozenset(needs[self.score])

    def document_scores(self, joined: Joined) -> FloatArray:
        """Score of each document of `joined.articles`."""
        return _document_scores(joined, self.score, self.beta, self.irrelevant, self.n)

    @property
    def document_score(self) -> tuple[object, ...] | None:
        return self.score, self.beta, self.irrelevant, self.n

    def by_document(self, joined: Joined) -> dict[str, FloatArray]:
        articles, score = joined.articles, self.document_scores(joined)
        of_text = dict.fromkeys("PRF", np.full(len(articles), np.nan))  # entry points have no text
        if self.score != "BEP":
            read, found = map(articles.sums, joined.counted)
            total = joined.relevant_by_article
            of_text = {
                "P": found / np.maximum(read, 1),
                "R": found / np.maximum(total, 1),
                "F": f_measure(found, read, total, self.beta),
            }
        return {**of_text, "score": score, "gP": articles.running(score) / articles.rank}


@cached
def _document_scores(joined: Joined, score: str, beta: Fraction, irrelevant: int, n: int) -> FloatArray:
    joined.placed.check_in_one_piece()
    if score == "F":
        (size, relevant), sums = joined.counted, joined.articles.sums
        return f_measure(sums(relevant), sums(size), joined.relevant_by_article, beta)
    return _t2i_scores(joined, irrelevant) if score == "T2I" else _bep_scores(joined, n)


def _t2i_scores(joined: Joined, irrelevant: int) -> FloatArray:
    joined.placed.check_overlap()
    articles, judgments = joined.articles, joined.judgments
    chosen = np.flatnonzero(joined.relevant_by_article > 0)
    number = np.full(len(articles), -1, np.int64)
    number[chosen] = np.arange(len(chosen))
    by_pair = np.full(len(judgments), -1, np.int64)
    by_pair[articles.pair[chosen]] = np.arange(len(chosen))
    mine = np.flatnonzero((number[articles.of_result] >= 0) & (joined.end > joined.start))
    marked = np.flatnonzero(by_pair[judgments.spans.group] >= 0)
    spans = judgments.spans
    scores = np.zeros(len(articles))
    scores[chosen] = tolerance_to_irrelevance(
        judgments.pair_size[articles.pair[chosen]],
        Layer(number[articles.of_result[mine]], joined.start[mine], joined.end[mine]),
        Layer(by_pair[spans.group[marked]], spans.start[marked], spans.end[marked]),
        irrelevant,
    )
    return scores


def _bep_scores(joined: Joined, n: int) -> FloatArray:
    joined.placed.check_one_result_each()
    articles = joined.articles
    entry = np.append(joined.judgments.pair_entry, -1)[articles.pair]
    distance = np.abs(joined.start[articles.first_result] - entry)
    known = joined.run.known[articles.first_result] & (entry >= 0) & (joined.relevant_by_article > 0)
    return np.where(known, np.maximum(n - distance, 0), 0) / n


@dataclass(frozen=True)
class GeneralisedPrecision(_InContext):
    """The sum of the scores of the first k documents, divided by k.

    The score of a document is, by `score`: `F`, the F-measure (`beta`) of the characters retrieved from it;
    `T2I`, the proportion of relevant text read until `irrelevant` irrelevant characters were read; `BEP`,
    (n-d)/n for an entry point at distance d ≤ n from the best entry point. 0 for a document without
    relevant text. A list shorter than k is still divided by k; with `legacy=true` by its own length, as in
    the official tool.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 40)], sizes={"A": 100})
    >>> run = excerpt.Run.of("r", [("1", "A", 20, 60), ("1", "B", 0, 9)])
    >>> names = ["gP[1]", "gP[2]", "gP[4]", "gP(legacy=true)[4]"]
    >>> excerpt.evaluate(judgments, [run], names).means().tolist()
    [[0.5, 0.25, 0.125, 0.25]]
    """

    name = "gP"
    legacy: bool = parameter(TRUTH, default=False)
    top: int = required(RANK)

    def scores(self, joined: Joined) -> FloatArray:
        articles = joined.articles
        inside = articles.rank <= self.top
        total = np.bincount(
            articles.topic[inside], self.document_scores(joined)[inside], minlength=joined.topics
        )
        if self.legacy:
            return np.asarray(total / np.clip(np.diff(articles.first), 1, self.top))
        return np.asarray(total / self.top)


@dataclass(frozen=True)
class GeneralisedRecall(_InContext):
    """The proportion of the topic's documents with relevant text that are among the first k documents.

    It takes the parameters of gP, since both are reported together, but does not depend on them.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 40), ("1", "B", 0, 9)])
    >>> run = excerpt.Run.of("r", [("1", "A", 50, 60), ("1", "C", 0, 9)])
    >>> excerpt.evaluate(judgments, [run], ["gR[1]", "gR[5]"]).means().tolist()
    [[0.5, 0.5]]
    """

    name = "gR"
    needs = frozenset({"highlights"})
    document_score = None  # it needs no text
    top: int = required(RANK)

    def scores(self, joined: Joined) -> FloatArray:
        joined.placed.check_in_one_piece()
        articles = joined.articles
        hits = (articles.rank <= self.top) & (joined.relevant_by_article > 0)
        found = np.bincount(articles.topic[hits], minlength=joined.topics)
        return found / np.maximum(joined.judgments.relevant_documents, 1)


@dataclass(frozen=True)
class AverageGeneralisedPrecision(_InContext):
    """The mean of gP at the ranks of documents with relevant text, over all such documents of the topic.

    A relevant document that is not returned adds 0; one that is returned counts as a recall point even if
    none of its relevant text was returned. The mean over topics is MAgP. `score`, `beta`, `irrelevant` and
    `n` are those of gP: `AgP(beta=0.25)` was official for relevant in context from 2008, `AgP(score=T2I)` in
    2010, `AgP(score=BEP)` for best in context.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 100), ("1", "C", 0, 100)])
    >>> run = excerpt.Run.of("r", [("1", "C", 0, 100), ("1", "A", 600, 650)])
    >>> excerpt.evaluate(judgments, [run], ["MAgP"]).mean("r", "MAgP")
    0.75
    """

    name = "AgP"
    mean_name = "MAgP"

    def scores(self, joined: Joined) -> FloatArray:
        articles = joined.articles
        precision = articles.running(self.document_scores(joined)) / articles.rank
        hit = joined.relevant_by_article > 0
        summed = np.bincount(articles.topic[hit], precision[hit], minlength=joined.topics)
        return summed / np.maximum(joined.judgments.relevant_documents, 1)


class Layer(NamedTuple):
    """Spans of many documents: document number, start and end of each."""

    document: IntArray
    start: IntArray
    end: IntArray


def tolerance_to_irrelevance(
    sizes: IntArray, retrieved: Layer, relevant: Layer, irrelevant: int
) -> FloatArray:
    """Proportion of relevant text read in each document until `irrelevant` irrelevant characters were read.

    The user model of de Vries, Kazai & Lalmas ("Tolerance to Irrelevance", RIAO 2004), as used in INEX 2010.

    The reader reads the retrieved passages in document order, then the rest of the document (up to its
    size) in document order, and stops as soon as the limit is reached. Documents are numbered from 0.
    """
    count = len(sizes)
    whole = Layer(np.arange(count), np.zeros(count, np.int64), np.maximum(sizes, 0))
    document, length, good = _segments_in_reading_order(whole, retrieved, relevant)
    if not len(document):
        return np.zeros(count)
    wasted = np.where(good, 0, length)
    before = np.cumsum(wasted) - wasted
    first = np.searchsorted(document, np.arange(count)).clip(max=len(document) - 1)
    before -= before[first][document]
    read = np.bincount(document, np.where(good & (before < irrelevant), length, 0), count)
    lost = np.minimum(np.bincount(document, wasted, count), irrelevant)
    return np.asarray(read / np.maximum(read + lost, 1))


def _segments_in_reading_order(
    whole: Layer, retrieved: Layer, relevant: Layer
) -> tuple[IntArray, IntArray, BoolArray]:
    """Document, length and relevance of every segment of the documents, in reading order."""
    layers = (whole, retrieved, relevant)
    document = np.concatenate([np.tile(layer.document, 2) for layer in layers])
    position = np.concatenate([np.concatenate((layer.start, layer.end)) for layer in layers])
    order = np.argsort(keys(document, position), kind="stable")
    document, position = document[order], position[order]
    inside, shown, good = (depth > 0 for depth in _open_spans(layers, order))
    length = np.append(np.diff(position), 0)
    same = np.append(document[1:] == document[:-1], False)
    kept = np.flatnonzero((length > 0) & (inside | shown) & same)
    reading = kept[np.lexsort((position[kept], ~shown[kept], document[kept]))]
    return document[reading], length[reading], good[reading]


def _open_spans(layers: tuple[Layer, ...], order: IntArray) -> list[IntArray]:
    """Number of open spans of each layer after each boundary."""
    depths, place = [], 0
    for layer in layers:
        step, count = np.zeros(len(order), np.int64), len(layer.document)
        step[place : place + count] = 1
        step[place + count : place + 2 * count] = -1
        depths.append(np.cumsum(step[order]))
        place += 2 * count
    return depths
