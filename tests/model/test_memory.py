"""Values that are remembered."""

from __future__ import annotations

import gc

from excerpt.model.memory import remember


class Value:
    """Something to compute from."""


def test_computed_once_for_each_value_and_parameters() -> None:
    """The same value and parameters are computed once, others anew."""
    calls = []

    @remember
    def count(value: Value, step: int = 1) -> int:
        calls.append((value, step))
        return len(calls)

    one, other = Value(), Value()
    assert [count(one), count(one), count(one, 2), count(one, step=2), count(other)] == [1, 1, 2, 3, 4]


def test_forgotten_with_the_value() -> None:
    """What was computed goes when the value goes."""
    left = []

    class Found:
        def __del__(self) -> None:
            left.append(1)

    @remember
    def find(value: Value) -> Found:
        return Found()

    value = Value()
    assert find(value) is find(value)
    del value
    gc.collect()
    assert left == [1]
