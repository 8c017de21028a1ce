"""Krippendorff's alpha for highlighted text, whose units the judges themselves mark in a continuum.

K. Krippendorff: "On the reliability of unitizing continuous data", Sociological Methodology 25, 1995; Content
Analysis, 2nd edition, 2004. DKPro Statistics computes the same for one continuum that all judges have seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate, combinations

import numpy as np

from excerpt.judging.alpha import whole_sum
from excerpt.model.spans import IntArray, KeyedSpans, sums


def alpha_u(judge: IntArray, document: IntArray, spans: KeyedSpans, length: IntArray) -> Fraction | None:
    """Alpha of highlighted text; None if nothing is highlighted or no disagreement is expected.

    A row is a document that a judge saw: number of the judge, number of the document; its highlights are the
    spans with the row as their group. `length` has the length of each document. Documents lie end to end, and
    gaps between highlights end at the borders of documents. Documents that one judge saw are left out; of
    the others each counts by the judgments that it has, as in alpha of values, which is the definition of the
    book where every judge saw every document.

    >>> spans = KeyedSpans.union([0, 1], [0, 2], [4, 6])
    >>> round(float(alpha_u(np.array([0, 1]), np.array([0, 0]), spans, np.array([20]))), 4)
    0.6272
    """
    judges = sums(document, np.ones(len(document), np.int64), len(length))
    shared = judges[document] > 1
    seen = shared[spans.group]
    row, start, end = spans.group[seen], spans.start[seen], spans.end[seen]
    if not len(row):
        return None
    size = end - start
    total: int = sum(length[document[shared]].tolist())  # of all judges together
    expected = _expected(size, _gaps(np.flatnonzero(shared), row, start, end, length[document]))
    below: int = total * (total - 1) - sum(value * (value - 1) for value in size.tolist())
    if not expected:
        return None
    seen_by = {int(one): np.sort(document[shared & (judge == one)]) for one in np.unique(judge[shared])}
    observed = _observed(judge[row], document[row], start, end, seen_by, judges)
    return 1 - observed * below / (2 * total * expected)


def _gaps(rows: IntArray, row: IntArray, start: IntArray, end: IntArray, length: IntArray) -> IntArray:
    """Lengths of the gaps before, between and after the highlights of each row."""
    first = np.searchsorted(row, rows)
    border = np.insert(end, first, 0), np.insert(start, np.searchsorted(row, rows, "right"), length[rows])
    gaps = border[1] - border[0]
    return np.asarray(gaps[gaps > 0], np.int64)


def _expected(size: IntArray, gaps: IntArray) -> int:
    """Sum over units of their distances to all other units and gaps, wherever they might lie."""
    sizes, counts = np.unique(size, return_counts=True)
    gap, number = np.unique(gaps, return_counts=True)
    lengths = [a * b for a, b in zip(gap.tolist(), number.tolist(), strict=True)]
    many = [0, *accumulate(reversed(number.tolist()))][::-1]  # number and length of gaps from each on
    long = [0, *accumulate(reversed(lengths))][::-1]
    total = 0
    places = np.searchsorted(gap, sizes).tolist()
    for b, count, place in zip(sizes.tolist(), counts.tolist(), places, strict=True):
        others = (len(size) - 1) * (b * (b - 1) * (2 * b - 1) // 3)
        total += count * (others + b * b * (long[place] - (b - 1) * many[place]))
    return total


def _observed(
    judge: IntArray,
    document: IntArray,
    start: IntArray,
    end: IntArray,
    seen_by: Mapping[int, IntArray],
    judges: IntArray,
) -> Fraction:
    """Sum of the distances of all units to the units and gaps of other judges at the same place.

    `seen_by` has the documents that each judge saw, `judges` the number of judges who saw each document.
    """
    weights = np.unique(judges[document]).tolist()
    found = dict.fromkeys(weights, 0)
    order = np.lexsort((start, document))
    rows = {int(one): order[judge[order] == one] for one in np.unique(judge)}
    empty = np.zeros(0, np.int64)
    for a, b in combinations(seen_by, 2):
        one, two = rows.get(a, empty), rows.get(b, empty)
        one, two = one[np.isin(document[one], seen_by[b])], two[np.isin(document[two], seen_by[a])]
        first, last = _overlapping(document, start, end, one, two)
        left = np.repeat(one, last - first)
        right = two[np.arange(len(left)) - np.repeat(np.cumsum(last - first) - last, last - first)]
        alone = [one[last == first]]
        first, last = _overlapping(document, start, end, two, one)
        alone.append(two[last == first])
        parts = [(document[left], start[left] - start[right]), (document[left], end[left] - end[right])]
        parts += [(document[each], end[each] - start[each]) for each in alone]
        for where, distance in parts:
            by = judges[where]
            for weight in weights:
                found[weight] += whole_sum(distance[by == weight] ** 2)
    return sum((Fraction(2 * amount, weight - 1) for weight, amount in found.items()), Fraction(0))


def _overlapping(
    document: IntArray, start: IntArray, end: IntArray, units: IntArray, others: IntArray
) -> tuple[IntArray, IntArray]:
    """First and last (exclusive) of the other judge's units that overlap each unit; both are sorted."""
    codes, shift = document.astype(np.int64), 32
    first = np.searchsorted(
        (codes[others] << shift) + end[others], (codes[units] << shift) + start[units], "right"
    )
    last = np.searchsorted((codes[others] << shift) + start[others], (codes[units] << shift) + end[units])
    return first, last
