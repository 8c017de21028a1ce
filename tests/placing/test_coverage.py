"""How much of a corpus chunks cover."""

from __future__ import annotations

import numpy as np

from excerpt import Corpus
from excerpt.placing.coverage import count_seen


def test_characters_are_counted_once() -> None:
    """Also where chunks overlap, and where a document has two names; lost chunks cover nothing."""
    corpus = Corpus({"A": "a b c d", "B": "e f"})
    document, start, end = np.array([0, 1, 1, 0]), np.array([0, 2, 2, -1]), np.array([3, 3, 5, -1])
    assert count_seen(corpus, ["A", "A"], document, start, end) == (3, 6)


def test_no_chunks() -> None:
    """They cover nothing."""
    nothing = np.zeros(0, np.int64)
    assert count_seen(Corpus({"A": "a b"}), [], nothing, nothing, nothing) == (0, 2)
