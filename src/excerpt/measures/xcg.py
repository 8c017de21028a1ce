"""Extended cumulated gain: INEX 2005 and 2006, thorough and focused tasks.

Kazai & Lalmas: "eXtended Cumulated Gain Measures for the Evaluation of Content-oriented XML Retrieval",
ACM TOIS 24(4), 2006; Lalmas et al.: "INEX 2006 Evaluation Measures", LNCS 4518, 2007.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from excerpt.measures._elements import (
    Credit,
    OverlapMeasure,
    RecallBase,
    TopicGains,
    by_topic,
    credited_gains,
    ideal_elements,
    recall_levels,
)
from excerpt.measures.base import INEX_2006, POSITIVE_LEVEL, RANK, choice, parameter, required
from excerpt.model.exact import first_reaching
from excerpt.model.join import Joined, cached
from excerpt.model.spans import FloatArray

_XCG = (
    "G. Kazai, M. Lalmas: eXtended Cumulated Gain Measures for the Evaluation of Content-oriented XML "
    "Retrieval. ACM Transactions on Information Systems 24(4), 2006"
)
_SAKAI = (
    "T. Sakai: New Performance Metrics based on Multigrade Relevance: Their Application to Question "
    "Answering. NTCIR-4, 2004"
)


@dataclass(frozen=True)
class _CumulatedGain(OverlapMeasure):
    """Base of measures of the cumulated gains of a run and of an ideal run up to a rank."""

    reference = _XCG
    top: int = required(RANK)

    def scores(self, joined: Joined) -> FloatArray:
        scores = np.full(joined.topics, np.nan)
        curves = _gain_curves(joined, self.quantisation, self.too_small, self.credit)
        for topic, (run, ideal) in curves.items():
            scores[topic] = self.sum_up(run, ideal)
        return scores

    @abstractmethod
    def sum_up(self, run: FloatArray, ideal: FloatArray) -> float:
        """Score from the cumulated gains at all ranks until neither changes."""


@cached
def _gain_curves(
    joined: Joined, quantisation: str | None, too_small: int | None, credit: Credit
) -> dict[int, tuple[FloatArray, FloatArray]]:
    """Cumulated gains of run and ideal run by topic, at every rank until neither changes."""
    curves, values = {}, RecallBase.of(joined.judgments, quantisation, too_small).values
    for gains in by_topic(joined, quantisation, too_small):
        if credit.is_plain:
            own = np.append(values, 0.0)[gains.elements]
        else:
            doubles = values.tolist()
            own = np.array(credited_gains(joined, gains.topic, quantisation, too_small, credit, doubles))
        if credit.ideal == "focused":
            highest = ideal_elements(joined.judgments, quantisation, too_small).gains_of(gains.topic)
        else:
            highest = np.asarray(gains.ideal.numerator / gains.ideal.denominator)
        run, best = np.cumsum(own), np.cumsum(highest)
        ranks = max(len(run), len(best))
        curves[gains.topic] = _up_to(run, ranks), _up_to(best, ranks)
    return curves


def _up_to(values: FloatArray, count: int) -> FloatArray:
    """Return `count` values; a shorter list is extended by its last value, an empty list by 0."""
    last = values[-1] if len(values) else 0.0
    return np.concatenate((values[:count], np.full(max(count - len(values), 0), last)))


@dataclass(frozen=True)
class CumulatedGain(_CumulatedGain):
    """The sum of the gains of the first k results; parameters as for nxCG.

    It is an amount, which depends on the quantisation and on how much the topic has to gain.

    >>> import excerpt
    >>> graded = [("1", "d", f"/a[1]/p[{n}]", 2, -1, 4, share) for n, share in enumerate((4, 4, 2), start=1)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="highlights")
    >>> results = [("1", "d", -1, -1, 0, f"/a[1]/p[{n}]") for n in (3, 9, 1)]
    >>> run = excerpt.Run.of("r", results, kind="elements")
    >>> excerpt.evaluate(judgments, [run], ["xCG[1]", "xCG[2]", "xCG[3]"]).means().tolist()
    [[0.5, 0.5, 1.5]]
    """

    name = "xCG"
    is_share = False

    def sum_up(self, run: FloatArray, ideal: FloatArray) -> float:  # noqa: ARG002
        return float(run[: self.top][-1])


@dataclass(frozen=True)
class IdealGain(_CumulatedGain):
    """The sum of the gains of the first k results of an ideal run; parameters as for nxCG.

    It is an amount, and the same for all runs.

    >>> import excerpt
    >>> graded = [("1", "d", f"/a[1]/p[{n}]", 2, -1, 4, share) for n, share in enumerate((4, 4, 2), start=1)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="highlights")
    >>> results = [("1", "d", -1, -1, 0, f"/a[1]/p[{n}]") for n in (3, 9, 1)]
    >>> run = excerpt.Run.of("r", results, kind="elements")
    >>> excerpt.evaluate(judgments, [run], ["xCI[1]", "xCI[2]", "xCI[3]", "xCI[9]"]).means().tolist()
    [[1.0, 2.0, 2.5, 2.5]]
    """

    name = "xCI"
    is_share = False

    def sum_up(self, run: FloatArray, ideal: FloatArray) -> float:  # noqa: ARG002
        return float(ideal[: self.top][-1])


@dataclass(frozen=True)
class GainRecall(_CumulatedGain):
    """Gain-recall: the sum of the gains of the first k results over all that an ideal run gains.

    Parameters are those of nxCG. It is not gR, the proportion of relevant documents found.

    >>> import excerpt
    >>> graded = [("1", "d", f"/a[1]/p[{n}]", 2, -1, 4, share) for n, share in enumerate((4, 4, 2), start=1)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="highlights")
    >>> results = [("1", "d", -1, -1, 0, f"/a[1]/p[{n}]") for n in (3, 9, 1)]
    >>> run = excerpt.Run.of("r", results, kind="elements")
    >>> excerpt.evaluate(judgments, [run], ["gr[1]", "gr[2]", "gr[3]"]).means().tolist()
    [[0.2, 0.2, 0.6]]
    """

    name = "gr"
    reference = INEX_2006

    def sum_up(self, run: FloatArray, ideal: FloatArray) -> float:
        return float(run[: self.top][-1] / ideal[-1])


@dataclass(frozen=True)
class NormalisedGain(_CumulatedGain):
    """Cumulated gain of the first k results over that of the k best elements.

    The gain of a result is the quantised value of its grades, 0 if it was not assessed, was returned before
    or has fewer than `too_small` characters. `ideal=thorough`: all assessed elements are ideal, overlap is
    ignored (`alpha` from 0 to 1 reduces the gain of text seen before, in any element that was returned).
    `ideal=focused`: ideal elements do not overlap, and results near an ideal element together gain at most
    what it gains (INEX 2006, equation 8). `gain=as_printed` takes this equation literally: the whole gains of
    earlier results are subtracted from the smaller gain of result and ideal element, down to 0.
    `ideal=full`: gains as for `focused`, but the ideal list has all elements (the first sentences of INEX
    2006, section 8.2, taken literally). A run shorter than k keeps its last value.

    >>> import excerpt
    >>> graded = [("1", "d", f"/a[1]/p[{n}]", 2, -1, 4, share) for n, share in enumerate((4, 4, 2), start=1)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="highlights")
    >>> results = [("1", "d", -1, -1, 0, f"/a[1]/p[{n}]") for n in (3, 9, 1)]
    >>> run = excerpt.Run.of("r", results, kind="elements")
    >>> excerpt.evaluate(judgments, [run], ["nxCG[1]", "nxCG[2]", "nxCG[3]"]).means().tolist()
    [[0.5, 0.25, 0.6]]
    """

    name = "nxCG"

    def sum_up(self, run: FloatArray, ideal: FloatArray) -> float:
        return float(run[: self.top][-1] / ideal[: self.top][-1])


@dataclass(frozen=True)
class AverageNormalisedGain(_CumulatedGain):
    """The mean of nxCG[1], …, nxCG[k]; parameters as for nxCG.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.graded([("1", "d", "/a[1]/p[1]", 2, -1, 4, 4)], scale="highlights")
    >>> run = excerpt.Run.of("r", [("1", "d", -1, -1, 0, f"/a[1]/p[{n}]") for n in (2, 1)], kind="elements")
    >>> excerpt.evaluate(judgments, [run], ["MAnxCG[2]"]).means().tolist()
    [[0.5]]
    """

    name = "MAnxCG"

    def sum_up(self, run: FloatArray, ideal: FloatArray) -> float:
        curve = run[: self.top] / ideal[: self.top]
        return float((curve.sum() + (self.top - len(curve)) * curve[-1]) / self.top)


@dataclass(frozen=True)
class _Effort(OverlapMeasure):
    """Base of ep and iMAep: effort-precision at proportions of the total gain."""

    reference = _XCG
    interpolation: str = parameter(choice("none", "ceiling"), "none")

    def effort(self, gains: TopicGains, at: Fraction | None) -> FloatArray:
        """Rank of an ideal run over the rank of the run at each proportion, 0 if the run never reaches it."""
        share, whole = recall_levels(at)
        total = np.full(len(share), len(gains.ideal))
        run = first_reaching(gains.run, gains.ideal, total, share, whole)
        if self.interpolation == "ceiling":
            best = np.maximum.accumulate(_effort_by_rank(gains)[::-1])[::-1]
            return np.append(best, 0.0)[np.minimum(run - 1, len(best))]
        ideal = first_reaching(gains.ideal, gains.ideal, total, share, whole)
        return np.where(run <= len(gains.run), ideal / np.maximum(run, 1), 0.0)


def _effort_by_rank(gains: TopicGains) -> FloatArray:
    """Effort-precision by rank: the ideal run's rank with the same gain over it; 0 without a gain there."""
    ranks = np.flatnonzero(gains.run.positive) + 1
    ideal = first_reaching(gains.ideal, gains.run, ranks, np.ones(len(ranks), np.int64))
    effort = np.zeros(len(gains.run))
    # Only a run that gains from repetitions, or from children worth more than their parent (alpha), can need
    # more than the whole ideal list.
    effort[ranks - 1] = np.minimum(ideal, len(gains.ideal)) / ranks
    return effort


@dataclass(frozen=True)
class EffortPrecision(_Effort):
    """The rank at which an ideal run reaches a proportion of the total gain, over the rank of the run there.

    0 if the run never reaches it. Ranks are whole numbers, and gains are compared exactly. With
    `interpolation=ceiling` it is the best value at this proportion or any greater one. `ideal`, `alpha` and
    `gain` are those of nxCG.

    >>> import excerpt
    >>> graded = [("1", "d", f"/a[1]/p[{n}]", 3, 3) for n in (1, 2, 3)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="exhaustivity and specificity")
    >>> results = [("1", "d", -1, -1, 0, f"/a[1]/p[{n}]") for n in (5, 6, 1, 2)]
    >>> run = excerpt.Run.of("r", results, kind="elements")
    >>> names = ["ep[0.33]", "ep(interpolation=ceiling)[0.33]", "ep[0.60]", "ep[0.67]"]
    >>> excerpt.evaluate(judgments, [run], names).means().tolist() == [[1 / 3, 1 / 2, 1 / 2, 0]]
    True
    """

    name = "ep"
    levels = "gain-recall"
    at: Fraction = required(POSITIVE_LEVEL)

    def scores(self, joined: Joined) -> FloatArray:
        return self.each_topic(joined, lambda gains: float(self.effort(gains, self.at)[0]))


@dataclass(frozen=True)
class AverageEffortPrecision(OverlapMeasure):
    """The mean, over all elements with a gain, of effort-precision at the ranks where the run gains.

    Effort-precision at rank k is the rank at which an ideal run reaches the run's cumulated gain, over k;
    elements that are not returned add 0. `ideal`, `alpha` and `gain` are those of nxCG; with `ideal=focused`
    the mean is over the ideal elements, of which a run may return several parts, so that it may exceed 1.

    >>> import excerpt
    >>> graded = [("1", "d", f"/a[1]/p[{n}]", 3, 3) for n in (1, 2)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="exhaustivity and specificity")
    >>> run = excerpt.Run.of("r", [("1", "d", -1, -1, 0, f"/a[1]/p[{n}]") for n in (5, 1)], kind="elements")
    >>> excerpt.evaluate(judgments, [run], ["MAep"]).means().tolist()
    [[0.25]]
    """

    name = "MAep"
    reference = _XCG

    def scores(self, joined: Joined) -> FloatArray:
        def score(gains: TopicGains) -> float:
            effort = _effort_by_rank(gains)
            return float(effort[effort > 0].sum() / len(gains.ideal))

        return self.each_topic(joined, score)


@dataclass(frozen=True)
class InterpolatedEffortPrecision(_Effort):
    """The mean of ep[gr] over gr = 0.01, 0.02, …, 1.00; parameters as for ep.

    >>> import excerpt
    >>> graded = [("1", "d", f"/a[1]/p[{n}]", 3, 3) for n in (1, 2)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="exhaustivity and specificity")
    >>> run = excerpt.Run.of("r", [("1", "d", -1, -1, 0, f"/a[1]/p[{n}]") for n in (5, 1)], kind="elements")
    >>> excerpt.evaluate(judgments, [run], ["iMAep"]).means().tolist()
    [[0.25]]
    """

    name = "iMAep"

    def scores(self, joined: Joined) -> FloatArray:
        return self.each_topic(joined, lambda gains: float(self.effort(gains, None).mean()))


@dataclass(frozen=True)
class QMeasure(OverlapMeasure):
    """The mean, over all elements with a gain, of (hits + gain) / (rank + ideal gain) at the ranks of hits.

    `ideal`, `alpha` and `gain` are those of nxCG, and limits those of MAep.

    >>> import excerpt
    >>> graded = [("1", "d", f"/a[1]/p[{n}]", 3, 3) for n in (1, 2)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="exhaustivity and specificity")
    >>> run = excerpt.Run.of("r", [("1", "d", -1, -1, 0, f"/a[1]/p[{n}]") for n in (5, 1)], kind="elements")
    >>> excerpt.evaluate(judgments, [run], ["Q"]).means().tolist()
    [[0.25]]
    """

    name = "Q"
    reference = _SAKAI

    def scores(self, joined: Joined) -> FloatArray:
        def score(gains: TopicGains) -> float:
            rank = np.arange(1, len(gains.run) + 1)
            hit = gains.run.positive
            ideal = gains.ideal.values[np.minimum(rank, len(gains.ideal))]
            blended = (np.cumsum(hit) + gains.run.values[1:]) / (rank + ideal)
            return float(blended[hit].sum() / len(gains.ideal))

        return self.each_topic(joined, score)


@dataclass(frozen=True)
class RMeasure(OverlapMeasure):
    """(hits + gain) / (rank + ideal gain) at rank n, the number of ideal elements with a gain.

    `ideal`, `alpha` and `gain` are those of nxCG.

    >>> import excerpt
    >>> graded = [("1", "d", f"/a[1]/p[{n}]", 3, 3) for n in (1, 2)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="exhaustivity and specificity")
    >>> run = excerpt.Run.of("r", [("1", "d", -1, -1, 0, f"/a[1]/p[{n}]") for n in (5, 1)], kind="elements")
    >>> excerpt.evaluate(judgments, [run], ["R"]).means().tolist()
    [[0.5]]
    """

    name = "R"
    reference = _SAKAI

    def scores(self, joined: Joined) -> FloatArray:
        def score(gains: TopicGains) -> float:
            n = len(gains.ideal)
            seen = min(n, len(gains.run))
            hits = int(gains.run.positive[:seen].sum())
            return float((hits + gains.run.values[seen]) / (n + gains.ideal.values[n]))

        return self.each_topic(joined, score)
