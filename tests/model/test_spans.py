"""Spans in groups against sets of characters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.model.spans import MAX_OFFSET, IntArray, KeyedSpans, Span, keys

Rows = list[tuple[int, int, int]]


def rows(*, groups: int = 3) -> st.SearchStrategy[Rows]:
    """Spans of a few groups that often touch, overlap, nest or are empty."""
    row = st.tuples(st.integers(0, groups), st.integers(0, 20), st.integers(0, 10))
    return st.lists(row.map(lambda row: (row[0], row[1], row[1] + row[2])), max_size=12)


def columns(rows: Rows) -> tuple[IntArray, IntArray, IntArray]:
    """Rows as the columns group, start and end."""
    table = np.array(rows, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def characters(rows: Rows) -> set[tuple[int, int]]:
    """The characters that spans cover."""
    return {(group, place) for group, start, end in rows for place in range(start, end)}


def test_span_has_a_length() -> None:
    """The end of a span is exclusive."""
    assert Span("a", 3, 10).length == 7


@settings(max_examples=400)
@given(rows())
def test_union_covers_the_same_characters(spans: Rows) -> None:
    """The union is sorted and disjoint, touches nowhere, has no empty span and covers the same characters."""
    union = KeyedSpans.union(*columns(spans))
    merged = list(zip(union.group.tolist(), union.start.tolist(), union.end.tolist(), strict=True))
    assert characters(merged) == characters(spans)
    assert merged == sorted(merged)
    assert all(start < end for _, start, end in merged)
    assert all(one[0] < two[0] or one[2] < two[1] for one, two in pairwise(merged))
    assert union.length.tolist() == [end - start for _, start, end in merged]
    assert len(union) == len(merged)


@settings(max_examples=400)
@given(rows(), rows(groups=5))
def test_overlap_counts_common_characters(spans: Rows, asked: Rows) -> None:
    """The overlap of a query is what it shares with the spans of its group; group -1 has none."""
    union, covered = KeyedSpans.union(*columns(spans)), characters(spans)
    asked = [(group - 1, start, end) for group, start, end in asked]
    expected = [len(characters([row]) & covered) for row in asked]
    assert union.overlap(*columns(asked)).tolist() == expected


@settings(max_examples=150)
@given(rows())
def test_totals_and_counts(spans: Rows) -> None:
    """Totals are the characters of each group, counts its spans."""
    union, covered = KeyedSpans.union(*columns(spans)), characters(spans)
    assert union.totals(6).tolist() == [sum(group == which for group, _ in covered) for which in range(6)]
    assert union.counts(6).tolist() == [union.group.tolist().count(which) for which in range(6)]
    assert union.totals(0).tolist() == []


def test_far_ends_of_the_range() -> None:
    """The largest offset and length a file may contain, in the largest group, are counted exactly."""
    group, end = 2**29 - 1, 2 * MAX_OFFSET
    union = KeyedSpans.union([0, group, group], [0, MAX_OFFSET, 5], [end, end, 7])
    assert union.length.tolist() == [end, 2, MAX_OFFSET]
    asked = np.array([group, group, group - 1]), np.array([0, 6, 0]), np.array([end, end, end])
    assert union.overlap(*asked).tolist() == [MAX_OFFSET + 2, MAX_OFFSET + 1, 0]


@settings(max_examples=150)
@given(rows())
def test_keys_sort_like_pairs(spans: Rows) -> None:
    """Keys sort by group, then position."""
    group, start, _ = columns(spans)
    order = np.argsort(keys(group, start), kind="stable").tolist()
    assert order == sorted(range(len(spans)), key=lambda row: spans[row][:2])
