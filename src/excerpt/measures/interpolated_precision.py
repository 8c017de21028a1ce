"""Interpolated precision over characters: INEX ad hoc track, focused task, 2007 to 2010.

Kamps, Pehcevski, Kazai, Lalmas, Robertson: "INEX 2007 Evaluation Measures", LNCS 4862, 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from excerpt.measures.base import RECALL_LEVEL, Measure, required
from excerpt.model.joined import JoinedRun
from excerpt.model.spans import FloatArray, IntArray

_REFERENCE = (
    "J. Kamps, J. Pehcevski, G. Kazai, M. Lalmas, S. Robertson: "
    "INEX 2007 Evaluation Measures. Focused Access to XML Documents, LNCS 4862, 2008"
)
_LEVELS = 101


class _Hits(NamedTuple):
    """Results with relevant text: topic, relevant characters found, and precision, after each.

    Between two of them precision only falls, so no other result can have the best precision at any recall.
    """

    topic: IntArray
    found: IntArray
    precision: FloatArray


def _hits(joined: JoinedRun) -> _Hits:
    def compute() -> _Hits:
        relevant = joined.counted[1]
        rows = np.flatnonzero(relevant)
        topic, total = joined.topic[rows], np.cumsum(relevant[rows])
        before = np.concatenate(([0], total))[np.searchsorted(topic, np.arange(joined.topics))]
        found = total - before[topic]
        return _Hits(topic, found, found / np.maximum(joined.read[rows], 1))

    return joined.once("interpolated precision", compute)


@dataclass(frozen=True)
class InterpolatedPrecision(Measure):
    """The best precision at any rank whose recall is at least x; 0 if that recall is never reached.

    After each result, precision is the share of relevant characters among the characters read so far, and
    recall the share of the topic's relevant characters found so far. Whether a recall level is reached is
    decided on integers. Ranks inside a result, scores and document boundaries play no role.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 100))])
    >>> run = Run.of("r", [Result("1", "A", 0, 10), Result("1", "B", 0, 30), Result("1", "A", 10, 70)])
    >>> table = excerpt.evaluate(judgments, [run], ["iP[0.10]", "iP[0.11]", "iP[0.71]"])
    >>> table.means().tolist()
    [[1.0, 0.7, 0.0]]
    """

    name = "iP"
    reference = _REFERENCE
    at: Fraction = required(RECALL_LEVEL)

    def scores(self, joined: JoinedRun) -> FloatArray:
        hits = _hits(joined)
        # The least number of characters that makes up the recall, in integers of any size.
        needed = [math.ceil(self.at * total) for total in joined.judgments.relevant_by_topic.tolist()]
        reached = hits.found >= np.array(needed, np.int64)[hits.topic]
        best = np.zeros(joined.topics)
        np.maximum.at(best, hits.topic[reached], hits.precision[reached])
        return best


@dataclass(frozen=True)
class AverageInterpolatedPrecision(Measure):
    """The mean of iP[x] over x = 0.00, 0.01, …, 1.00 (101 levels); its mean over topics is MAiP.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 100))])
    >>> run = Run.of("r", [Result("1", "A", 0, 29)])
    >>> excerpt.evaluate(judgments, [run], ["AiP"]).mean("r", "AiP") == 30 / 101
    True
    """

    name = "AiP"
    mean_name = "MAiP"
    reference = _REFERENCE

    def scores(self, joined: JoinedRun) -> FloatArray:
        hits = _hits(joined)
        total = joined.judgments.relevant_by_topic[hits.topic]
        level = np.minimum((_LEVELS - 1) * hits.found // total, _LEVELS - 1)
        best = np.zeros((joined.topics, _LEVELS))
        np.maximum.at(best, (hits.topic, level), hits.precision)
        interpolated = np.maximum.accumulate(best[:, ::-1], axis=1)
        return np.array([math.fsum(levels) for levels in interpolated.tolist()]) / _LEVELS
