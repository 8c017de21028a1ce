"""Average precision of ranked documents from sampled judgments: statAP and xinfAP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from excerpt.measures.base import Measure
from excerpt.model.join import Joined
from excerpt.model.spans import BoolArray, FloatArray, IntArray

#: Added to the counts of a stratum above a rank, so that a stratum without judgments there counts as half.
_SMOOTHING = 1e-5


@dataclass(frozen=True)
class SampledPrecision(Measure):
    """statAP: average precision of documents, estimated from documents drawn with known probabilities.

    The sum, over sampled relevant documents at rank r, of 1/p · (1 + the sum of 1/p of the sampled relevant
    documents before it) / r, divided by the sum of 1/p of all sampled relevant documents. A document
    counts as relevant if its grade is above 0; a document that was not drawn adds nothing. The mean over
    topics is statMAP. It needs judgments with probabilities.

    >>> import excerpt
    >>> qrels = b"1 A 1 1 1\\n1 B 0 1 0.5\\n1 C 1 1 0.5\\n"
    >>> run = excerpt.Run.of("r", {"1": {"A": 3, "X": 2, "C": 1}})
    >>> excerpt.evaluate(qrels, [run], "statAP").mean("r", "statAP") == (1 + 2 * (1 + 1) / 3) / 3
    True
    """

    name = "statAP"
    mean_name = "statMAP"
    reference = (
        "J. A. Aslam, V. Pavlu: A Practical Sampling Strategy for Efficient Retrieval Evaluation. Technical "
        "report, Northeastern University, 2007"
    )
    needs = frozenset({"probabilities", "highlights"})

    def scores(self, joined: Joined) -> FloatArray:
        from excerpt.estimates.estimation import scores_by  # it imports this module

        return scores_by(self, joined)


@dataclass(frozen=True)
class InferredPrecision(Measure):
    """xinfAP: average precision of documents, inferred from random samples of the strata of a pool.

    The precision expected at a relevant document of rank k is 1/k + (k-1)/k times the sum over the strata
    of (documents of the stratum before it)/(k-1) · (r + ε)/(r + n + 2ε), where r of the judged documents of
    the stratum before it are relevant, n are not, and ε is 0.00001. Each stratum counts with the mean of
    these at its judged relevant documents (0 if not returned), times the estimate of its number of relevant
    documents, divided by the sum of these estimates. It needs judgments in the format `strata`, which list
    the documents of a stratum that were not judged, too.

    >>> import excerpt
    >>> qrels = b"1 0 A 1 1\\n1 0 B 2 1\\n1 0 C 2 -1\\n"
    >>> run = excerpt.Run.of("r", {"1": {"A": 2, "B": 1}})
    >>> round(excerpt.evaluate(qrels, [run], "xinfAP").mean("r", "xinfAP"), 6)
    0.999997
    """

    name = "xinfAP"
    reference = (
        "E. Yilmaz, E. Kanoulas, J. A. Aslam: A Simple and Efficient Sampling Method for Estimating AP and "
        "NDCG. SIGIR 2008"
    )
    needs = frozenset({"probabilities", "highlights"})

    def scores(self, joined: Joined) -> FloatArray:
        from excerpt.estimates.estimation import scores_by  # it imports this module

        return scores_by(self, joined)


def statistical(rank: IntArray, weights: FloatArray, total: FloatArray) -> FloatArray:
    """Estimate of average precision by row of the weights of the relevant documents returned at ranks."""
    before = np.cumsum(weights, axis=1) - weights
    summed = (weights * (1 + before) / rank).sum(axis=1)
    return np.where(total > 0, summed / np.where(total > 0, total, 1), np.nan)


def inferred(
    rank: IntArray,
    place: IntArray,
    stratum: IntArray,
    judged: BoolArray,
    relevant: BoolArray,
    sizes: FloatArray,
) -> FloatArray:
    """Average precision, inferred for each row of `judged`, of documents (`place`) returned at ranks."""
    expected = np.ones((len(judged), len(rank)))
    shown, good = judged[:, place], judged[:, place] & relevant[place]
    for number in range(len(sizes)):
        own = stratum[place] == number
        pooled, known, found = (
            np.cumsum(mask, axis=-1) - mask
            for mask in (own.astype(np.int64), (shown & own).astype(np.int64), (good & own).astype(np.int64))
        )
        expected += pooled * (found + _SMOOTHING) / (known + 2 * _SMOOTHING)
    expected /= rank
    summed, total = np.zeros(len(judged)), np.zeros(len(judged))
    for number, size in enumerate(sizes.tolist()):
        drawn = np.maximum((judged & (stratum == number)).sum(axis=1), 1)
        weight = size / drawn
        total += weight * (judged & (stratum == number) & relevant).sum(axis=1)
        summed += weight * np.where(good & (stratum[place] == number), expected, 0.0).sum(axis=1)
    return np.where(total > 0, summed / np.where(total > 0, total, 1), np.nan)
