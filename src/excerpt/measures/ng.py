"""inex_eval_ng: recall and precision that consider element size and overlap, INEX 2003."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, MissingData
from excerpt.measures._elements import large_enough, recall_levels
from excerpt.measures.base import COUNT, POSITIVE_LEVEL, TEXT_SIZE, TRUTH, Measure, Need, choice, parameter
from excerpt.model.exact import RunningSums, first_reaching
from excerpt.model.join import Joined, cached
from excerpt.model.judgments import Judgments, Scale
from excerpt.model.spans import BoolArray, FloatArray, IntArray

#: Grades of the scales: relevance from the first grade, coverage from the second, each with a denominator. A
#: scale without grades has proportions of highlighted text instead. `strict` counts full values only.
_GENERALISED: dict[Scale, tuple[tuple[int, ...], int, tuple[int, ...], int]] = {
    "relevance and coverage": ((0, 1, 2, 3), 3, (0, 0, 1, 2), 2),  # N, S, L, E
    "exhaustivity and specificity": ((0, 1, 2, 3), 3, (0, 1, 2, 3), 3),
    "exhaustivity 0-2": ((0, 1, 2, 0), 2, (), 1),  # ? is 0
    "highlights": ((), 1, (), 1),
}


class _AssessedGrades(NamedTuple):
    """Relevance and coverage of every assessed element, as numerators, and their denominators.

    The relevance of highlighted text is in characters: recall is a ratio, so their total cancels.
    """

    relevance: IntArray
    of: int
    coverage: IntArray | FloatArray  # floating-point if coverage is the proportion of highlighted text
    covered_of: int
    #: By topic: the relevance of its documents; the size of those whose root was assessed (-1 if unknown);
    #: and the covered part of that size.
    by_topic: IntArray
    size: IntArray
    covered: FloatArray


@dataclass(frozen=True)
class NgPrecision(Measure):
    """The best precision at any rank whose recall is at least x, or its mean over x = 0.01, …, 1.00.

    Recall is the summed relevance of the elements returned, over that of the documents (so it may exceed 1);
    precision is the proportion of covered text in the text returned. With `overlap=true` text that an earlier
    result has shown does not count, with `overlap=false` it counts again. `generalised` takes relevance and
    coverage by the scale of the judgments: relevance 0 to 3 in thirds and coverage E, L as 1, 1/2 (2002);
    exhaustivity and specificity in thirds (2003, 2004); exhaustivity in halves, `?` as 0, and the highlighted
    proportion of the element (2005). Of highlighted text, relevance is the proportion of the topic's
    highlighted text that the element contains, coverage the highlighted proportion of the element. `strict`
    counts only full relevance and full coverage. Elements with fewer than `too_small` characters have
    neither. `extrapolate=true` adds the rest of a collection of `collection_size` characters (by default that
    of the index) as one last result, with the relevance and the covered text of the documents that are still
    missing.

    >>> import excerpt
    >>> graded = [("1", "d", "/a[1]", 3, 2, 100), ("1", "d", "/a[1]/p[1]", 2, 3)]
    >>> judgments = excerpt.Judgments.graded(graded, scale="relevance and coverage")
    >>> run = excerpt.Run.of("r", [("1", "d", 0, 40, None, "/a[1]/p[1]")])
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
    too_small: int | None = parameter(COUNT, None)
    extrapolate: bool = parameter(TRUTH, default=False)
    collection_size: int | None = parameter(TEXT_SIZE, None)
    at: Fraction | None = parameter(POSITIVE_LEVEL, None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.collection_size is not None and not self.extrapolate:
            raise ExcerptError(
                f"collection_size of {self.name} needs extrapolate=true",
                hint=f"try {self.name}(extrapolate=true, collection_size={self.collection_size})",
            )

    @property
    def needs(self) -> frozenset[Need]:
        needs: set[Need] = {"spans", "element paths", "graded elements"}
        if self.extrapolate or self.too_small is not None:
            needs.add("element sizes")
        if self.extrapolate and self.collection_size is None:
            needs.add("collection size")
        return frozenset(needs)

    def scores(self, joined: Joined) -> FloatArray:
        grades = _grades(joined.judgments, self.quantisation, self.too_small)
        new = joined.new_size if self.overlap else joined.size
        relevance = np.append(grades.relevance, 0)[joined.elements] * new
        coverage = np.append(grades.coverage, 0)[joined.elements] * new
        rest = self._rest(joined, grades)
        scores = np.full(joined.topics, np.nan)
        for topic in np.flatnonzero(grades.by_topic > 0).tolist():
            rows = slice(int(joined.first[topic]), int(joined.first[topic + 1]))
            recall = RunningSums(relevance[rows], grades.of * np.maximum(joined.size[rows], 1))
            whole = RunningSums(grades.by_topic[topic : topic + 1], np.array([grades.of]))
            share, of = recall_levels(self.at)
            reached = first_reaching(recall, whole, np.ones(len(share), np.int64), share, of)
            covered, read = np.cumsum(coverage[rows]), np.cumsum(new[rows])
            if rest is None:
                covered, read = np.append(covered, 0), np.append(read, 0)
            else:
                covered = np.append(covered, max(covered[-1:].sum(), grades.covered[topic]))
                read = np.append(read, read[-1:].sum() + rest[topic])
            precision = covered / np.maximum(grades.covered_of * read, 1)
            # No level is above 1, so the rest of the collection reaches all of them.
            best = np.maximum.accumulate(precision[::-1])[::-1]
            scores[topic] = best[np.minimum(reached - 1, len(recall))].mean()
        return scores

    def _rest(self, joined: Joined, grades: _AssessedGrades) -> IntArray | None:
        """Characters of the collection by topic that were not read; None without extrapolation."""
        if not self.extrapolate:
            return None
        size = self.collection_size or joined.judgments.collection_size
        assert size is not None, "which is a need"
        self._check_sizes(joined.judgments, grades, size)
        return np.maximum(size - joined.sums(joined.new_size), 0)

    def _check_sizes(self, judgments: Judgments, grades: _AssessedGrades, most: int) -> None:
        for topic, size in enumerate(grades.size.tolist()):
            if size < 0:
                raise MissingData(
                    f"{self} needs the sizes of the documents assessed for topic {judgments.topics[topic]}",
                    path=judgments.source or None,
                    hint="the assessments lack them: give ⟨index⟩",
                )
            if size > most:
                raise ExcerptError(
                    f"found collection_size={most} of {self.name}, expected at least {size}, "
                    f"the size of the documents assessed for topic {judgments.topics[topic]}"
                )


@cached
def _grades(judgments: Judgments, quantisation: str, too_small: int | None) -> _AssessedGrades:
    elements = judgments.elements
    assert elements is not None
    grades, of, covers, covered_of = _GENERALISED[judgments.scale]
    # A document has the relevance of its root, or of its best element if the root was not assessed.
    # Elements from highlighted text have no paths; all their ancestors are among them.
    roots = np.array([*(path.count("/") == 1 for path in elements.paths), True], np.bool_)
    root = roots[elements.path] & (elements.parents < 0)
    full: IntArray | int = of
    if grades:
        relevance = np.array(grades)[np.maximum(elements.exhaustivity, 0)]
    else:
        relevance = elements.relevant
        full = _of_documents(judgments, relevance, root)[judgments.pair_topic[elements.pair]]
    coverage: IntArray | FloatArray
    if covers:
        coverage = np.array(covers)[np.maximum(elements.specificity, 0)]
    else:
        coverage = elements.relevant / np.maximum(elements.size, 1)
    if quantisation == "strict":
        relevance, coverage = relevance * (relevance == full), coverage * (coverage == covered_of)
    large = large_enough(elements, too_small)
    relevance, coverage = relevance * large, coverage * large
    size, covered = np.zeros(len(judgments.topics), np.int64), np.zeros(len(judgments.topics))
    topic = judgments.pair_topic[elements.pair[root]]
    np.add.at(size, topic, elements.size[root])
    np.add.at(covered, topic, coverage[root] * elements.size[root])
    size[topic[(elements.size[root] == 0) & (coverage[root] > 0)]] = -1
    by_topic = _of_documents(judgments, relevance, root)
    return _AssessedGrades(relevance, of, coverage, covered_of, by_topic, size, covered)


def _of_documents(judgments: Judgments, relevance: IntArray, root: BoolArray) -> IntArray:
    """Relevance of the documents by topic: that of each root, or of the best element without one."""
    elements = judgments.elements
    assert elements is not None
    by_pair, best = np.full(len(judgments), -1, np.int64), np.zeros(len(judgments), np.int64)
    np.maximum.at(by_pair, elements.pair[root], relevance[root])
    np.maximum.at(best, elements.pair, relevance)
    by_topic = np.zeros(len(judgments.topics), np.int64)
    np.add.at(by_topic, judgments.pair_topic, np.where(by_pair >= 0, by_pair, best))
    return by_topic
