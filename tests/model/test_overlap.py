"""Which result showed a character first, against sets of characters."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.model.overlap import clashes, first_clash, first_owners, owned
from excerpt.model.spans import IntArray

Rows = list[tuple[int, int, int]]


def rows() -> st.SearchStrategy[Rows]:
    """Results of a few groups; some nest, repeat or are empty."""
    row = st.tuples(st.integers(0, 3), st.integers(0, 40), st.one_of(st.integers(0, 8), st.integers(0, 60)))
    return st.lists(row.map(lambda row: (row[0], row[1], row[1] + row[2])), max_size=25)


def columns(rows: Rows) -> tuple[IntArray, IntArray, IntArray]:
    """Rows as the columns group, start and end."""
    table = np.array(rows, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def characters(row: tuple[int, int, int]) -> set[tuple[int, int]]:
    """The characters of a result."""
    return {(row[0], place) for place in range(row[1], row[2])}


def first_shown(rows: Rows) -> dict[tuple[int, int], int]:
    """The first result that shows each character."""
    owner: dict[tuple[int, int], int] = {}
    for place, row in enumerate(rows):
        for character in characters(row):
            owner.setdefault(character, place)
    return owner


@settings(max_examples=250)
@given(rows())
def test_clashes_marks_whole_groups(results: Rows) -> None:
    """Every result of a group in which two results share a character is marked, no other is."""
    clashing = {
        one[0] for i, one in enumerate(results) for two in results[:i] if characters(one) & characters(two)
    }
    assert clashes(*columns(results)).tolist() == [row[0] in clashing for row in results]


@settings(max_examples=250)
@given(rows())
def test_first_clash_is_the_best_placed(results: Rows) -> None:
    """The first result that repeats a character, and the first result it repeats."""
    pairs = [
        (later, earlier)
        for later, one in enumerate(results)
        for earlier, two in enumerate(results[:later])
        if characters(one) & characters(two)
    ]
    assert first_clash(*columns(results)) == min(pairs, default=None)


@settings(max_examples=250)
@given(rows())
def test_segments_belong_to_the_first_result(results: Rows) -> None:
    """Segments cover each character once and name the first result that shows it."""
    segments = first_owners(*columns(results))
    found: dict[tuple[int, int], int] = {}
    for group, start, end, owner in zip(*(column.tolist() for column in segments), strict=True):
        assert start < end
        for place in range(start, end):
            assert (group, place) not in found
            found[group, place] = owner
    assert found == first_shown(results)


@settings(max_examples=150)
@given(rows())
def test_owned_sums_by_result(results: Rows) -> None:
    """The lengths of a result's segments are the characters it shows first."""
    segments = first_owners(*columns(results))
    shown = list(first_shown(results).values())
    fresh = owned(segments, segments.end - segments.start, len(results))
    assert fresh.tolist() == [shown.count(place) for place in range(len(results))]


def test_long_chains_of_nested_results() -> None:
    """A thousand nested results: each shows the two characters around the one before."""
    results = [(0, 1000 - depth, 1001 + depth) for depth in range(1000)]
    segments = first_owners(*columns(results))
    fresh = owned(segments, segments.end - segments.start, len(results))
    assert fresh.tolist() == [1] + [2] * 999
