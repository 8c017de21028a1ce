"""Results as columns: parts put together, paths that become spans, topics in several blocks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from excerpt.formats.results import Results
from excerpt.formats.runs import fol
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex

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
        "topic's results stand in several blocks, they were joined (2 times, first: topic 1 of f)"
    ]


@pytest.mark.parametrize(
    ("topics", "count"),
    [("112233", 0), ("121", 1), ("1212", 2), ("12321", 2), ("1", 0), ("", 0), ("11211", 1)],
)
def test_notice_counts_topics_not_blocks(opened: Open, topics: str, count: int) -> None:
    """Every topic with more than one block counts once."""
    source = opened("x")
    Results.of([(topic, "A", "", 0, 5, True, 1, 0.5, 1) for topic in topics]).to_run(source, "r")
    assert sum(source.notices._kinds[kind].count for kind in source.notices._kinds) == count
