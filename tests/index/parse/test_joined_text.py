"""Documents joined to one text, and places in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.index.parse.joined_text import Doubtful, JoinedText, select_outside


def test_doubts_belong_to_documents() -> None:
    """A place tells its document, also at the very edges."""
    joined = JoinedText([b"ab", b"c", b"def"])
    assert joined.documents_at(np.array([0, 1, 2, 3, 5])).tolist() == [0, 0, 1, 2, 2]
    joined.settle()
    joined.doubt(np.array([2], np.int64))
    with pytest.raises(Doubtful) as caught:
        joined.settle()
    assert caught.value.documents.tolist() == [False, True, False]


@given(
    places=st.sets(st.integers(0, 40)),
    cuts=st.lists(st.integers(0, 40), max_size=8, unique=True).filter(lambda cuts: len(cuts) % 2 == 0),
)
def test_places_outside_of_ranges(places: set[int], cuts: list[int]) -> None:
    """Those that are in no range, in order."""
    ranges = sorted(cuts)
    begin, end = np.array(ranges[::2], np.int64), np.array(ranges[1::2], np.int64)
    found = select_outside(np.array(sorted(places), np.int64), begin, end)
    inside = {place for low, high in zip(begin, end, strict=True) for place in range(low, high)}
    assert found.tolist() == sorted(places - inside)
