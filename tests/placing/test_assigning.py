"""The assignment that costs least, against every assignment there is."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.placing.assigning import Occurrences, _least, assign


def cost(chunks: list[Occurrences], rows: tuple[int, ...], size: int) -> tuple[int, int]:
    """The sum of all steps by its definition, and how many starts do not rise."""
    end, steps, back, last = 0, 0, 0, -1
    for chunk, row in zip(chunks, rows, strict=True):
        steps += abs(int(chunk.solid[row]) - end)
        back += int(chunk.start[row]) <= last
        last, end = int(chunk.start[row]), int(chunk.solid[row]) + chunk.length
    return steps + abs(size - end), back


def least(chunks: list[Occurrences], size: int) -> int:
    """What the best assignment costs."""
    every = [cost(chunks, rows, size) for rows in product(*(range(len(chunk.start)) for chunk in chunks))]
    rising = [steps for steps, back in every if not back]
    return min(rising) if rising else min(steps + back * size for steps, back in every)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Occurrences], int]:
    """Some chunks in a document whose every third character is white space."""
    size = draw(st.integers(12, 30))
    solid = np.cumsum(np.arange(size + 1) % 3 != 2) - (np.arange(size + 1) % 3 != 2)
    chunks = []
    for _ in range(draw(st.integers(1, 5))):
        length = draw(st.integers(0, 6))
        last = int(solid[size]) - length
        places = [place for place in range(size) if solid[place] <= last]
        starts = np.array(sorted(draw(st.sets(st.sampled_from(places), min_size=1, max_size=5))))
        chunks.append(Occurrences(starts, solid[starts], length))
    return chunks, int(solid[size])


@settings(max_examples=150)
@given(cases())
def test_no_assignment_costs_less(case: tuple[list[Occurrences], int]) -> None:
    """Starts rise where that is possible, and then, or else with a fine, the steps sum up to the least."""
    chunks, size = case
    found = assign(chunks, size)
    assert found is not None
    steps, back = cost(chunks, tuple(found.rows), size)
    assert steps + back * size == least(chunks, size)
    assert (assign(chunks, size, rising=True) is None) == bool(back)


def rows(*chunks: Occurrences, size: int) -> list[int]:
    """The occurrence of each chunk."""
    found = assign(chunks, size)
    assert found is not None
    return found.rows


def at(*places: int) -> Occurrences:
    """A chunk of five characters at some places of a text without white space."""
    return Occurrences(np.array(places), np.array(places), 5)


def test_the_copy_that_continues_the_sequence_is_meant() -> None:
    """A chunk that stands twice is the one between its neighbours."""
    assert rows(at(0), at(5, 20), at(10), at(5, 20), size=25) == [0, 0, 0, 1]


def test_of_equal_assignments_the_preferred_one_is_taken() -> None:
    """Without a sequence that decides, the choice is the caller's, else the nearest."""
    assert rows(at(5, 20), size=25) == [0]
    found = assign([at(5, 20)], 25, lambda _, ties, far: int(ties[far.argmax()]))
    assert found is not None
    assert found.rows == [1]


def test_steps_back_are_even_where_several_are_equal() -> None:
    """In a text that repeats itself chunks overlap alike, not the last ones more than the first."""
    everywhere = at(*range(26))
    assert rows(at(0), everywhere, everywhere, at(9), size=14) == [0, 3, 6, 0]


def test_nothing_is_assigned_without_chunks() -> None:
    """No chunks, no places."""
    assert rows(size=10) == []


@given(st.lists(st.integers(-9, 9), max_size=20), st.data())
def test_least_of_ranges(values: list[int], data: st.DataObject) -> None:
    """The least value of each range, as counted one by one."""
    ends = st.integers(0, len(values))
    pairs = [sorted(pair) for pair in data.draw(st.lists(st.tuples(ends, ends), max_size=9))]
    first, last = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    found = _least(np.array(values, np.int64), first, last)
    for low, high, value in zip(first.tolist(), last.tolist(), found.tolist(), strict=True):
        assert value == min(values[low:high], default=1 << 60)
