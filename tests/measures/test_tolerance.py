"""What is read of a document before patience is lost."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Topic, ratio
from strategies import spans

from excerpt.measures._tolerance import Layer, tolerance_to_irrelevance

_SPANS = st.lists(spans(), max_size=4)


def _layer(documents: list[list[tuple[int, int]]]) -> Layer:
    rows = [
        (number, *span) for number, listed in enumerate(documents) for span in listed if span[0] < span[1]
    ]
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return Layer(columns[:, 0], columns[:, 1], columns[:, 2])


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 45), _SPANS, _SPANS), min_size=1, max_size=4), st.integers(1, 30))
def test_reads_passages_then_the_rest_until_the_limit(
    documents: list[tuple[int, list[tuple[int, int]], list[tuple[int, int]]]], limit: int
) -> None:
    """For several documents at once it is what the oracle counts character by character for each."""
    sizes, shown, relevant = zip(*documents, strict=True)
    found = tolerance_to_irrelevance(np.array(sizes), _layer(list(shown)), _layer(list(relevant)), limit)
    for score, (size, returned, marked) in zip(found.tolist(), documents, strict=True):
        topic = Topic([("d", *span) for span in returned], {"d": marked}, {"d": size})
        read, good = topic.reading("d", limit)
        assert score == float(ratio(good, read))


def test_no_documents() -> None:
    """Nothing to read, nothing to score."""
    assert tolerance_to_irrelevance(np.zeros(0, np.int64), _layer([]), _layer([]), 300).tolist() == []
