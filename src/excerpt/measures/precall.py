"""inex_eval: precision as a function of recall over a weak ordering, INEX 2002 to 2004.

Raghavan, Bollmann, Jung: "A critical investigation of recall and precision as measures of retrieval system
performance", ACM TOIS 7(3), 1989; Gövert, Kazai: "Overview of INEX 2002".
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from excerpt.measures._elements import ElementMeasure, TopicGains, by_topic, recall_levels
from excerpt.measures.base import COUNT, POSITIVE_LEVEL, choice, parameter
from excerpt.model.exact import first_reaching
from excerpt.model.join import Joined
from excerpt.model.spans import UNKNOWN, FloatArray, IntArray

_PRECALL = (
    "V. V. Raghavan, P. Bollmann, G. S. Jung: A Critical Investigation of Recall and Precision as Measures "
    "of Retrieval System Performance. ACM Transactions on Information Systems 7(3), 1989"
)


class _Ranks(NamedTuple):
    """Sets of tied results: gain before and inside each, non-relevant results before and inside each."""

    before: FloatArray
    inside: FloatArray
    wrong_before: FloatArray
    wrong: FloatArray


@dataclass(frozen=True)
class PrecallPrecision(ElementMeasure):
    """The probability that an element is relevant, given that the user stops at recall x (precall).

    Results with the same score form one rank. With t = x·n of the total gain n, reached in a
    rank after j non-relevant elements, the user meets j + s·i/(R+1) of them, where s is the gain still
    missing in that rank, i its non-relevant elements and R its gain; precision is t over t plus that number.
    Without a cut-off: the mean over x = 0.01, …, 1.00. A recall that is never reached scores 0; with
    `collection_size`, the rest of a collection of so many elements forms one last rank.

    >>> import excerpt
    >>> graded = [("1", "d", f"/a[1]/p[{n}]", 3, 3) for n in range(1, 5)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="exhaustivity and specificity")
    >>> scored = [(1, 9), (7, 9), (2, 5), (3, 5), (8, 5), (9, 5)]
    >>> run = excerpt.Run.of("r", [("1", "d", -1, -1, score, f"/a[1]/p[{n}]") for n, score in scored],
    ...              kind="elements")
    >>> table = excerpt.evaluate(judgments, [run], ["inex_eval[0.25]", "inex_eval[0.50]", "inex_eval[1.00]"])
    >>> table.means().round(4).tolist()
    [[0.6667, 0.5455, 0.0]]
    """

    name = "inex_eval"
    reference = _PRECALL
    nonrel: str = parameter(choice("zero", "fractional"), "zero")
    denominator: str = parameter(choice("relevant", "as_printed"), "relevant")
    collection_size: int | None = parameter(COUNT, None)
    at: Fraction | None = parameter(POSITIVE_LEVEL, None)

    def scores(self, joined: Joined) -> FloatArray:
        scores = np.full(joined.topics, np.nan)
        tied = _number_ranks(joined)
        for gains in by_topic(joined, self.quantisation, self.too_small):
            low, high = int(joined.first[gains.topic]), int(joined.first[gains.topic + 1])
            scores[gains.topic] = self._score(gains, tied[low:high])
        return scores

    def _score(self, gains: TopicGains, tied: IntArray) -> float:
        share, whole = recall_levels(self.at)
        total = np.full(len(share), len(gains.ideal))
        reached = first_reaching(gains.run, gains.ideal, total, share, whole)
        target = gains.ideal.values[-1] * share / whole
        ranks = self._ranks(gains, tied)
        number = tied - tied[:1].sum()
        number = np.append(number, number[-1:].sum() + len(tied[:1]))  # and the rest of the collection
        rank = number[np.minimum(reached - 1, len(tied))]
        reachable = rank < len(ranks.inside)
        rank = np.minimum(rank, max(len(ranks.inside) - 1, 0))
        if not len(ranks.inside):
            return 0.0
        part = np.clip(target - ranks.before[rank], 0, ranks.inside[rank])
        under = ranks.inside[rank] + 1 if self.denominator == "relevant" else rank + 1
        wrong = ranks.wrong_before[rank] + part * ranks.wrong[rank] / under
        return float(np.where(reachable, target / (target + wrong), 0.0).mean())

    def _ranks(self, gains: TopicGains, tied: IntArray) -> _Ranks:
        gain = gains.run.numerator / gains.run.denominator
        wrong = np.maximum(1 - gain, 0) if self.nonrel == "fractional" else (gain == 0).astype(np.float64)
        begins = np.flatnonzero(np.diff(tied, prepend=-1) != 0)
        inside, bad = (np.add.reduceat(values, begins) if len(values) else values for values in (gain, wrong))
        if self.collection_size is not None:
            best = gains.ideal.numerator / gains.ideal.denominator
            left = max(float(gains.ideal.values[-1] - gains.run.values[-1]), 0.0)
            if self.nonrel == "fractional":  # a gain above 1 is one relevant element, as in `wrong`
                missing = float(np.minimum(best, 1).sum() - np.minimum(gain, 1).sum())
            else:
                missing = float(len(best) - (gain > 0).sum())
            others = self.collection_size - len(gain) - missing
            inside, bad = np.append(inside, left), np.append(bad, max(others, 0))
        return _Ranks(np.cumsum(inside) - inside, inside, np.cumsum(bad) - bad, bad)


def _number_ranks(joined: Joined) -> IntArray:
    """Number of each result's rank; results with equal scores (else equal ranks) have the same."""
    score, place = joined.run.score, joined.run.rank
    if len(score) and not np.isnan(score).any():
        differs = score[1:] != score[:-1]
    elif len(place) and not (place == UNKNOWN).any():
        differs = place[1:] != place[:-1]
    else:
        differs = np.ones(max(len(score) - 1, 0), np.bool_)
    differs |= np.diff(joined.topic) != 0
    return np.concatenate((np.zeros(min(len(score), 1), np.int64), np.cumsum(differs)))
