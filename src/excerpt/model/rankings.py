"""Rankings of whole documents with their grades, and the measures that `evaluate` and `trec_eval` share.

Both get the same last digit: counts are whole numbers, sums are added by rank, one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from excerpt.model.spans import BoolArray, FloatArray, IntArray, running_sums

#: Instead of a grade: nobody put the document into the pool; or it is there with a grade below 0.
OUTSIDE, UNJUDGED = -1, -2
#: What trec_eval adds to counts of infAP, so that nothing is divided by 0.
EPSILON = 0.00001


def ratio(over: IntArray | FloatArray, under: IntArray | FloatArray) -> FloatArray:
    """A quotient by topic, 0 where there is nothing to divide by."""
    return np.asarray(over / np.where(under == 0, 1, under) * (under != 0), np.float64)


@dataclass(frozen=True, eq=False)
class Rankings:
    """The documents of each topic, by rank, with their grades."""

    topics: tuple[str, ...]
    #: Topic and grade of each document, and where the documents of each topic begin (one more at the end).
    topic: IntArray
    grade: IntArray
    first: IntArray
    #: Topic and grade of each judged document, returned or not.
    judged_topic: IntArray
    judged_grade: IntArray
    #: The lowest grade that is relevant.
    level: int

    @cached_property
    def rank(self) -> IntArray:
        """The rank of each document, from 1 on."""
        return np.arange(1, len(self.topic) + 1) - self.first[self.topic]

    @cached_property
    def returned(self) -> IntArray:
        """How many documents each topic has."""
        return np.diff(self.first)

    @cached_property
    def relevant(self) -> BoolArray:
        """Which documents are relevant."""
        return self.grade >= self.level

    @cached_property
    def hits(self) -> IntArray:
        """The rows of relevant documents."""
        return np.flatnonzero(self.relevant)

    @cached_property
    def found(self) -> IntArray:
        """How many relevant documents stand up to and including each one."""
        return self.running(self.relevant)

    @cached_property
    def irrelevant(self) -> IntArray:
        """How many documents judged irrelevant stand up to and including each one."""
        return self.running((self.grade >= 0) & ~self.relevant)

    @cached_property
    def total(self) -> IntArray:
        """How many relevant documents each topic has, returned or not."""
        return self.count(self.judged_topic[self.judged_grade >= max(self.level, 0)])

    @cached_property
    def retrieved(self) -> IntArray:
        """How many relevant documents of each topic were returned."""
        return self.count(self.topic[self.hits])

    def count(self, topic: IntArray) -> IntArray:
        """How often each topic occurs."""
        return np.bincount(topic, minlength=len(self.topics))

    def sums(self, topic: IntArray, amount: FloatArray) -> FloatArray:
        """Sums by topic, added one after the other."""
        return np.asarray(np.bincount(topic, amount, minlength=len(self.topics)), np.float64)

    def running(self, mask: BoolArray) -> IntArray:
        """How many documents of a topic are marked, up to and including each one."""
        return running_sums(mask.astype(np.int64), self.first)

    def until(self, mask: BoolArray, rank: int | IntArray | None) -> IntArray:
        """How many of the first documents of each topic are marked, of all of them where no rank is given."""
        total = np.concatenate(([0], np.cumsum(mask)))
        last = self.first[1:] if rank is None else np.minimum(self.first[:-1] + rank, self.first[1:])
        return np.asarray(total[last] - total[self.first[:-1]], np.int64)

    def precision(self, rank: int | None = None) -> FloatArray:
        """The share of the first documents, however few there are, or of all, that is relevant."""
        found = self.until(self.relevant, rank)
        return ratio(found, self.returned) if rank is None else np.asarray(found / rank)

    def recall(self, rank: int | None = None) -> FloatArray:
        """The share of the relevant documents that is among the first."""
        return ratio(self.until(self.relevant, rank), self.total)

    def success(self, rank: int | None = None) -> FloatArray:
        """1 where a relevant document is among the first."""
        return (self.until(self.relevant, rank) > 0).astype(np.float64)

    def average_precision(self, rank: int | None = None) -> FloatArray:
        """AP: precision at the relevant documents, over how many are relevant."""
        return ratio(self.sum_of_precisions(rank), self.total)

    def sum_of_precisions(self, rank: int | None = None) -> FloatArray:
        """Precision at the relevant documents, added up."""
        rows = self._hits(rank)
        return self.sums(self.topic[rows], self.found[rows] / self.rank[rows])

    def reciprocal_rank(self, rank: int | None = None) -> FloatArray:
        """RR: of the first relevant document."""
        scores = np.zeros(len(self.topics))
        rows = self._hits(rank)[::-1]
        scores[self.topic[rows]] = 1.0 / self.rank[rows]  # the last assignment is the first document
        return scores

    def r_precision(self) -> FloatArray:
        """Rprec: precision of as many documents as are relevant."""
        return ratio(self.until(self.relevant, self.total), self.total)

    def bpref(self) -> FloatArray:
        """How rarely documents judged irrelevant stand before relevant ones."""
        judged = (self.judged_grade >= 0) & (self.judged_grade < self.level)
        most = np.minimum(self.count(self.judged_topic[judged]), self.total)
        topic = self.topic[self.hits]
        worse = np.minimum(self.irrelevant[self.hits], self.total[topic]) / np.maximum(most[topic], 1)
        return ratio(self.sums(topic, 1.0 - worse), self.total)

    def discounted(self, gain: IntArray | FloatArray, rank: int | None = None) -> FloatArray:
        """DCG of the gain of each document."""
        rows = np.flatnonzero(gain if rank is None else np.where(self.rank <= rank, gain, 0))
        return self.sums(self.topic[rows], gain[rows] / np.log2(self.rank[rows] + 1.0))

    def normalised_gain(self, rank: int | None = None) -> FloatArray:
        """nDCG where the gain of a grade is the grade."""
        best = np.flatnonzero(self.judged_grade > 0)
        best = best[np.lexsort((-self.judged_grade[best], self.judged_topic[best]))]
        topic, grade = self.judged_topic[best], self.judged_grade[best]
        first = np.searchsorted(topic, np.arange(len(self.topics) + 1))
        ideal = Rankings(self.topics, topic, grade, first, topic, grade, self.level)
        return ratio(self.discounted(np.maximum(self.grade, 0), rank), ideal.discounted(grade, rank))

    def _hits(self, rank: int | None) -> IntArray:
        return self.hits if rank is None else self.hits[self.rank[self.hits] <= rank]
