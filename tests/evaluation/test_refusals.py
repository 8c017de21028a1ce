"""Values of ours, and of others, that are neither runs nor judgments."""

from __future__ import annotations

from typing import Any

import pytest

import excerpt
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError

CORPUS = Corpus({"A": "some text"})
CHUNKS = CORPUS.place({"A": ["some"]})
GOLD = [("1", "A", 0, 4)]

WRONG: list[tuple[Any, Any, str]] = [
    (GOLD, CHUNKS, r"found Chunks, expected a run or judgments; chunks\.run\(results\) makes a run"),
    (GOLD, {"mine": CHUNKS}, "found Chunks, expected"),
    (GOLD, [CHUNKS], "found Chunks, expected"),
    (GOLD, CORPUS, r"found Corpus, expected a run or judgments; give it as corpus="),
    (CORPUS, GOLD, "found Corpus, expected"),
    (GOLD, 5, "found a value of type int, expected a Run"),
    (5, GOLD, "found a value of type int, expected Judgments"),
]


@pytest.mark.parametrize(("gold", "run", "said"), WRONG)
def test_what_is_no_run(gold: Any, run: Any, said: str) -> None:
    """One sentence that says what to do."""
    with pytest.raises(ExcerptError, match=said):
        excerpt.evaluate(gold, run, "recall@5")
