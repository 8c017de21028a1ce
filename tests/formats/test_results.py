"""Results as columns: names of rows, parts put together, paths that become spans."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.formats.results import Names, Results, find_spans, join_names, pair_names
from excerpt.formats.runs import fol
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex


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


Open = Callable[..., Source]


def test_merge() -> None:
    """Others come where they stood; without others nothing changes."""
    row = ("1", "A", "", 0, 5, True, 1, 0.5)
    some = Results.of([(*row, line) for line in (1, 4)])
    others = Results.of([("2", "B", "/a", -1, -1, False, 1, 0.5, line) for line in (2, 3, 5)])
    both = some.merge(others, np.array([0, 2]))
    assert both.line.tolist() == [1, 2, 3, 4, 5]
    assert both.topics.code.tolist() == [0, 1, 1, 0, 1]
    assert both.paths.code.tolist() == [-1, 0, 0, -1, 0]
    assert some.merge(Results.of([]), np.array([0, 0])) is some


def test_only_rows_without_a_span_are_looked_up(opened: Open, index: OffsetIndex) -> None:
    """Spans that the file gives stay; without an index the run is one of elements if a path is needed."""
    given = ("1", "A", "", 3, 9, True, 1, 0.5, 1)
    path = ("1", "A", "/article[1]/name[1]", -1, -1, False, 2, 0.4, 2)
    results = Results.of([given, path])
    run = results.to_run(opened("x", index=index), "r")
    assert (run.start.tolist(), run.end.tolist(), run.kind) == ([3, 0], [9, 5], "spans")
    assert results.start.tolist() == [3, -1]
    run = results.to_run(opened("x"), "r")
    assert (run.start.tolist(), run.end.tolist(), run.kind) == ([3, -1], [9, -1], "elements")
    assert Results.of([given]).to_run(opened("x"), "r").kind == "spans"


def test_blocks_of_a_topic_are_joined(opened: Open) -> None:
    """Results of a topic that stand apart come together in the order of the file, with a notice."""
    source = opened(
        "".join(f"{topic} Q0 {document} 1 1 r 0 5\n" for topic, document in ("1A", "2B", "1C", "2D"))
    )
    run = fol.read(source)
    assert [(result.topic, result.document) for result in run] == [
        ("1", "A"),
        ("1", "C"),
        ("2", "B"),
        ("2", "D"),
    ]
    assert run.line.tolist() == [1, 3, 2, 4]
    assert list(source.notices) == [
        "topic's results are in several blocks, which were joined (2 times, first: topic 1 of f)"
    ]


@pytest.mark.parametrize(
    ("topics", "count"),
    [("112233", 0), ("121", 1), ("1212", 2), ("12321", 2), ("1", 0), ("", 0), ("11211", 1)],
)
def test_notice_counts_topics_not_blocks(opened: Open, topics: str, count: int) -> None:
    """Every topic with more than one block counts once."""
    source = opened("x")
    Results.of([(topic, "A", "", 0, 5, True, 1, 0.5, 1) for topic in topics]).to_run(source, "r")
    assert sum(source.notices._kinds[kind].times for kind in source.notices._kinds) == count


PATHS = ("/article[1]/name[1]", "/article[1]/bdy[1]/p[1] /article[1]/bdy[1]/p[1]/text()[2].2", "/x[1]")


def test_paths_and_pointers_mixed(index: OffsetIndex) -> None:
    """Each row gets its own span; unknown paths and documents get -1."""
    document, path = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 1])
    start, end = find_spans(index, ("A", "nowhere"), document, PATHS, path)
    assert start.tolist() == [0, 5, -1, -1, -1]
    assert end.tolist() == [5, 16, -1, -1, -1]


def test_no_rows(index: OffsetIndex) -> None:
    """An empty run has no spans."""
    none = np.zeros(0, np.int64)
    start, end = find_spans(index, (), none, (), none)
    assert len(start) == len(end) == 0
