"""The best list of assessed elements that do not overlap, by focused cumulated gain.

Elements are trees. Inside of an ideal element results gain together at most what it gains, and a result above
ideal elements gains at most the largest of their gains. So a tree of dynamic programming has, for each
element, the most that so many results at or below it gain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, MissingData, short
from excerpt.measures._elements import IdealElements, ideal_elements
from excerpt.model.join import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.spans import FloatArray, IntArray

#: Kinds of units that are elements.
KINDS = "elements, paragraphs, tag:sec or documents"


class TreeGain(NamedTuple):
    """What some results gain together: an element, or the choices in several trees."""

    gain: float = 0.0
    element: int = -1
    parts: tuple[TreeGain, ...] = ()

    def elements(self) -> Iterator[int]:
        """Yield all elements that were chosen."""
        if self.element >= 0:
            yield self.element
        for part in self.parts:
            yield from part.elements()


class ElementTrees(NamedTuple):
    """Trees of elements: their children, ideal gains, and the results that are elements."""

    children: Mapping[int, list[int]]
    ideal: IdealElements
    units: Mapping[int, int]
    most: int

    def gained_most(self, roots: Iterable[int]) -> list[TreeGain]:
        """Return the best choice of up to 0, 1, … `most` results among the trees of some elements."""
        found = [TreeGain()]
        for root in roots:
            found = _beside(found, self._below(root), self.most)
        return found

    def _below(self, element: int) -> list[TreeGain]:
        found, ideal = self.gained_most(self.children.get(element, ())), self.ideal
        limit = float(ideal.gains[element])
        if ideal.above[element] == element:
            found = [one._replace(gain=min(one.gain, limit)) for one in found]
        if element in self.units and self.most:
            near = ideal.overlapping(element)
            own = max((min(limit, float(ideal.gains[one])) for one in near), default=0.0)
            single = TreeGain(own, element)
            found = [found[0], *(one if one.gain >= own else single for one in found[1:])]
            if len(found) == 1 and own:
                found.append(single)
        return found


def _beside(one: list[TreeGain], two: list[TreeGain], most: int) -> list[TreeGain]:
    """Combine what results in two trees gain."""
    if len(one) == 1 or len(two) == 1:
        return two if len(one) == 1 else one
    found: list[TreeGain] = []
    for count in range(min(len(one) + len(two) - 1, most + 1)):
        low, high = max(count - len(two) + 1, 0), min(count, len(one) - 1)
        at = max(range(low, high + 1), key=lambda first: one[first].gain + two[count - first].gain)
        left, right = one[at], two[count - at]
        found.append(TreeGain(left.gain + right.gain, -1, (left, right)))
    return found


def best_elements(measure: Any, joined: Joined) -> tuple[IntArray, FloatArray]:
    """Return the rows of the best list of each topic without overlap, and its score, which is the bound."""
    graded = joined.judgments.elements
    assert graded is not None, "measures of elements declare that they need them"
    ideal = ideal_elements(joined.judgments, measure.quantisation, measure.too_small)
    children: dict[int, list[int]] = {}
    for child, parent in enumerate(graded.parents.tolist()):
        children.setdefault(parent, []).append(child)
    roots: dict[int, list[int]] = {}
    for root in children.get(-1, []):
        roots.setdefault(int(ideal.topic[root]), []).append(root)
    rows, upper = list[int](), np.zeros(joined.topics)
    for topic, trees in sorted(roots.items()):
        own = range(int(joined.first[topic]), int(joined.first[topic + 1]))
        units = {int(joined.elements[row]): row for row in own if joined.elements[row] >= 0}
        best = ElementTrees(children, ideal, units, measure.top).gained_most(trees)
        whole = float(ideal.gains_of(topic)[: measure.top].sum())
        last = max(range(len(best)), key=lambda count: best[count].gain)
        chosen = sorted(best[last].elements(), key=lambda element: -ideal.gains[element])
        rows += [units[element] for element in chosen]
        upper[topic] = best[last].gain / whole if whole else 0.0
    return np.array(rows, np.int64), upper


def element_candidates(name: str, takes: Any, judgments: Judgments) -> Run:
    """Assessed elements of a kind, as results by their paths."""
    graded = judgments.elements
    if graded is None or not graded.paths:
        raise MissingData(
            "nxCG needs assessed elements with their paths, and the judgments have none",
            hint="give the assessments of INEX 2002 to 2006",
        )
    if takes is None:
        raise ExcerptError(f"found {short(name)} as units of nxCG, expected {KINDS}")
    pairs, results = judgments.pair_topic, []
    for pair, path in zip(graded.pair.tolist(), graded.path.tolist(), strict=True):
        if path >= 0 and takes(graded.paths[path]):
            topic, document = int(pairs[pair]), int(judgments.pair_document[pair])
            place = -1, -1, 0.0, graded.paths[path]
            results.append((topic, (judgments.topics[topic], judgments.documents[document], *place)))
    if not results:
        message = f"found no {short(name)} among the assessed elements, expected some"
        raise ExcerptError(message, hint=f"units are {KINDS}")
    results.sort(key=lambda result: result[0])
    return Run.of(f"ceiling ({name})", [result for _, result in results], kind="elements")
