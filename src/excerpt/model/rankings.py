"""Rankings of whole documents with their grades: the document measures of `evaluate` and `trec_eval`.

Both agree to the last digit: counts are whole numbers, and sums are added sequentially by rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from excerpt.model.spans import BoolArray, FloatArray, IntArray

#: Codes instead of a grade: the document is not in the pool, or it is in the pool with a grade below 0.
OUTSIDE, UNJUDGED = -1, -2
#: Number that trec_eval adds to the counts of infAP to avoid a division by 0.
EPSILON = 0.00001


def ratio(over: IntArray | FloatArray, under: IntArray | FloatArray) -> FloatArray:
    """Quotient by topic, 0 if the denominator is 0."""
    return np.asarray(over / np.where(under == 0, 1, under) * (under != 0), np.float64)


@dataclass(frozen=True, eq=False)
class Rankings:
    """Documents of each topic, by rank, with their grades."""

    topics: tuple[str, ...]
    #: Topic and grade of each document, and the first row of each topic (and the number of rows at the end).
    topic: IntArray
    grade: IntArray
    first: IntArray
    #: Topic and grade of each judged document, returned or not.
    judged_topic: IntArray
    judged_grade: IntArray
    #: The lowest grade that is relevant.
    level: int

    @cached_property
    def returned(self) -> IntArray:
        """Number of documents of each topic."""
        return np.diff(self.first)

    @cached_property
    def relevant(self) -> BoolArray:
        """Mask of the relevant documents."""
        return self.grade >= self.level

    @cached_property
    def hits(self) -> IntArray:
        """Rows of relevant documents."""
        return np.flatnonzero(self.relevant)

    @cached_property
    def rank(self) -> IntArray:
        """Rank of each relevant document, from 1."""
        return self.hits + 1 - self.first[self.topic[self.hits]]

    @cached_property
    def found(self) -> IntArray:
        """Number of relevant documents up to and including each relevant document."""
        before = np.cumsum(self.retrieved) - self.retrieved
        return np.arange(1, len(self.hits) + 1) - before[self.topic[self.hits]]

    @cached_property
    def irrelevant(self) -> IntArray:
        """Number of documents judged irrelevant above each relevant document."""
        return self.above((self.grade >= 0) & ~self.relevant)

    @cached_property
    def total(self) -> IntArray:
        """Number of relevant documents of each topic, returned or not."""
        return self.count(self.judged_topic[self.judged_grade >= max(self.level, 0)])

    @cached_property
    def retrieved(self) -> IntArray:
        """Number of relevant documents of each topic that were returned."""
        return self.count(self.topic[self.hits])

    def count(self, topic: IntArray) -> IntArray:
        """Number of occurrences of each topic."""
        return np.bincount(topic, minlength=len(self.topics))

    def sums(self, topic: IntArray, amount: FloatArray) -> FloatArray:
        """Sums by topic, added sequentially."""
        return np.asarray(np.bincount(topic, amount, minlength=len(self.topics)), np.float64)

    def above(self, mask: BoolArray) -> IntArray:
        """Number of marked documents of the topic up to and including each relevant document."""
        total = np.concatenate(([0], np.cumsum(mask)))
        return total[self.hits + 1] - total[self.first[self.topic[self.hits]]]

    def until(self, mask: BoolArray, rank: int | IntArray | None) -> IntArray:
        """Number of marked documents of each topic up to a rank, or in all."""
        total = np.concatenate(([0], np.cumsum(mask)))
        last = self.first[1:] if rank is None else np.minimum(self.first[:-1] + rank, self.first[1:])
        return np.asarray(total[last] - total[self.first[:-1]], np.int64)

    def precision(self, rank: int | None = None) -> FloatArray:
        """Precision at a rank, even if fewer documents were returned, or of all documents."""
        found = self.until(self.relevant, rank)
        return ratio(found, self.returned) if rank is None else np.asarray(found / rank)

    def recall(self, rank: int | None = None) -> FloatArray:
        """Recall at a rank, or of all documents."""
        return ratio(self.until(self.relevant, rank), self.total)

    def success(self, rank: int | None = None) -> FloatArray:
        """1 if a relevant document is returned up to the rank, else 0."""
        return (self.until(self.relevant, rank) > 0).astype(np.float64)

    def average_precision(self, rank: int | None = None) -> FloatArray:
        """AP: sum of the precision at each relevant document, divided by the number of relevant documents."""
        return ratio(self.sum_of_precisions(rank), self.total)

    def sum_of_precisions(self, rank: int | None = None) -> FloatArray:
        """Sum of the precision at each relevant document."""
        kept = self._within(rank)
        return self.sums(self.topic[self.hits[kept]], self.found[kept] / self.rank[kept])

    def reciprocal_rank(self, rank: int | None = None) -> FloatArray:
        """RR: reciprocal rank of the first relevant document."""
        scores = np.zeros(len(self.topics))
        kept = self._within(rank)[::-1]  # in reverse, so that the first document wins
        scores[self.topic[self.hits[kept]]] = 1.0 / self.rank[kept]
        return scores

    def r_precision(self) -> FloatArray:
        """Rprec: precision at the number of relevant documents."""
        return ratio(self.until(self.relevant, self.total), self.total)

    def bpref(self) -> FloatArray:
        """Bpref: how rarely documents judged irrelevant are ranked above relevant ones."""
        judged = (self.judged_grade >= 0) & (self.judged_grade < self.level)
        most = np.minimum(self.count(self.judged_topic[judged]), self.total)
        topic = self.topic[self.hits]
        worse = np.minimum(self.irrelevant, self.total[topic]) / np.maximum(most[topic], 1)
        return ratio(self.sums(topic, 1.0 - worse), self.total)

    @cached_property
    def highest(self) -> IntArray:
        """Highest grade of the judged documents of each topic, at least 1."""
        highest = np.ones(len(self.topics), np.int64)
        np.maximum.at(highest, self.judged_topic, self.judged_grade)
        return highest

    def scaled_grades(self) -> FloatArray:
        """Grade of each document as a proportion of the highest grade of its topic."""
        return np.asarray(np.maximum(self.grade, 0) / self.highest[self.topic])

    def rank_biased(self, gain: FloatArray, persistence: float, rank: int | None = None) -> FloatArray:
        """RBP: gains weighted by the probability that the reader gets so far."""
        places = np.arange(len(self.topic)) - self.first[self.topic]
        worth = gain * self.powers(persistence)[places]
        worth = worth if rank is None else np.where(places < rank, worth, 0.0)
        return np.asarray((1.0 - persistence) * self.sums(self.topic, worth))

    def powers(self, base: float) -> FloatArray:
        """Powers of a number, from 0 to the largest number of documents."""
        return np.cumprod(np.append(1.0, np.full(int(self.returned.max(initial=0)), base)))

    def expected_reciprocal_rank(self, highest: int, rank: int | None = None) -> FloatArray:
        """ERR: expected 1 / rank of the document that satisfies the reader."""
        rows = np.flatnonzero(self.grade > 0)
        ranks = rows + 1 - self.first[self.topic[rows]]
        rows, ranks = (rows, ranks) if rank is None else (rows[ranks <= rank], ranks[ranks <= rank])
        topic = self.topic[rows]
        satisfied = np.ldexp(1.0, self.grade[rows] - highest) - np.ldexp(1.0, -highest)
        count = self.count(topic)
        place = np.arange(len(rows)) - (np.cumsum(count) - count)[topic]
        reached = np.ones((len(self.topics), int(count.max(initial=0)) + 1))
        reached[topic, place + 1] = 1.0 - satisfied
        return self.sums(topic, satisfied * np.cumprod(reached, axis=1)[topic, place] / ranks)

    def discounted(self, gain: IntArray | FloatArray, rank: int | None = None) -> FloatArray:
        """DCG of the gain of each document."""
        rows = np.flatnonzero(gain)
        ranks = rows + 1 - self.first[self.topic[rows]]
        if rank is not None:
            rows, ranks = rows[ranks <= rank], ranks[ranks <= rank]
        return self.sums(self.topic[rows], gain[rows] / np.log2(ranks + 1.0))

    def normalised_gain(self, rank: int | None = None, *, exponential: bool = False) -> FloatArray:
        """Normalised DCG (nDCG); the gain is the grade, or in proportion to 2 ** grade - 1."""
        best = np.flatnonzero(self.judged_grade > 0)
        best = best[np.lexsort((-self.judged_grade[best], self.judged_topic[best]))]
        topic, grade = self.judged_topic[best], self.judged_grade[best]
        first = np.searchsorted(topic, np.arange(len(self.topics) + 1))
        ideal = Rankings(self.topics, topic, grade, first, topic, grade, self.level)
        if not exponential:
            return ratio(self.discounted(np.maximum(self.grade, 0), rank), ideal.discounted(grade, rank))
        most = int(grade.max(initial=0))  # powers of large grades would overflow
        gains = [np.ldexp(1.0, np.maximum(of, 0) - most) - np.ldexp(1.0, -most) for of in (self.grade, grade)]
        return ratio(self.discounted(gains[0], rank), ideal.discounted(gains[1], rank))

    def _within(self, rank: int | None) -> IntArray:
        """Places among `hits` of those up to a rank."""
        return np.arange(len(self.hits)) if rank is None else np.flatnonzero(self.rank <= rank)
