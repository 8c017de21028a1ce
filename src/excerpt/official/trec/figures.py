"""Figures of trec_eval: counts and gains."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, cmp_to_key, lru_cache
from typing import TypeAlias

import numpy as np

from excerpt.model.rankings import EPSILON, OUTSIDE, UNJUDGED, Rankings, ratio
from excerpt.model.spans import FloatArray, IntArray
from excerpt.official.trec.ranked_run import RankedRun

#: Stands for 0 in geometric means.
LEAST = 0.00001


def irrelevant_returned(ranked: Rankings) -> IntArray:
    """Documents judged irrelevant that were returned."""
    return ranked.count(ranked.topic[ranked.grade >= 0]) - ranked.retrieved


def relative_precision(ranked: Rankings, rank: int) -> FloatArray:
    """P over the best P that is possible."""
    return ratio(ranked.until(ranked.relevant, rank), np.minimum(ranked.total, rank))


def unjudged(ranked: Rankings, rank: int) -> FloatArray:
    """unj: the share of the first documents that nobody judged."""
    return np.asarray(ranked.until(ranked.grade < 0, rank) / rank)


def log_average_precision(ranked: Rankings) -> FloatArray:
    """gm_map of a topic, whose mean is an exponent."""
    return np.log(np.maximum(ranked.average_precision(), LEAST))


def smoothed_precision(ranked: Rankings) -> FloatArray:
    """yaap: the logarithm of odds."""
    total = ranked.sum_of_precisions()
    return np.asarray(np.log((1.0 + total) / (1.0 + ranked.total - total)))


def r_precision_at(ranked: Rankings, multiple: float) -> FloatArray:
    """Rprec_mult: precision at a multiple of the number of relevant documents."""
    rank = np.maximum(np.trunc(multiple * ranked.total + 0.9).astype(np.int64), 0)
    return ratio(ranked.until(ranked.relevant, rank), rank)


def log_bpref(ranked: Rankings) -> FloatArray:
    """gm_bpref of a topic, whose mean is an exponent."""
    return np.log(np.maximum(ranked.bpref(), LEAST))


def inferred_precision(ranked: Rankings) -> FloatArray:
    """infAP: average precision expected where the pool was judged in part, as the tool rounds it."""
    hits = ranked.hits
    irrelevant = ranked.irrelevant[hits]
    waiting = ranked.running(ranked.grade == UNJUDGED)[hits]
    above, better = ranked.rank[hits] - 1.0, ranked.found[hits] - 1
    depth = np.maximum(above, 1.0)
    share = (better + irrelevant + waiting) / depth
    rate = (better + EPSILON) / (better + irrelevant + 2 * EPSILON)
    below = 1.0 / (above + 1.0) + (above / (above + 1.0)) * share * rate
    return ratio(ranked.sums(ranked.topic[hits], np.where(above == 0, 1.0, below)), ranked.total)


def binary_gain(ranked: Rankings) -> FloatArray:
    """binG: relevant documents discounted by the irrelevant ones before them."""
    rows = ranked.hits
    worth = 1.0 / np.log2(2.0 + ranked.rank[rows] - ranked.found[rows])
    return ratio(ranked.sums(ranked.topic[rows], worth), ranked.total)


class Interpolated:
    """Precision at recall, where precision is the best from there on."""

    def __init__(self, ranked: Rankings) -> None:
        """Find the best precision from each relevant document on."""
        self._ranked = ranked
        self._first = np.concatenate(([0], np.cumsum(ranked.retrieved)))
        precision = ranked.found[ranked.hits] / ranked.rank[ranked.hits]
        for low, high in zip(self._first[:-1].tolist(), self._first[1:].tolist(), strict=True):
            precision[low:high] = np.maximum.accumulate(precision[low:high][::-1])[::-1]
        self._best = np.append(precision, 0.0)
        self.start = np.where(ranked.returned == 0, np.nan, self.after(np.ones(len(ranked.topics), np.int64)))

    def wanted(self, recall: float) -> IntArray:
        """How many relevant documents a share of them is, halves rounded up."""
        amount = recall * self._ranked.total
        whole = np.floor(amount)
        return np.asarray(whole + (amount - whole >= 0.5), np.int64)

    def after(self, wanted: IntArray) -> FloatArray:
        """Precision once so many relevant documents are found, 0 where they are not."""
        there = (wanted >= 1) & (wanted <= self._ranked.retrieved)
        place = np.where(there, self._first[:-1] + wanted - 1, len(self._best) - 1)
        return np.asarray(self._best[place])

    def at(self, recall: float) -> FloatArray:
        """iprec_at_recall."""
        wanted = self.wanted(recall)
        return np.where(wanted <= 0, self.start, self.after(wanted))

    def mean(self, recalls: Sequence[float]) -> FloatArray:
        """11pt_avg: recalls are taken from the last on; one that is above its follower ends the search."""
        total = np.zeros(len(self._ranked.topics))
        left, begun = self._ranked.retrieved.copy(), np.zeros(len(total), np.bool_)
        stuck = np.zeros(len(total), np.bool_)
        for recall in reversed(recalls):
            wanted = self.wanted(recall)
            skipped = ~begun & (wanted > self._ranked.retrieved)
            stuck |= ~skipped & ((wanted > left) | (wanted <= 0))
            begun |= ~skipped
            value = np.where(stuck, self.start, self.after(wanted))
            total += np.where(skipped, 0.0, value)
            left = np.where(skipped | stuck, left, wanted)
        return np.asarray(total / len(recalls))


@lru_cache(maxsize=1)
def interpolated(ranked: Rankings) -> Interpolated:
    """Interpolated precision of a run, found once."""
    return Interpolated(ranked)


def utility(ranked: RankedRun, weights: Sequence[float]) -> FloatArray:
    """Weights of relevant and irrelevant documents that were returned, and of those that were not."""
    hits, returned, total = ranked.retrieved, ranked.returned, ranked.total
    return np.asarray(
        weights[0] * hits
        + weights[1] * (returned - hits)
        + weights[2] * (total - hits)
        + weights[3] * (ranked.options.documents + hits - returned - total)
    )


def set_f(ranked: Rankings, weight: float) -> FloatArray:
    """set_F: the weighted harmonic mean of precision and recall of all that was returned."""
    precision, recall = ranked.precision(), ranked.recall()
    return ratio((weight + 1.0) * precision * recall, weight * precision + recall)


def relevance_string(ranked: Rankings, length: float) -> list[str]:
    """relstring: the grades of the first documents, a character each."""
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


#: Gains of grades that do not gain what they say; names that are no grades mean nothing here.
Gains: TypeAlias = tuple[tuple[str, float], ...]

#: Grades beyond which the tool promises nothing.
_HIGHEST = 127


class Gained:
    """Gains of the documents of each topic, and of the best order that is possible."""

    def __init__(self, ranked: Rankings, given: Gains) -> None:
        """Gains of some grades may be given."""
        self._ranked = ranked
        grades = [(int(name), gain) for name, gain in given if re.fullmatch(r"[+-]?[0-9]{1,9}", name)]
        self._given: dict[int, float] = {}
        for grade, gain in grades:
            self._given.setdefault(grade, gain)
        self.gain = self._gains(ranked.grade)

    def _gains(self, grade: IntArray) -> FloatArray:
        gain = np.maximum(grade, 0).astype(np.float64)
        for level, value in self._given.items():
            gain[grade == level] = value
        return gain

    @cached_property
    def ideal(self) -> list[FloatArray]:
        """By topic: the gains above 0 of judged documents, best first."""
        return [self._best(counts) for counts in self._counts]

    @cached_property
    def _counts(self) -> list[dict[int, int]]:
        """By topic: how many documents have each grade from 0 on."""
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
        if self._given:
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
        """Grades with their gains: those that are given, then the others up to the highest of the topic.

        Grades that no document has only matter to the tool's own order of gains that are given.
        """
        highest = max(counts, default=-1)
        others = range(highest + 1) if self._given and highest <= _HIGHEST else sorted(counts)
        rest = [(level, float(level)) for level in others if level not in self._given]
        return [*self._given.items(), *rest]

    def _topics(self) -> list[FloatArray]:
        """The gains of the documents of each topic."""
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
        """ndcg_rel: ndcg at each document of some gain, averaged; those not returned count with the end."""
        return np.array([_at_relevant(*pair) for pair in zip(self._topics(), self.ideal, strict=True)])

    def at_levels(self) -> FloatArray:
        """Rndcg: ndcg wherever the ideal gain changes, averaged."""
        pairs = zip(self._topics(), self.ideal, strict=True)
        scores = np.array([_at_levels(*pair) for pair in pairs])
        return np.where(self._ranked.total > 0, scores, 0.0)

    def cumulated(self) -> FloatArray:
        """G: gains discounted by how much gain is still missing."""
        return np.array([_cumulated(*pair) for pair in zip(self._topics(), self.ideal, strict=True)])

    def biased(self, persistence: float) -> FloatArray:
        """rbp: gains, made to lie between 0 and 1, weighed by whether the reader goes on so far."""
        ranked, gain = self._ranked, self.gain.copy()
        for number, counts in enumerate(self._counts):
            gains = [gain for _, gain in self._levels(counts)]
            low, high = min([0.0, *gains]), max([0.0, *gains])
            if low < 0 or high > 1:
                rows = slice(int(ranked.first[number]), int(ranked.first[number + 1]))
                known = (ranked.grade[rows] >= 0) | np.isin(ranked.grade[rows], list(self._given))
                gain[rows] = np.where(known, (gain[rows] - low) / (high - low), 0.0)
        worth = gain * _going_on(ranked, persistence)
        return np.asarray((1.0 - persistence) * ranked.sums(ranked.topic, worth))


@lru_cache(maxsize=1)
def gained(ranked: Rankings, given: Gains) -> Gained:
    """The gains of a run, found once for measures with the same ones."""
    return Gained(ranked, given)


def biased_residual(ranked: Rankings, persistence: float) -> FloatArray:
    """rbp_resid: what rbp could gain if all that nobody judged were relevant; 0 where all was judged."""
    rows = np.flatnonzero(ranked.grade < 0)
    doubt = ranked.sums(ranked.topic[rows], _going_on(ranked, persistence)[rows])
    powers = _powers(ranked, persistence)
    score = powers[ranked.returned] + (1.0 - persistence) * doubt
    return np.where(ranked.count(ranked.topic[rows]) > 0, score, 0.0)


def _going_on(ranked: Rankings, persistence: float) -> FloatArray:
    """How likely a reader gets to each document."""
    return np.asarray(_powers(ranked, persistence)[ranked.rank - 1])


def _powers(ranked: Rankings, persistence: float) -> FloatArray:
    return np.cumprod(np.append(1.0, np.full(int(ranked.returned.max(initial=0)), persistence)))


def _compare(one: tuple[float, int], other: tuple[float, int]) -> int:
    """Gains of less than 1 difference are the same to the tool."""
    return int(one[0] - other[0])


def _discounted(gain: FloatArray) -> FloatArray:
    """Discounted gains up to and including each document."""
    return np.cumsum(gain / np.log2(np.arange(2.0, len(gain) + 2)))


def _last(values: FloatArray) -> float:
    return float(values[-1]) if len(values) else 0.0


def _reach(values: FloatArray, count: int) -> FloatArray:
    """Running values made so many long; behind their end they stay what they are."""
    if not len(values):
        return np.zeros(count)
    return values[np.minimum(np.arange(count), len(values) - 1)]


def _at_relevant(gain: FloatArray, ideal: FloatArray) -> float:
    got, best = _discounted(gain), _discounted(ideal)
    rows = np.flatnonzero(gain > 0)
    if not len(best):
        return 0.0
    total = _last(np.cumsum(got[rows] / _reach(best, len(gain))[rows]))
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
