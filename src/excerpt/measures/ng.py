"""inex_eval_ng: recall and precision that consider element size and overlap, INEX 2003."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, MissingData
from excerpt.measures._elements import recall_levels
from excerpt.measures.base import POSITIVE_LEVEL, TEXT_SIZE, TRUTH, Measure, Need, choice, parameter
from excerpt.model.exact import RunningSums, first_reaching
from excerpt.model.join import Joined, cached
from excerpt.model.judgments import Judgments
from excerpt.model.spans import FloatArray, IntArray

#: Relevance 0-3 in thirds, coverage N, S, L, E in halves.
_RELEVANCE = {"generalised": np.array([0, 1, 2, 3]), "strict": np.array([0, 0, 0, 3])}
_COVERAGE = {"generalised": np.array([0, 0, 1, 2]), "strict": np.array([0, 0, 0, 2])}


class _Grades(NamedTuple):
    """Relevance in thirds and coverage in halves of every assessed element."""

    relevance: IntArray
    coverage: IntArray
    #: By topic: the relevance of its documents; the size of those whose root was assessed (-1 if unknown);
    #: and the covered part of that size in halves.
    by_topic: IntArray
    size: IntArray
    covered: IntArray


@dataclass(frozen=True)
class NgPrecision(Measure):
    """The best precision at any rank whose recall is at least x, or its mean over x = 0.01, …, 1.00.

    Recall is the summed relevance of the elements returned, over that of the documents (so it may exceed 1);
    precision is the proportion of covered text in the text returned. With `overlap=true` text that an earlier
    result has shown does not count, with `overlap=false` it counts again. `generalised` maps relevance 3, 2,
    1 to 1, 2/3, 1/3 and coverage E, L to 1, 1/2; `strict` counts only relevance 3 and coverage E.
    `extrapolate=true` adds the rest of a collection of `collection_size` characters as one last result, with
    the relevance and the covered text of the documents that are still missing.

    >>> import excerpt
    >>> from excerpt.model import GradedElement, Judgments, Result, Run
    >>> graded = [GradedElement("1", "d", "/a[1]", 3, 2, 100), GradedElement("1", "d", "/a[1]/p[1]", 2, 3)]
    >>> judgments = Judgments.graded(graded, scale="relevance and coverage")
    >>> run = Run.of("r", [Result("1", "d", 0, 40, None, "/a[1]/p[1]")])
    >>> names = [f"inex_eval_ng{options}[{recall}]" for recall in ("0.66", "1.00")
    ...          for options in ("", "(extrapolate=true, collection_size=500)")]
    >>> excerpt.evaluate(judgments, [run], names).means().tolist()
    [[1.0, 1.0, 0.0, 0.1]]
    """

    name = "inex_eval_ng"
    reference = (
        "N. Gövert, N. Fuhr, M. Lalmas, G. Kazai: Evaluating the effectiveness of content-oriented XML "
        "retrieval methods. Information Retrieval 9(6), 2006"
    )
    overlap: bool = parameter(TRUTH, default=True)
    quantisation: str = parameter(choice("generalised", "strict"), "generalised")
    extrapolate: bool = parameter(TRUTH, default=False)
    collection_size: int | None = parameter(TEXT_SIZE, None)
    at: Fraction | None = parameter(POSITIVE_LEVEL, None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.extrapolate != (self.collection_size is not None):
            raise ExcerptError(
                f"extrapolate=true and collection_size of {self.name} need each other",
                hint=f"try {self.name}(extrapolate=true, collection_size=1000000)",
            )

    @property
    def needs(self) -> frozenset[Need]:
        needs: set[Need] = {"spans", "element paths", "graded elements"}
        return frozenset({*needs, "element sizes"} if self.extrapolate else needs)

    def scores(self, joined: Joined) -> FloatArray:
        grades = _grades(joined.judgments, self.quantisation)
        new = joined.new_size if self.overlap else joined.size
        relevance = np.append(grades.relevance, 0)[joined.elements] * new
        covered = joined.running(np.append(grades.coverage, 0)[joined.elements] * new)
        precision = covered / np.maximum(2 * joined.running(new), 1)
        last = self._of_the_rest(joined, grades)
        scores = np.full(joined.topics, np.nan)
        for topic in np.flatnonzero(grades.by_topic > 0).tolist():
            rows = slice(int(joined.first[topic]), int(joined.first[topic + 1]))
            recall = RunningSums(relevance[rows], 3 * np.maximum(joined.size[rows], 1))
            whole = RunningSums(grades.by_topic[topic : topic + 1], np.array([3]))
            share, of = recall_levels(self.at)
            reached = first_reaching(recall, whole, np.ones(len(share), np.int64), share, of)
            # No level is above 1, so the rest of the collection reaches all of them.
            best = np.maximum.accumulate(np.append(precision[rows], last[topic])[::-1])[::-1]
            scores[topic] = best[np.minimum(reached - 1, len(recall))].mean()
        return scores

    def _of_the_rest(self, joined: Joined, grades: _Grades) -> FloatArray:
        """Precision by topic after the whole collection was read; 0 without extrapolation."""
        if self.collection_size is None:
            return np.zeros(joined.topics)
        self._check_sizes(joined.judgments, grades)
        new = joined.new_size if self.overlap else joined.size
        covered = joined.sums(np.append(grades.coverage, 0)[joined.elements] * new)
        rest = np.maximum(self.collection_size - joined.sums(joined.new_size), 0)
        return np.maximum(covered, grades.covered) / np.maximum(2 * (joined.sums(new) + rest), 1)

    def _check_sizes(self, judgments: Judgments, grades: _Grades) -> None:
        assert self.collection_size is not None
        for topic, size in enumerate(grades.size.tolist()):
            if size < 0:
                raise MissingData(
                    f"{self} needs the sizes of the documents assessed for topic {judgments.topics[topic]}",
                    path=judgments.source or None,
                    hint="the assessments lack them: give ⟨index⟩",
                )
            if size > self.collection_size:
                raise ExcerptError(
                    f"found collection_size={self.collection_size} of {self.name}, expected at least {size}, "
                    f"the size of the documents assessed for topic {judgments.topics[topic]}"
                )


def _grades(judgments: Judgments, quantisation: str) -> _Grades:
    if judgments.scale != "relevance and coverage":
        raise MissingData(
            f"inex_eval_ng needs judgments of relevance and coverage (INEX 2002), found {judgments.scale}",
            path=judgments.source or None,
        )
    return _quantise(judgments, quantisation)


@cached
def _quantise(judgments: Judgments, quantisation: str) -> _Grades:
    elements = judgments.elements
    assert elements is not None
    relevance = _RELEVANCE[quantisation][np.maximum(elements.exhaustivity, 0)]
    coverage = _COVERAGE[quantisation][np.maximum(elements.specificity, 0)]
    # A document has the relevance of its root, or of its best element if the root was not assessed.
    root = np.array([path.count("/") == 1 for path in elements.paths], np.bool_)[elements.path]
    by_pair, best = np.full(len(judgments), -1, np.int64), np.zeros(len(judgments), np.int64)
    by_pair[elements.pair[root]] = relevance[root]
    np.maximum.at(best, elements.pair, relevance)
    by_topic, size, covered = (np.zeros(len(judgments.topics), np.int64) for _ in range(3))
    np.add.at(by_topic, judgments.pair_topic, np.where(by_pair >= 0, by_pair, best))
    topic = judgments.pair_topic[elements.pair[root]]
    np.add.at(size, topic, elements.size[root])
    np.add.at(covered, topic, coverage[root] * elements.size[root])
    size[topic[(elements.size[root] == 0) & (coverage[root] > 0)]] = -1
    return _Grades(relevance, coverage, by_topic, size, covered)
