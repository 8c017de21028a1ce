"""Spans in groups against sets of characters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.model import spans as module
from excerpt.model.spans import MAX_OFFSET, IntArray, KeyedSpans, Span, distinct, first_rows, keys

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


_SMALL = st.integers(-3, 3)
_LARGE = st.integers(-(2**63), 2**63 - 1)
_ROWS = st.lists(st.tuples(_SMALL, st.one_of(_SMALL, _LARGE)), max_size=300)


def expected(rows: Sequence[tuple[int, ...]]) -> list[int]:
    """For each row the first one that equals it."""
    seen: dict[tuple[int, ...], int] = {}
    return [seen.setdefault(row, number) for number, row in enumerate(rows)]


def distinct_columns(rows: list[tuple[int, int]]) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """The rows as two columns."""
    return [np.array([row[place] for row in rows], np.int64) for place in (0, 1)]


@given(_ROWS)
def test_rows_lead_to_the_first_equal_row(rows: list[tuple[int, int]]) -> None:
    """Two columns count as one value, whatever their width."""
    assert first_rows(*distinct_columns(rows)).tolist() == expected(rows)
    for kind in ("int32", "uint16"):
        narrow: list[Any] = [column.astype(kind) for column in distinct_columns(rows)]
        values = list(zip(*(column.tolist() for column in narrow), strict=True))
        assert first_rows(*narrow).tolist() == expected(values)


@given(_ROWS)
def test_numbers_follow_the_first_appearance(rows: list[tuple[int, int]]) -> None:
    """Numbers from 0 on, and the row where each of them begins."""
    opens, codes = distinct(*distinct_columns(rows))
    numbers = list(dict.fromkeys(expected(rows)))
    assert opens.tolist() == numbers
    assert codes.tolist() == [numbers.index(first) for first in expected(rows)]


@pytest.mark.parametrize("multipliers", [(0,), (0, 0), (1 << 63,), (0, 1 << 60, 0x9E3779B97F4A7C15)])
def test_a_bad_hash_only_costs_time(monkeypatch: pytest.MonkeyPatch, multipliers: tuple[int, ...]) -> None:
    """Rows that fall into one slot, or into a few, are sorted."""
    monkeypatch.setattr(module, "_MULTIPLIERS", multipliers)
    values = np.random.default_rng(5).integers(0, 700, 3000)
    assert first_rows(values).tolist() == expected([(value,) for value in values.tolist()])


def test_many_rows_with_few_collisions() -> None:
    """At the size of a run, some values share a slot and go through the second pass."""
    values = np.random.default_rng(6).integers(0, 50_000, 100_000)
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    assert np.array_equal(first_rows(values), first[inverse])
