"""Values of trec_eval's measures: counts and gains."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, cmp_to_key, lru_cache
from typing import TypeAlias

import numpy as np

from excerpt.model.rankings import EPSILON, OUTSIDE, UNJUDGED, Rankings, ratio
from excerpt.model.spans import FloatArray, IntArray
from excerpt.official.trec.ranked_run import RankedRun

LEAST = 0.00001  # replacement of 0 in geometric means
#: Gains of grades other than the grade itself; names that are not grades are ignored.
GradeGains: TypeAlias = tuple[tuple[str, float], ...]
_HIGHEST = 127  # highest grade that the tool supports


def smoothed_precision(ranked: Rankings) -> FloatArray:
    """yaap: logarithm of the odds."""
    total = ranked.sum_of_precisions()
    return np.asarray(np.log((1.0 + total) / (1.0 + ranked.total - total)))


def r_precision_at(ranked: Rankings, multiple: float) -> FloatArray:
    """Rprec_mult: precision at a multiple of the number of relevant documents."""
    rank = np.maximum(np.trunc(multiple * ranked.total + 0.9).astype(np.int64), 0)
    return ratio(ranked.until(ranked.relevant, rank), rank)


def logarithm(values: FloatArray) -> FloatArray:
    """gm_map, gm_bpref: logarithm of a measure, whose mean is an exponent."""
    return np.log(np.maximum(values, LEAST))


def inferred_precision(ranked: Rankings) -> FloatArray:
    """infAP: expected average precision if the pool was judged in part, rounded like the tool."""
    irrelevant = ranked.irrelevant
    unjudged_above = ranked.above(ranked.grade == UNJUDGED)
    above, better = ranked.rank - 1.0, ranked.found - 1
    depth = np.maximum(above, 1.0)
    pooled = (better + irrelevant + unjudged_above) / depth
    rate = (better + EPSILON) / (better + irrelevant + 2 * EPSILON)
    below = 1.0 / (above + 1.0) + (above / (above + 1.0)) * pooled * rate
    return ratio(ranked.sums(ranked.topic[ranked.hits], np.where(above == 0, 1.0, below)), ranked.total)


def binary_gain(ranked: Rankings) -> FloatArray:
    """binG: relevant documents discounted by the irrelevant ones above them."""
    worth = 1.0 / np.log2(2.0 + ranked.rank - ranked.found)
    return ratio(ranked.sums(ranked.topic[ranked.hits], worth), ranked.total)


class Interpolated:
    """Interpolated precision: the best precision at a recall or above it."""

    def __init__(self, ranked: Rankings) -> None:
        self._ranked = ranked
        self._first = np.concatenate(([0], np.cumsum(ranked.retrieved)))
        precision = ranked.found / ranked.rank
        for low, high in zip(self._first[:-1].tolist(), self._first[1:].tolist(), strict=True):
            precision[low:high] = np.maximum.accumulate(precision[low:high][::-1])[::-1]
        self._best = np.append(precision, 0.0)
        self.start = np.where(ranked.returned == 0, np.nan, self.after(np.ones(len(ranked.topics), np.int64)))

    def needed(self, recall: float) -> IntArray:
        """Number of relevant documents that make up a recall, halves rounded up."""
        amount = recall * self._ranked.total
        floor = np.floor(amount)
        return np.asarray(floor + (amount - floor >= 0.5), np.int64)

    def after(self, needed: IntArray) -> FloatArray:
        """Precision once so many relevant documents are found, 0 if they are not."""
        reached = (needed >= 1) & (needed <= self._ranked.retrieved)
        place = np.where(reached, self._first[:-1] + needed - 1, len(self._best) - 1)
        return np.asarray(self._best[place])

    def at(self, recall: float) -> FloatArray:
        """iprec_at_recall."""
        needed = self.needed(recall)
        return np.where(needed <= 0, self.start, self.after(needed))

    def mean(self, recalls: Sequence[float]) -> FloatArray:
        """11pt_avg: recalls are processed from the last; one that exceeds its successor ends the search."""
        total = np.zeros(len(self._ranked.topics))
        left, begun = self._ranked.retrieved.copy(), np.zeros(len(total), np.bool_)
        stuck = np.zeros(len(total), np.bool_)
        for recall in reversed(recalls):
            needed = self.needed(recall)
            skipped = ~begun & (needed > self._ranked.retrieved)
            stuck |= ~skipped & ((needed > left) | (needed <= 0))
            begun |= ~skipped
            value = np.where(stuck, self.start, self.after(needed))
            total += np.where(skipped, 0.0, value)
            left = np.where(skipped | stuck, left, needed)
        return np.asarray(total / len(recalls))


@lru_cache(maxsize=1)
def interpolated(ranked: Rankings) -> Interpolated:
    """Interpolated precision of a run, computed once."""
    return Interpolated(ranked)


def utility(ranked: RankedRun, weights: Sequence[float]) -> FloatArray:
    """utility: weighted numbers of relevant and irrelevant documents, returned and not returned."""
    hits, returned, total = ranked.retrieved, ranked.returned, ranked.total
    return np.asarray(
        weights[0] * hits
        + weights[1] * (returned - hits)
        + weights[2] * (total - hits)
        + weights[3] * (ranked.options.documents + hits - returned - total)
    )


def set_f(ranked: Rankings, weight: float) -> FloatArray:
    """set_F: weighted harmonic mean of precision and recall of all returned documents."""
    precision, recall = ranked.precision(), ranked.recall()
    return ratio((weight + 1.0) * precision * recall, weight * precision + recall)


def relevance_string(ranked: Rankings, length: float) -> list[str]:
    """relstring: grades of the first documents, a character each."""
    most = max(int(length), 0)
    signs = {OUTSIDE: "-", UNJUDGED: "."}
    bounds = zip(ranked.first[:-1].tolist(), ranked.first[1:].tolist(), strict=True)
    return [
        "".join(
            signs.get(grade) or (">" if grade > 9 else str(grade))
            for grade in ranked.grade[low : min(high, low + most)].tolist()
        )
        for low, high in bounds
    ]


class Gained:
    """Gains of the documents of each topic and of an ideal ranking; gains of some grades may be set."""

    def __init__(self, ranked: Rankings, settings: GradeGains) -> None:
        self._ranked = ranked
        grades = [(int(name), gain) for name, gain in settings if re.fullmatch(r"[+-]?[0-9]{1,9}", name)]
        self._set: dict[int, float] = {}
        for grade, gain in grades:
            self._set.setdefault(grade, gain)
        self.gain = np.maximum(ranked.grade, 0).astype(np.float64)
        for level, value in self._set.items():
            self.gain[ranked.grade == level] = value

    @cached_property
    def ideal(self) -> list[FloatArray]:
        """Gains above 0 of judged documents by topic, best first."""
        return [self._best(counts) for counts in self._counts]

    @cached_property
    def _counts(self) -> list[dict[int, int]]:
        """Number of documents with each grade of at least 0, by topic."""
        ranked, counts = self._ranked, [dict[int, int]() for _ in self._ranked.topics]
        judged = ranked.judged_grade >= 0
        base = int(ranked.judged_grade.max(initial=0)) + 1
        codes, numbers = np.unique(
            ranked.judged_topic[judged] * base + ranked.judged_grade[judged], return_counts=True
        )
        for code, number in zip(codes.tolist(), numbers.tolist(), strict=True):
            counts[code // base][code % base] = number
        return counts

    def _best(self, counts: dict[int, int]) -> FloatArray:
        levels = [(gain, counts.get(level, 0)) for level, gain in self._levels(counts)]
        if self._set:
            levels.sort(key=cmp_to_key(_compare))
        if not levels or levels[-1][0] <= 0:
            return np.zeros(0)
        best: list[float] = []
        for gain, number in reversed(levels):
            if number and gain <= 0:
                break
            best += [gain] * number
        return np.array(best)

    def _levels(self, counts: dict[int, int]) -> list[tuple[int, float]]:
        """Grades with their gains: those that are set, then the others up to the highest of the topic.

        Grades that no document has matter only because the tool sorts them together with set gains.
        """
        highest = max(counts, default=-1)
        others = range(highest + 1) if self._set and highest <= _HIGHEST else sorted(counts)
        rest = [(level, float(level)) for level in others if level not in self._set]
        return [*self._set.items(), *rest]

    def _topics(self) -> list[FloatArray]:
        return np.split(self.gain, self._ranked.first[1:-1])

    @cached_property
    def discounted(self) -> FloatArray:
        """dcg."""
        return self._ranked.discounted(self.gain)

    @cached_property
    def best_discounted(self) -> FloatArray:
        """ideal_dcg."""
        return np.array([_last(_discounted(ideal)) for ideal in self.ideal])

    def normalised(self) -> FloatArray:
        """ndcg."""
        return ratio(self.discounted, self.best_discounted)

    def at_relevant(self) -> FloatArray:
        """ndcg_rel: mean of ndcg at each document with a gain; those not returned have the last value."""
        return np.array([_at_relevant(*pair) for pair in zip(self._topics(), self.ideal, strict=True)])

    def at_levels(self) -> FloatArray:
        """Rndcg: mean of ndcg at the ranks where the ideal gain changes."""
        pairs = zip(self._topics(), self.ideal, strict=True)
        scores = np.array([_at_levels(*pair) for pair in pairs])
        return np.where(self._ranked.total > 0, scores, 0.0)

    def cumulated(self) -> FloatArray:
        """G: gains discounted by the gain that is still missing."""
        return np.array([_cumulated(*pair) for pair in zip(self._topics(), self.ideal, strict=True)])

    def biased(self, persistence: float) -> FloatArray:
        """rbp: gains, scaled to 0 to 1, weighted by the probability that the reader gets so far."""
        ranked, gain = self._ranked, self.gain.copy()
        for number, counts in enumerate(self._counts):
            gains = [gain for _, gain in self._levels(counts)]
            low, high = min([0.0, *gains]), max([0.0, *gains])
            if low < 0 or high > 1:
                rows = slice(int(ranked.first[number]), int(ranked.first[number + 1]))
                judged = (ranked.grade[rows] >= 0) | np.isin(ranked.grade[rows], list(self._set))
                gain[rows] = np.where(judged, (gain[rows] - low) / (high - low), 0.0)
        return ranked.rank_biased(gain, persistence)


@lru_cache(maxsize=1)
def gained(ranked: Rankings, settings: GradeGains) -> Gained:
    """Gains of a run, computed once for measures with the same settings."""
    return Gained(ranked, settings)


def biased_residual(ranked: Rankings, persistence: float) -> FloatArray:
    """rbp_resid: increase of rbp if all unjudged documents were relevant; 0 if all are judged."""
    unjudged = ranked.grade < 0
    uncertain = ranked.rank_biased(unjudged.astype(np.float64), persistence)
    score = ranked.powers(persistence)[ranked.returned] + uncertain
    return np.where(ranked.count(ranked.topic[unjudged]) > 0, score, 0.0)


def _compare(one: tuple[float, int], other: tuple[float, int]) -> int:
    """Compare gains like the tool, for which gains are equal if they differ by less than 1."""
    return int(one[0] - other[0])


def _discounted(gain: FloatArray) -> FloatArray:
    return np.cumsum(gain / np.log2(np.arange(2.0, len(gain) + 2)))


def _last(values: FloatArray) -> float:
    return float(values[-1]) if len(values) else 0.0


def _at_relevant(gain: FloatArray, ideal: FloatArray) -> float:
    got, best = _discounted(gain), _discounted(ideal)
    rows = np.flatnonzero(gain > 0)
    if not len(best):
        return 0.0
    total = _last(np.cumsum(got[rows] / best[np.minimum(rows, len(best) - 1)]))
    total += (len(ideal) - len(rows)) * _last(got) / _last(best)
    return total / len(ideal) if total > 0 else 0.0


def _at_levels(gain: FloatArray, ideal: FloatArray) -> float:
    if not len(ideal):
        return np.nan
    got, best = _discounted(gain), _discounted(ideal)
    changes = [*(np.flatnonzero(np.diff(ideal)) + 1).tolist(), len(ideal)]
    values = [(_last(got[:place]), best[place - 1]) for place in changes]
    if len(ideal) + 1 < len(gain):
        values.append((_last(got), best[-1]))
    total = 0.0
    for one, other in values:
        total += float(one / other)
    return total / len(values)


def _cumulated(gain: FloatArray, ideal: FloatArray) -> float:
    if not ideal.sum() > 0:
        return 0.0
    cost = np.ones(len(gain))
    both = min(len(gain), len(ideal))
    cost[:both] = np.maximum(ideal[:both], 1.0)
    rows = np.flatnonzero(gain)
    missing = (2 + np.cumsum(cost) - np.cumsum(gain))[rows]
    return _last(np.cumsum(gain[rows] / np.log2(missing))) / _last(np.cumsum(ideal))
