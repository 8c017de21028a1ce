"""Interpolated precision over characters: INEX ad hoc track, focused task, 2007 to 2010."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from excerpt.measures.base import RECALL_LEVEL, Measure, required
from excerpt.model.join import Joined, cached
from excerpt.model.spans import FloatArray, IntArray, column_sums

if TYPE_CHECKING:
    from fractions import Fraction

    from excerpt.model.samples import Samples

_REFERENCE = (
    "J. Kamps, J. Pehcevski, G. Kazai, M. Lalmas, S. Robertson: "
    "INEX 2007 Evaluation Measures. Focused Access to XML Documents, LNCS 4862, 2008"
)
_LEVELS = 101
_CELLS = 1 << 22  # most cells (level, sample and topic) of an array, to limit memory


class _RelevantResults(NamedTuple):
    """Results with relevant text, between which precision only decreases, and the state after each.

    Samples of the judgments are scored together: found, precision and total have a row per sample.
    """

    topic: IntArray
    opens: IntArray  # first result of each topic
    found: IntArray
    precision: FloatArray
    total: IntArray  # relevant characters by sample and topic

    @staticmethod
    @cached
    def of(joined: Joined) -> _RelevantResults:
        """Hits of a run, as one sample."""
        relevant = joined.counted[1]
        rows = np.flatnonzero(relevant)
        topic, running = joined.topic[rows], np.cumsum(relevant[rows])
        before = np.concatenate(([0], running))[np.searchsorted(topic, np.arange(joined.topics))]
        found = running - before[topic]
        precision = found / np.maximum(joined.read[rows], 1)
        opens = np.flatnonzero(np.diff(topic, prepend=-1))
        total = joined.judgments.relevant_by_topic
        return _RelevantResults(topic, opens, found[None], precision[None], total[None])

    @staticmethod
    @cached
    def of_samples(samples: Samples) -> _RelevantResults:
        """Hits of a run in all samples; a result without relevant text in a sample has no effect there."""
        shares = samples.shares
        precision = samples.found / np.maximum(shares.read, 1)
        return _RelevantResults(
            shares.topic, shares.opens, samples.found, precision, samples.relevant_by_topic
        )

    def between(self, low: int, high: int) -> _RelevantResults:
        """Hits of a range of topics, numbered from 0."""
        if low == 0 and high >= self.total.shape[1]:
            return self
        first, last = np.searchsorted(self.topic, (low, high))
        topic = self.topic[first:last] - low
        opens = np.flatnonzero(np.diff(topic, prepend=-1))
        return _RelevantResults(
            topic, opens, self.found[:, first:last], self.precision[:, first:last], self.total[:, low:high]
        )


@dataclass(frozen=True)
class InterpolatedPrecision(Measure):
    """The best precision at any rank whose recall is at least x; 0 if that recall is never reached.

    After each result, precision is the proportion of relevant characters among the characters read so far,
    and recall the proportion of the topic's relevant characters found so far. Recall levels are compared in
    integers. Scores and document boundaries do not matter, nor does the order inside a result.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 100)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 10), ("1", "B", 0, 30), ("1", "A", 10, 70)])
    >>> excerpt.evaluate(judgments, [run], ["iP[0.10]", "iP[0.11]", "iP[0.71]"]).means().tolist()
    [[1.0, 0.7, 0.0]]
    """

    name = "iP"
    reference = _REFERENCE
    at: Fraction = required(RECALL_LEVEL)

    def scores(self, joined: Joined) -> FloatArray:
        return np.asarray(self._best(_RelevantResults.of(joined))[0])

    def sample_scores(self, samples: Samples) -> FloatArray:
        return self._best(_RelevantResults.of_samples(samples))

    def _best(self, hits: _RelevantResults) -> FloatArray:
        reached = hits.found >= self._least(hits.total)[:, hits.topic]
        best = np.zeros(hits.total.shape)
        if len(hits.opens):
            precision = np.where(reached, hits.precision, 0.0)
            best[:, hits.topic[hits.opens]] = np.maximum.reduceat(precision, hits.opens, axis=1)
        return best

    def _least(self, total: IntArray) -> IntArray:
        """Least number of characters that reaches the recall level, in integers of any size."""
        share, whole = self.at.numerator, self.at.denominator
        if whole * int(total.max(initial=1)) < 2**62:
            return -(-share * total // whole)
        needed = [-(-share * count // whole) for count in total.ravel().tolist()]
        return np.array(needed, np.int64).reshape(total.shape)


@dataclass(frozen=True)
class AverageInterpolatedPrecision(Measure):
    """The mean of iP[x] over x = 0.00, 0.01, …, 1.00 (101 levels); the mean over topics is MAiP.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 100)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 29)])
    >>> excerpt.evaluate(judgments, [run], ["AiP"]).mean("r", "AiP") == 30 / 101
    True
    """

    name = "AiP"
    mean_name = "MAiP"
    reference = _REFERENCE

    def scores(self, joined: Joined) -> FloatArray:
        return np.asarray(self._mean(_RelevantResults.of(joined))[0])

    def sample_scores(self, samples: Samples) -> FloatArray:
        return self._mean(_RelevantResults.of_samples(samples))

    def _mean(self, hits: _RelevantResults) -> FloatArray:
        rows, topics = hits.total.shape
        step = max(_CELLS // (_LEVELS * rows), 1)
        parts = [self._mean_of(hits.between(low, low + step)) for low in range(0, topics, step)]
        return np.concatenate([np.zeros((rows, 0)), *parts], axis=1)

    @staticmethod
    def _mean_of(hits: _RelevantResults) -> FloatArray:
        rows, topics = hits.total.shape
        total = np.maximum(hits.total, 1)[:, hits.topic]
        below = _LEVELS - 1 - np.minimum((_LEVELS - 1) * hits.found // total, _LEVELS - 1)
        # From the highest recall level to the lowest, the best so far is the interpolated precision.
        best = np.zeros((_LEVELS, rows * topics))
        place = topics * np.arange(rows)[:, None] + hits.topic
        np.maximum.at(best.ravel(), (below * (rows * topics) + place).ravel(), hits.precision.ravel())
        for above, level in pairwise(best):
            np.maximum(above, level, out=level)
        return column_sums(best).reshape(rows, topics) / _LEVELS
