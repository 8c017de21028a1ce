"""The ideal of NDNS in EPIC-QA: the best ranked answers that a beam search finds, which may not be the best.

Sets of nuggets are bits of words, so that the gains of all answers are computed at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from excerpt.model.spans import FloatArray, IntArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BITS = 64
_ONES = np.array([number.bit_count() for number in range(256)], np.int64)
Bits: TypeAlias = "NDArray[np.uint64]"
#: Number of sentences that lower a gain, from those without nuggets, with seen ones alone, and with new ones.
Effort: TypeAlias = Callable[[IntArray, IntArray, IntArray], IntArray]


def bits_of(sentences: Sequence[Sequence[int]], nuggets: int) -> Bits:
    """Return the numbered nuggets of each sentence as bits of as many words as needed."""
    bits = np.zeros((len(sentences), -(-nuggets // _BITS) or 1), np.uint64)
    for row, numbers in enumerate(sentences):
        for number in numbers:
            bits[row, number // _BITS] |= np.uint64(1 << number % _BITS)
    return bits


def _count(bits: Bits) -> IntArray:
    """Number of bits of each row."""
    return np.asarray(_ONES[np.ascontiguousarray(bits).view(np.uint8)].sum(axis=1))


@dataclass(frozen=True, eq=False)
class PossibleAnswers:
    """All answers with a nugget: runs of sentences of one context, in order of context, first and last."""

    #: Nuggets of each sentence, context after context.
    sentences: Bits
    #: First and last sentence of each answer, and its nuggets.
    first: IntArray
    last: IntArray
    nuggets: Bits

    @classmethod
    def of(cls, sentences: Bits, contexts: Sequence[tuple[int, int]]) -> PossibleAnswers:
        """List the answers inside of contexts, which are ranges of sentences."""
        first, last, nuggets = [], [], []
        for low, high in contexts:
            for begin in range(low, high):
                union = np.bitwise_or.accumulate(sentences[begin:high])
                filled = np.flatnonzero(union.any(axis=1))
                first.append(np.full(len(filled), begin))
                last.append(begin + filled)
                nuggets.append(union[filled])
        return cls(sentences, np.concatenate(first), np.concatenate(last), np.concatenate(nuggets))

    def _inside(self, nuggets: Bits) -> IntArray:
        """Number of sentences of each answer that have one of some nuggets."""
        total = np.concatenate(([0], np.cumsum(nuggets.any(axis=1))))
        return np.asarray(total[self.last + 1] - total[self.first])

    @cached_property
    def _with_nuggets(self) -> IntArray:
        return self._inside(self.sentences)

    @cached_property
    def _size(self) -> IntArray:
        return self.last - self.first + 1

    def gains(self, seen: Bits, effort: Effort) -> FloatArray:
        """Gain of each answer after some nuggets were seen; 0 without a new one."""
        new = _count(self.nuggets & ~seen)
        novel = self._inside(self.sentences & ~seen)
        weight = effort(self._size - self._with_nuggets, self._with_nuggets - novel, novel)
        return np.where(new > 0, new * (new + 1) / np.maximum(new + weight, 1), 0.0)

    def ideals(self, effort: Effort, width: int) -> list[float]:
        """Best score of the lists of each length, from 0, that a beam of some width keeps.

        The program takes the last: a list that cannot be extended is dropped if another one can, even if its
        score is better. Of equal lists the earlier stay.
        """
        beam = [(0.0, np.zeros(self.sentences.shape[1], np.uint64))]
        best: list[float] = []
        while beam:
            best.append(max(score for score, _ in beam))
            discount = math.log2(len(best) + 1)
            reached = []
            for score, seen in beam:
                gain = self.gains(seen, effort)
                rows = np.flatnonzero(gain > 0)
                reached.append((score + gain[rows] / discount, rows))
            beam = self._kept(beam, reached, width)
        return best

    def _kept(
        self,
        beam: Sequence[tuple[float, Bits]],
        reached: Sequence[tuple[FloatArray, IntArray]],
        width: int,
    ) -> list[tuple[float, Bits]]:
        """Return the best of all extended lists."""
        score = np.concatenate([scores for scores, _ in reached])
        row = np.concatenate([rows for _, rows in reached])
        owner = np.repeat(np.arange(len(beam)), [len(rows) for _, rows in reached])
        if len(score) > width:
            some = np.flatnonzero(score >= np.partition(score, -width)[-width])
        else:
            some = np.arange(len(score))
        order = some[np.argsort(-score[some], kind="stable")][:width]
        return [(float(score[at]), beam[owner[at]][1] | self.nuggets[row[at]]) for at in order.tolist()]
