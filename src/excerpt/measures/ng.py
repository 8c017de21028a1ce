"""inex_eval_ng: recall and precision that know the size of elements and their overlap, INEX 2003.

Gövert, Fuhr, Lalmas, Kazai: "Evaluating the effectiveness of content-oriented XML retrieval methods",
Information Retrieval 9(6), 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from excerpt.errors import MissingData
from excerpt.measures.base import POSITIVE_LEVEL, TRUTH, Measure, Need, choice, parameter
from excerpt.model.exact import RunningSums, first_reaching
from excerpt.model.joined import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.memory import remember
from excerpt.model.spans import FloatArray, IntArray

_PERCENT = np.arange(1, 101)
#: Relevance 0-3 in thirds, coverage N, S, L, E in halves.
_RELEVANCE = {"generalised": np.array([0, 1, 2, 3]), "strict": np.array([0, 0, 0, 3])}
_COVERAGE = {"generalised": np.array([0, 0, 1, 2]), "strict": np.array([0, 0, 0, 2])}


class _Grades(NamedTuple):
    """Relevance in thirds and coverage in halves of every assessed element, and the relevance to be found."""

    relevance: IntArray
    coverage: IntArray
    by_topic: IntArray


@dataclass(frozen=True)
class NgPrecision(Measure):
    """The best precision at any rank whose recall is at least x, or its mean over x = 0.01, …, 1.00.

    Recall adds up the relevance of the elements returned, over that of the documents (so it may exceed 1);
    precision is the share of covered text in the text returned. With `overlap=true` text that an earlier
    result has shown does not count, with `overlap=false` it counts again. `generalised` makes relevance 3, 2,
    1 to 1, 2/3, 1/3 and coverage E, L to 1, 1/2; `strict` counts relevance 3 and coverage E only.

    >>> import excerpt
    >>> from excerpt.model import GradedElement, Judgments, Result, Run
    >>> graded = [GradedElement("1", "d", "/a[1]", 3, 2), GradedElement("1", "d", "/a[1]/p[1]", 3, 3)]
    >>> judgments = Judgments.graded(graded, scale="relevance and coverage")
    >>> results = [Result("1", "d", 0, 40, None, "/a[1]/p[1]"), Result("1", "d", 0, 100, None, "/a[1]")]
    >>> excerpt.evaluate(judgments, [Run.of("r", results)], ["inex_eval_ng[1.00]"]).means().tolist()
    [[1.0]]
    """

    name = "inex_eval_ng"
    reference = (
        "N. Gövert, N. Fuhr, M. Lalmas, G. Kazai: Evaluating the effectiveness of content-oriented XML "
        "retrieval methods. Information Retrieval 9(6), 2006"
    )
    overlap: bool = parameter(TRUTH, default=True)
    quantisation: str = parameter(choice("generalised", "strict"), "generalised")
    at: Fraction | None = parameter(POSITIVE_LEVEL, None)

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"spans", "element paths", "graded elements"})

    def scores(self, joined: Joined) -> FloatArray:
        grades = _grades(joined.judgments, self.quantisation)
        new = joined.new_size if self.overlap else joined.size
        relevance = np.append(grades.relevance, 0)[joined.elements]
        coverage = np.append(grades.coverage, 0)[joined.elements]
        scores = np.full(joined.topics, np.nan)
        for topic in np.flatnonzero(grades.by_topic > 0).tolist():
            rows = slice(int(joined.first[topic]), int(joined.first[topic + 1]))
            shown = joined.running(new)[rows]
            precision = joined.running(coverage * new)[rows] / np.maximum(2 * shown, 1)
            recall = RunningSums(relevance[rows] * new[rows], 3 * np.maximum(joined.size[rows], 1))
            whole = RunningSums(grades.by_topic[topic : topic + 1], np.array([3]))
            scores[topic] = self._interpolated(recall, whole, precision)
        return scores

    def _interpolated(self, recall: RunningSums, whole: RunningSums, precision: FloatArray) -> float:
        share, of = (
            (_PERCENT, 100) if self.at is None else (np.array([self.at.numerator]), self.at.denominator)
        )
        reached = first_reaching(recall, whole, np.ones(len(share), np.int64), share, of)
        best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
        return float(best[np.minimum(reached - 1, len(precision))].mean())


def _grades(judgments: Judgments, quantisation: str) -> _Grades:
    if judgments.scale != "relevance and coverage":
        raise MissingData(
            f"inex_eval_ng needs judgments of relevance and coverage (INEX 2002), found {judgments.scale}",
            path=judgments.source or None,
        )
    return _quantised(judgments, quantisation)


@remember
def _quantised(judgments: Judgments, quantisation: str) -> _Grades:
    elements = judgments.elements
    assert elements is not None
    relevance = _RELEVANCE[quantisation][np.maximum(elements.exhaustivity, 0)]
    coverage = _COVERAGE[quantisation][np.maximum(elements.specificity, 0)]
    # A document counts with the relevance of its root, or of its best element where the root has none.
    root = np.array([path.count("/") == 1 for path in elements.paths], np.bool_)[elements.path]
    by_pair, best = np.full(len(judgments), -1, np.int64), np.zeros(len(judgments), np.int64)
    by_pair[elements.pair[root]] = relevance[root]
    np.maximum.at(best, elements.pair, relevance)
    by_topic = np.zeros(len(judgments.topics), np.int64)
    np.add.at(by_topic, judgments.pair_topic, np.where(by_pair >= 0, by_pair, best))
    return _Grades(relevance, coverage, by_topic)
