"""What was computed of a value, kept as long as the value lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Value = TypeVar("Value")
Found = TypeVar("Found")
P = ParamSpec("P")

_everything: list[WeakKeyDictionary[Any, Any]] = []


def forget() -> None:
    """Forget all that was computed: what it was computed by has changed."""
    for known in _everything:
        known.clear()


def remember(compute: Callable[Concatenate[Value, P], Found]) -> Callable[Concatenate[Value, P], Found]:
    """Compute once for each value and parameters, for the first measure that asks.

    What is computed must not hold the value: else neither would ever be forgotten.
    """
    known: WeakKeyDictionary[Any, dict[object, Found]] = WeakKeyDictionary()
    _everything.append(known)

    @wraps(compute)
    def recall(value: Value, /, *parameters: P.args, **named: P.kwargs) -> Found:
        found = known.setdefault(value, {})
        key = (parameters, tuple(named.items()))
        if key not in found:
            found[key] = compute(value, *parameters, **named)
        return found[key]

    return recall
