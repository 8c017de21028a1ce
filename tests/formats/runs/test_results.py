"""Columns of results: names in order of first appearance, parts put together."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from excerpt.formats.runs._results import Names, Results, joined, paired
from excerpt.model.run import encode


def names(*texts: str) -> Names:
    """Names of rows; "" is none."""
    distinct, code = encode([text for text in texts if text])
    column = np.full(len(texts), -1)
    column[[place for place, text in enumerate(texts) if text]] = code
    return Names(distinct, column)


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
    both = joined([names(*one), names(*two)], np.array(order, np.int64))
    assert texts(both) == [(one + two)[place] for place in order]
    kept = order[: len(order) // 2]
    assert texts(joined([names(*one), names(*two)], np.array(kept, np.int64))) == [
        (one + two)[k] for k in kept
    ]


def test_pairs() -> None:
    """Each distinct pair is a name."""
    assert texts(paired(names("a", "b", "a", "a"), names("x", "x", "y", "x"))) == ["a x", "b x", "a y", "a x"]
    assert texts(paired(names(), names())) == []


def test_fit() -> None:
    """Every name is looked at alone, whether or not others are odd; none is good in no row."""
    odd = re.compile("^-|-$", re.MULTILINE)
    assert names("a", "", "b").fit(odd).tolist() == [True, False, True]
    assert names("a", "-b", "c\nd", "c-", "a").fit(odd).tolist() == [True, False, False, False, True]
    assert names("").fit(odd).tolist() == [False]


def test_first() -> None:
    """The row of each name's first appearance."""
    assert names("", "b", "a", "b").first() == {"b": 1, "a": 2}


def test_with_others() -> None:
    """Others come where they stood; without others nothing changes."""
    row = ("1", "A", "", 0, 5, True, 1, 0.5)
    some = Results.of([(*row, line) for line in (1, 4)])
    others = Results.of([("2", "B", "/a", -1, -1, False, 1, 0.5, line) for line in (2, 3, 5)])
    both = some.with_others(others, np.array([0, 2]))
    assert both.line.tolist() == [1, 2, 3, 4, 5]
    assert texts(both.topics) == ["1", "2", "2", "1", "2"]
    assert texts(both.paths) == ["", "/a", "/a", "", "/a"]
    assert some.with_others(Results.of([]), np.array([0, 0])) is some
