"""Values of options, as text and as they are in records."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from excerpt.experiments import values
from excerpt.experiments.values import differences, names, numbers, per_cent, share, whole


@pytest.mark.parametrize(
    ("check", "given", "found"),
    [
        (whole, "12", 12),
        (share, "0.5", 0.5),
        (numbers, "3, 1,3", (3, 1)),
        (per_cent, [80, 20], (80, 20)),
        (values.tests, "t,sign,t", ("t", "sign")),
        (names, " a , b", ("a", "b")),
        (differences, 0.05, (0.05,)),
        (differences, "0.1, 0.2,0.1", (0.1, 0.2)),
        (differences, [1], (1.0,)),
    ],
)
def test_values(check: Callable[[Any], Any], given: Any, found: Any) -> None:
    """Text and values mean the same; what is said twice counts once."""
    assert check(given) == found


@pytest.mark.parametrize(
    ("check", "given"),
    [
        *((whole, value) for value in ("0", "x", True, 1.5, "9" * 5000)),
        (partial(whole, most=5), "6"),
        *((share, value) for value in ("1", None, "nan")),
        *((differences, value) for value in ("", "0", "-1", "inf", "nan", None, [], ["x"])),
        (per_cent, "101"),
        (names, 3),
        (values.tests, ""),
    ],
)
def test_what_values_cannot_be(check: Callable[[Any], Any], given: Any) -> None:
    """Found and expected, in one line."""
    with pytest.raises(ValueError, match=r"found .*, expected"):
        check(given)
