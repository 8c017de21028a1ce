"""Figures of trec_eval that count: sets, cut-offs by rank, and averages over relevant documents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from excerpt.model.rankings import EPSILON, OUTSIDE, UNJUDGED, Rankings, ratio
from excerpt.model.spans import FloatArray, IntArray
from excerpt.official.trec.rankings import RankedRun

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
