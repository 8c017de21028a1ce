"""Distinct rows: what a dictionary finds, whatever the hash does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.model import distinct as module
from excerpt.model.distinct import distinct, first_rows

_SMALL = st.integers(-3, 3)
_LARGE = st.integers(-(2**63), 2**63 - 1)
_ROWS = st.lists(st.tuples(_SMALL, st.one_of(_SMALL, _LARGE)), max_size=300)


def expected(rows: Sequence[tuple[int, ...]]) -> list[int]:
    """For each row the first one that equals it."""
    seen: dict[tuple[int, ...], int] = {}
    return [seen.setdefault(row, number) for number, row in enumerate(rows)]


def columns(rows: list[tuple[int, int]]) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """The rows as two columns."""
    return [np.array([row[place] for row in rows], np.int64) for place in (0, 1)]


@given(_ROWS)
def test_rows_lead_to_the_first_equal_row(rows: list[tuple[int, int]]) -> None:
    """Two columns count as one value."""
    assert first_rows(*columns(rows)).tolist() == expected(rows)


@given(_ROWS)
def test_numbers_follow_the_first_appearance(rows: list[tuple[int, int]]) -> None:
    """Numbers from 0 on, and the row where each of them begins."""
    opens, codes = distinct(*columns(rows))
    numbers = list(dict.fromkeys(expected(rows)))
    assert opens.tolist() == numbers
    assert codes.tolist() == [numbers.index(first) for first in expected(rows)]


@pytest.mark.parametrize("multipliers", [(0,), (0, 0), (1 << 63,), (0, 1 << 60, 0x9E3779B97F4A7C15)])
def test_a_bad_hash_only_costs_time(monkeypatch: pytest.MonkeyPatch, multipliers: tuple[int, ...]) -> None:
    """Where all rows fall into one slot, or into a few, the rest is sorted."""
    monkeypatch.setattr(module, "_MULTIPLIERS", multipliers)
    values = np.random.default_rng(5).integers(0, 700, 3000)
    assert first_rows(values).tolist() == expected([(value,) for value in values.tolist()])


def test_many_rows_with_few_collisions() -> None:
    """At the size of a run, some values share a slot and go through the second pass."""
    values = np.random.default_rng(6).integers(0, 50_000, 100_000)
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    assert np.array_equal(first_rows(values), first[inverse])
