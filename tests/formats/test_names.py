"""Names of rows: in order of first appearance, from several parts, in pairs."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from excerpt.formats.names import Names, join_names, pair_names


def names(*texts: str) -> Names:
    """Names of rows; "" is none."""
    return Names.of(texts)


def texts(given_names: Names) -> list[str]:
    """The name of each row; names must be distinct and in order of first appearance."""
    listed = [given_names.distinct[code] if code >= 0 else "" for code in given_names.code.tolist()]
    assert tuple(dict.fromkeys(filter(None, listed))) == given_names.distinct
    return listed


lists = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=8)


@given(lists, lists, st.randoms(use_true_random=False))
def test_parts_and_orders(one: list[str], two: list[str], rng: object) -> None:
    """Rows keep their names in whatever order they are taken and from whatever part they come."""
    order = list(range(len(one) + len(two)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    both = join_names([names(*one), names(*two)], np.array(order, np.int64))
    assert texts(both) == [(one + two)[place] for place in order]
    kept = order[: len(order) // 2]
    assert texts(join_names([names(*one), names(*two)], np.array(kept, np.int64))) == [
        (one + two)[k] for k in kept
    ]


def test_pairs() -> None:
    """Each distinct pair is a name."""
    assert texts(pair_names(names("a", "b", "a", "a"), names("x", "x", "y", "x"))) == [
        "a x",
        "b x",
        "a y",
        "a x",
    ]
    assert texts(pair_names(names(), names())) == []


def test_fit() -> None:
    """Every name is looked at alone, whether or not others are odd; none is good in no row."""
    odd = re.compile("^-|-$", re.MULTILINE)
    assert names("a", "", "b").fit(odd).tolist() == [True, False, True]
    assert names("a", "-b", "c\nd", "c-", "a").fit(odd).tolist() == [True, False, False, False, True]
    assert names("").fit(odd).tolist() == [False]


def test_first() -> None:
    """The row of each name's first appearance."""
    assert names("", "b", "a", "b").first() == {"b": 1, "a": 2}


def test_no_name() -> None:
    """An empty text is -1 and no part of the names, wherever it stands."""
    assert Names.of(["a", "", "b", "a"]).code.tolist() == [0, -1, 1, 0]
    assert Names.of(["", "a"]).distinct == ("a",)
    assert Names.of([""]).code.tolist() == [-1]
