"""Statistics of judgments: documents, passages and characters, grades of elements, highlighted elements."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.model.elements import COVERAGE, TOO_SMALL, GradedElements
from excerpt.model.judgments import Judgments, Scale
from excerpt.model.spans import BoolArray, IntArray, sums

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex
    from excerpt.notices import Notices

#: The highest grade of specificity; as coverage (2002) it is E.
_HIGHEST = 3
_BASE = 5  # grades of specificity are -1 to 3
_EXHAUSTIVITY = {TOO_SMALL: "?"}


def judgment_statistics(
    judgments: Judgments, index: OffsetIndex | None = None, *, notices: Notices | None = None
) -> dict[str, Any]:
    """Count what was judged; a document judged for two topics counts twice, as do its elements.

    `per_topic` has least, median and most over all topics. Counts of grades are those of the file: relevance
    and coverage (`3E`), exhaustivity and specificity (`3,2`), exhaustivity (`2`, `?`), or of documents (`1`).
    `exact_below_article_level` is the proportion of elements below the root among those that are exact:
    coverage E (2002), specificity 3 (2003, 2004), completely highlighted (2005); None if there are none.
    `fully_highlighted` has, by tag, the elements whose whole text is highlighted; None if highlights, or the
    index that locates elements in them, are missing.

    >>> from excerpt.model.elements import GradedElement
    >>> graded = [GradedElement("1", "A", "/a[1]", 2, 2), GradedElement("1", "A", "/a[1]/p[1]", 3, 3)]
    >>> found = judgment_statistics(Judgments.graded(graded, scale="relevance and coverage"))
    >>> found["grades"], found["exact_below_article_level"], found["per_topic"]["documents"]
    ({'3E': 1, '2L': 1}, 1.0, {'least': 1, 'median': 1, 'most': 1})
    """
    if index is not None and judgments.scale == "highlights" and len(judgments.spans):
        from excerpt.index.element_spans import relevant_elements

        judgments = relevant_elements(index, judgments, notices=notices)
    elements, whole = judgments.elements, judgments.scale == "documents"
    spans = judgments.spans.group[:0] if whole else judgments.spans.group
    columns = {
        "documents": np.ones(len(judgments), np.int64),
        "relevant_documents": _relevant(judgments).astype(np.int64),
        "passages": np.bincount(spans, minlength=len(judgments)),
        "characters": judgments.relevant_by_pair * (not whole),
    }
    by_topic = {
        name: sums(judgments.pair_topic, column, len(judgments.topics)).tolist()
        for name, column in columns.items()
    }
    return {
        "topics": len(judgments.topics),
        **{name: int(column.sum()) for name, column in columns.items()},
        "elements": 0 if elements is None else len(elements),
        **_graded(judgments),
        "fully_highlighted": None
        if elements is None
        else _fully_highlighted(elements, judgments.scale, index),
        "per_topic": {name: _spread(counts) for name, counts in by_topic.items()},
    }


def _spread(counts: Sequence[int]) -> dict[str, float | None]:
    """Least, median and most of some counts; the median of an even number of them may end in a half."""
    if not counts:
        return dict.fromkeys(("least", "median", "most"))
    middle = median(counts)
    return {
        "least": min(counts),
        "median": int(middle) if middle == int(middle) else middle,
        "most": max(counts),
    }


def _relevant(judgments: Judgments) -> BoolArray:
    """Judged documents with highlighted text, or with an element that is not graded 0."""
    relevant = judgments.relevant_by_pair > 0
    if judgments.elements is not None:
        graded = (judgments.elements.exhaustivity != 0) | (judgments.elements.relevant > 0)
        relevant = relevant.copy()
        relevant[judgments.elements.pair[graded]] = True
    return relevant


def _graded(judgments: Judgments) -> dict[str, Any]:
    """Counts of grades: all, at article level (root elements), below it; proportion of exact ones below."""
    elements, scale = judgments.elements, judgments.scale
    found: dict[str, Any] = {"grades": {}, "article_level": {}, "below_article_level": {}}
    exact_below = None
    if judgments.grades is not None:
        names, counts = np.unique(judgments.grades, return_counts=True)
        found["grades"] = dict(zip(map(str, names[::-1].tolist()), counts[::-1].tolist(), strict=True))
    elif elements is not None and scale != "highlights":
        root = np.array([path.count("/") == 1 for path in elements.paths], np.bool_)[elements.path]
        levels = (np.ones_like(root), root, ~root)
        found = {name: _grades(elements, scale, level) for name, level in zip(found, levels, strict=True)}
        exact = _highlighted(elements) if scale == "exhaustivity 0-2" else elements.specificity == _HIGHEST
        if exact.any():
            exact_below = int((exact & ~root).sum()) / int(exact.sum())
    return {**found, "exact_below_article_level": exact_below}


def _grades(elements: GradedElements, scale: Scale, level: BoolArray) -> dict[str, int]:
    """Counts of the grades of some elements, the highest first."""
    codes, counts = np.unique(
        elements.exhaustivity[level] * _BASE + elements.specificity[level] + 1, return_counts=True
    )
    found = {}
    for code, count in zip(codes[::-1].tolist(), counts[::-1].tolist(), strict=True):
        first, second = code // _BASE, code % _BASE - 1
        name = str(_EXHAUSTIVITY.get(first, first))
        if scale == "relevance and coverage":
            name += COVERAGE[second]
        elif scale == "exhaustivity and specificity":
            name += f",{second}"
        found[name] = count
    return found


def _highlighted(elements: GradedElements) -> BoolArray:
    full: BoolArray = (elements.size > 0) & (elements.relevant == elements.size)
    return full


def _fully_highlighted(
    elements: GradedElements, scale: Scale, index: OffsetIndex | None
) -> dict[str, int] | None:
    """Elements whose whole text is highlighted, by tag, the most frequent tag first."""
    if scale not in {"highlights", "exhaustivity 0-2"}:
        return None
    rows = np.flatnonzero(_highlighted(elements))
    tags: Sequence[str]
    codes: IntArray
    if elements.paths or index is None:
        tags = [path.rpartition("/")[2].partition("[")[0] for path in elements.paths]
        codes = elements.path[rows]
    else:
        assert elements.row is not None  # as relevant_elements found them
        tags, codes = index.tag_names, index.tags(elements.row[rows])
    counts: dict[str, int] = {}
    for tag, count in zip(tags, np.bincount(codes, minlength=len(tags)).tolist(), strict=True):
        counts[tag] = counts.get(tag, 0) + count
    return dict(sorted(((tag, n) for tag, n in counts.items() if n), key=lambda item: (-item[1], item[0])))
