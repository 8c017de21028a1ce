"""Scores of a run on a topic under weights of its documents, a score for each row of weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from excerpt.estimates.recall_bases import RelevantCharacters, RelevantDocuments
from excerpt.estimates.sampled_precision import InferredPrecision, SampledPrecision, inferred, statistical
from excerpt.estimates.weighting import Weighting
from excerpt.measures import Measure
from excerpt.measures.characters import CharacterPrecision, CharacterRecall
from excerpt.measures.generalised_precision import AverageGeneralisedPrecision
from excerpt.measures.interpolated_precision import AverageInterpolatedPrecision, InterpolatedPrecision
from excerpt.model.join import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.spans import AnyArray, BoolArray, FloatArray, IntArray

_LEVELS = 101


@dataclass(frozen=True, eq=False)
class TopicDocuments:
    """Judged documents of a topic (pairs of the judgments), of which only these matter to a measure."""

    topic: int
    pairs: IntArray
    #: Relevant characters of each.
    relevant: IntArray

    @classmethod
    def of(cls, judgments: Judgments, *, every: bool) -> list[TopicDocuments]:
        """List the documents of each topic: with relevant text, or every judged one."""
        size = judgments.relevant_by_pair
        kept = np.ones(len(judgments), np.bool_) if every else size > 0
        first = np.searchsorted(judgments.pair_topic, np.arange(len(judgments.topics) + 1))
        return [
            cls(topic, pairs, size[pairs])
            for topic in range(len(judgments.topics))
            for pairs in [np.flatnonzero(kept[first[topic] : first[topic + 1]]) + first[topic]]
        ]


@dataclass(frozen=True, eq=False)
class TopicRun:
    """Results of a run on a topic that have text of some judged documents, in the order of their ranks."""

    joined: Joined
    documents: TopicDocuments

    @cached_property
    def rows(self) -> IntArray:
        """Results of these documents."""
        first, last = self.joined.first[self.documents.topic : self.documents.topic + 2].tolist()
        return np.asarray(first + np.flatnonzero(self._place(self.joined.pair[first:last]) >= 0), np.int64)

    def _place(self, pair: IntArray) -> IntArray:
        """Position of each pair among the documents, -1 for other pairs."""
        pairs = self.documents.pairs
        if not len(pairs):
            return np.full(len(pair), -1, np.int64)
        place: IntArray = np.searchsorted(pairs, pair).clip(max=len(pairs) - 1).astype(np.int64)
        return np.asarray(np.where(pairs[place] == pair, place, -1), np.int64)

    @cached_property
    def place(self) -> IntArray:
        """Document of each of the rows."""
        return self._place(self.joined.pair[self.rows])

    @cached_property
    def rank(self) -> IntArray:
        """Rank of each of the rows, from 1."""
        return self.rows - int(self.joined.first[self.documents.topic]) + 1

    def read(self, top: int | None) -> int:
        """Characters of the first results."""
        first, last = self.joined.first[self.documents.topic : self.documents.topic + 2].tolist()
        return int(self.joined.size[first : last if top is None else min(first + top, last)].sum())

    @cached_property
    def articles(self) -> tuple[IntArray, IntArray, IntArray]:
        """Rank, position among the documents and number in `joined.articles` of each listed document."""
        articles = self.joined.articles
        first, last = articles.first[self.documents.topic : self.documents.topic + 2].tolist()
        place = self._place(articles.pair[first:last])
        at = np.flatnonzero(place >= 0)
        return at + 1, place[at], first + at


#: Scores by row of the weights.
WeightedScore: TypeAlias = Callable[[TopicRun, Weighting], FloatArray]


def score_of(measure: Measure) -> WeightedScore | None:
    """Return the function that scores by a measure under weights; None if the measure has no estimate."""
    plain = replace(measure, **{name: None for name in ("at", "top") if hasattr(measure, name)})
    if str(plain) != measure.name and not isinstance(measure, AverageGeneralisedPrecision):
        return None  # budgets and other ways to count
    known: dict[type[Measure], Callable[[], WeightedScore]] = {
        InterpolatedPrecision: lambda: _at_level(getattr(measure, "at")),  # noqa: B009
        AverageInterpolatedPrecision: lambda: _average_interpolated,
        CharacterPrecision: lambda: _precision(getattr(measure, "top")),  # noqa: B009
        CharacterRecall: lambda: _recall(getattr(measure, "top")),  # noqa: B009
        AverageGeneralisedPrecision: lambda: _generalised(measure),
        RelevantCharacters: lambda: _relevant_characters,
        RelevantDocuments: lambda: _relevant_documents,
        SampledPrecision: lambda: _statistical,
        InferredPrecision: lambda: _inferred,
    }
    return known[type(measure)]() if type(measure) in known else None


def needs_every_document(measure: Measure) -> bool:
    """Return whether documents without relevant text matter to the estimate, and not only their number."""
    return isinstance(measure, InferredPrecision)


def is_maximum(measure: Measure) -> bool:
    """Return whether a measure takes the best of several estimates, which is too high."""
    return isinstance(measure, InterpolatedPrecision | AverageInterpolatedPrecision)


def _total(documents: TopicDocuments, weights: AnyArray) -> AnyArray:
    return np.asarray(weights @ documents.relevant.astype(weights.dtype))


def _relevant_characters(run: TopicRun, by: Weighting) -> FloatArray:
    return (_total(run.documents, by.weights) / by.scale).astype(np.float64)


def _relevant_documents(_: TopicRun, by: Weighting) -> FloatArray:
    return np.asarray(by.weights.sum(axis=1) / by.scale, np.float64)


def _precision(top: int | None) -> WeightedScore:
    def score(run: TopicRun, by: Weighting) -> FloatArray:
        found = _amount(run, by, top)
        return (found / (by.scale * max(run.read(top), 1))).astype(np.float64)

    return score


def _recall(top: int | None) -> WeightedScore:
    def score(run: TopicRun, by: Weighting) -> FloatArray:
        return _ratio(_amount(run, by, top), _total(run.documents, by.weights))

    return score


def _amount(run: TopicRun, by: Weighting, top: int | None) -> AnyArray:
    """Weighted relevant characters of the first results, each counted once."""
    inside = slice(None) if top is None else run.rank <= top
    amount = run.joined.new_relevant[run.rows[inside]].astype(by.weights.dtype)
    return np.asarray(by.weights[:, run.place[inside]] @ amount)


def _ratio(over: AnyArray, under: AnyArray) -> FloatArray:
    """Quotients; NaN where nothing relevant is known."""
    defined = np.asarray(under > 0, np.bool_)
    quotient = (over / np.where(defined, under, 1)).astype(np.float64)
    return np.where(defined, quotient, np.nan)


def _curve(run: TopicRun, by: Weighting) -> tuple[AnyArray, FloatArray, AnyArray]:
    """Weighted characters found at each rank, precision there, and the total to find, by row of weights.

    Precision is that at the rank of a sampled document, given that it was drawn: its own text counts once.
    """
    relevant = run.joined.counted[1][run.rows]
    rows = np.flatnonzero(relevant)
    amount, place = relevant[rows].astype(by.weights.dtype), run.place[rows]
    weights = by.weights[:, place]
    found = np.cumsum(weights * amount, axis=1)
    given = (found / by.scale).astype(np.float64)
    own = _running_by(place, relevant[rows])
    for stratum, probability in enumerate(by.strata.probability):
        if probability < 1:  # documents of one stratum are drawn together less often than by chance
            drawn = np.asarray((weights > 0) & (by.stratum[place] == stratum), np.bool_)
            weight = np.where(drawn, weights / by.scale, 0.0).astype(np.float64)
            several = np.cumsum(drawn * relevant[rows], axis=1) - own
            given += np.where(drawn, (1 - weight) * own + (by.partner[:, [stratum]] - weight) * several, 0.0)
    read = np.maximum(run.joined.read[run.rows[rows]], 1)
    return found, given / read, _total(run.documents, by.weights)


def _running_by(group: IntArray, amount: IntArray) -> IntArray:
    """Sums of amounts up to each row, over the rows of its group."""
    order = np.argsort(group, kind="stable")
    total = np.cumsum(amount[order])
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    before = np.repeat((total - amount[order])[first], np.diff(first, append=len(group)))
    running = np.empty_like(total)
    running[order] = total - before
    return running


def _at_level(at: Fraction) -> WeightedScore:
    def score(run: TopicRun, by: Weighting) -> FloatArray:
        found, precision, total = _curve(run, by)
        reached = np.asarray(at.denominator * found >= at.numerator * total[:, None], np.bool_)
        best = np.where(reached, precision, 0.0).max(axis=1, initial=0.0)
        return _defined(best, total)

    return score


def _average_interpolated(run: TopicRun, by: Weighting) -> FloatArray:
    found, precision, total = _curve(run, by)
    level = (_LEVELS - 1) * found // np.maximum(total, 1)[:, None]
    level = np.minimum(level, _LEVELS - 1).astype(np.int64)
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    return _defined((np.diff(level, prepend=-1, axis=1) * best).sum(axis=1) / _LEVELS, total)


def _defined(scores: FloatArray, total: AnyArray) -> FloatArray:
    return np.where(np.asarray(total > 0, np.bool_), scores, np.nan)


def _generalised(measure: Measure) -> WeightedScore:
    def score(run: TopicRun, by: Weighting) -> FloatArray:
        rank, place, number = run.articles
        own: FloatArray = getattr(measure, "document_scores")(run.joined)[number]  # noqa: B009
        weights = _shares(by)
        before = _before(own, place, weights, by)
        points = weights[:, place] * (own + before) / rank
        return _ratio(points.sum(axis=1), weights.sum(axis=1))

    return score


def _shares(by: Weighting) -> FloatArray:
    return (by.weights / by.scale).astype(np.float64)


def _before(own: FloatArray, place: IntArray, weights: FloatArray, by: Weighting) -> FloatArray:
    """Weighted scores of the documents before each one, by row, given that this one was drawn."""
    scores = weights[:, place] * own
    before = np.cumsum(scores, axis=1) - scores
    for stratum, probability in enumerate(by.strata.probability):
        if probability < 1:  # documents of one stratum are drawn together less often than by chance
            drawn = (weights[:, place] > 0) & (by.stratum[place] == stratum)
            several = np.where(drawn, own * (by.partner[:, [stratum]] - weights[:, place]), 0.0)
            before += np.where(drawn, np.cumsum(several, axis=1) - several, 0.0)
    return before


def _statistical(run: TopicRun, by: Weighting) -> FloatArray:
    rank, place, _ = run.articles
    return statistical(rank, _shares(by)[:, place], _shares(by).sum(axis=1))


def _inferred(run: TopicRun, by: Weighting) -> FloatArray:
    rank, place, _ = run.articles
    relevant: BoolArray = run.documents.relevant > 0
    judged = np.asarray(by.weights > 0, np.bool_)
    return inferred(rank, place, by.stratum, judged, relevant, by.strata.whole)
