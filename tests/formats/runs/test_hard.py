"""Runs of TREC HARD: FOL columns that count bytes."""

from __future__ import annotations

from excerpt import Corpus, read_run
from excerpt.model import Result


def test_bytes_become_characters() -> None:
    """With a corpus; without one they stay bytes, as FOL runs are read."""
    data = b"HARD-1 Q0 A 1 9 mine 2 3\nHARD-1 Q0 A 2 8 mine X 0\n"
    run = read_run(data, format="trec-hard", corpus=Corpus({"A": "éé!"}))
    assert list(run) == [Result("HARD-1", "A", 1, 3, 9.0), Result("HARD-1", "A", -1, -1, 8.0)]
