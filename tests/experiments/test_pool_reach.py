"""Pools as they were: what their runs bring, what is there anyway, against sets."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError, Judgments, Notices, Result, Run, Span, pool
from excerpt.experiments.pool_reach import Reach, read_reach
from excerpt.experiments.study import NEVER, Pooled
from excerpt.pooling import Pool, PoolItem

SPANS = [("1", Span("x", 0, 10)), ("1", Span("x", 20, 30)), ("1", Span("y", 0, 10)), ("2", Span("z", 5, 9))]
JUDGMENTS = Judgments.of(SPANS, irrelevant=[("2", "x")])


@st.composite
def items(draw: st.DrawFn) -> list[PoolItem]:
    """Items of judged and other documents, some sampled, some without runs, some results without offsets."""
    found = []
    pairs = st.sets(st.tuples(st.sampled_from("123"), st.sampled_from("xyzw")), min_size=1)
    for order, (topic, document) in enumerate(sorted(draw(pairs)), 1):
        runs = draw(st.sets(st.sampled_from("ab")).map(sorted))
        spans = st.sampled_from([(-1, -1), (0, 5), (8, 25), (12, 15), (30, 40), (0, 99)])
        passages = [
            tuple((rank, *draw(spans)) for rank in sorted(draw(st.sets(st.integers(1, 9), max_size=2))))
            for _ in runs
        ]
        stratum = draw(st.sampled_from(["depth", "sample"]))
        found.append(PoolItem(topic, document, order, stratum, Fraction(1), tuple(runs), tuple(passages)))
    return found


@given(items(), st.sampled_from(["document", "passage"]))
def test_reach_is_what_the_rows_say(given_items: list[PoolItem], unit: Pooled) -> None:
    """Each passage at the best rank of a result in its document, or that overlaps it."""
    made = Pool.of(given_items)
    judged = {(topic, span.document) for topic, span in SPANS} | {("2", "x")}
    if not any((item.topic, item.document) in judged for item in given_items):
        with pytest.raises(ExcerptError, match="found no document that is judged"):
            read_reach(made, JUDGMENTS, unit, Notices())
        return
    reach = read_reach(made, JUDGMENTS, unit, Notices())
    ranks = {name: [NEVER] * len(SPANS) for name in reach.runs}
    anyway = [False] * len(SPANS)
    for place, (topic, span) in enumerate(SPANS):
        for item in given_items:
            if (item.topic, item.document) != (topic, span.document):
                continue
            anyway[place] |= not item.runs
            for name, group in zip(item.runs, item.passages, strict=True):
                for rank, start, end in group or ((0, -1, -1),):
                    if unit == "document" or start < 0 or (start < span.end and span.start < end):
                        if item.stratum == "sample":
                            anyway[place] = True
                        else:
                            ranks[name][place] = min(rank, ranks[name][place])
    assert {name: row.tolist() for name, row in zip(reach.runs, reach.ranks, strict=True)} == ranks
    assert reach.anyway.tolist() == anyway


def test_passages_that_count_as_documents_are_told() -> None:
    """A pool of passages asked about documents says so."""
    notices = Notices()
    made = pool([Run.of("a", [Result("1", "x", 0, 5)])], unit="passage")
    read_reach(made, JUDGMENTS, "document", notices)
    assert list(notices) == ["pool is of passages, but counts here with all text of their documents"]


def test_files_of_other_judgments_are_named() -> None:
    """With their place."""
    with pytest.raises(ExcerptError, match="<bytes>: found no document that is judged, expected the pool"):
        read_reach(b"topic\tdocument\n9\tx\n", JUDGMENTS, "document", Notices())


def test_without_some_runs() -> None:
    """What the others reach."""
    reach = Reach(("a", "b"), np.array([[1, 5, NEVER], [NEVER, 2, NEVER]]), np.zeros(3, np.bool_))
    assert reach.within(None).tolist() == [True, True, False]
    assert reach.within(4).tolist() == [True, True, False]
    assert reach.within(4, np.array([False, True])).tolist() == [True, False, False]
