"""BM25: against its definition with sets and logarithms, and against bm25s where it is installed."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.trials.bm25 import BM25, best_of, fused, words

TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join), min_size=1, max_size=8)


def slow_scores(texts: list[str], question: str) -> list[float]:
    """Scores from the definition, one text at a time."""
    own = [words(text) for text in texts]
    mean = sum(map(len, own)) / len(own) or 1.0
    scores = []
    for text in own:
        counts, score = Counter(text), 0.0
        for word in words(question):
            having = sum(word in other for other in own)
            if counts[word]:
                idf = math.log(1 + (len(own) - having + 0.5) / (having + 0.5))
                damping = 1.2 * (1 - 0.75 + 0.75 * len(text) / mean)
                score += idf * counts[word] / (counts[word] + damping)
        scores.append(score)
    return scores


@given(TEXTS, st.lists(st.sampled_from("abcdefg"), max_size=5).map(" ".join))
def test_scores_are_those_of_the_definition(texts: list[str], question: str) -> None:
    """Words that a question repeats count as often; empty texts score 0."""
    assert BM25(texts).scores(question) == pytest.approx(slow_scores(texts, question), rel=1e-12, abs=0)


@given(TEXTS, st.lists(st.sampled_from("abcdefg"), max_size=5).map(" ".join), st.integers(1, 9))
def test_ranks(texts: list[str], question: str, most: int) -> None:
    """Best first, equal scores in the order of the texts, none without a word of the question."""
    index = BM25(texts)
    scores = index.scores(question)
    expected = sorted(
        (row for row in range(len(texts)) if scores[row] > 0), key=lambda row: (-scores[row], row)
    )
    rows, own = index.rank(question, most)
    assert rows.tolist() == expected[:most]
    assert own.tolist() == scores[rows].tolist()


@given(TEXTS, st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5).map(" ".join))
def test_ranks_as_bm25s(texts: list[str], question: str) -> None:
    """The library's scores of the same tokens are the same, so the ranks are."""
    bm25s = pytest.importorskip("bm25s", reason="bm25s comes with --thorough")
    tokens = [words(text) for text in texts]
    known = [word for word in words(question) if any(word in own for own in tokens)]
    if not known:
        return
    theirs = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    theirs.index(tokens, show_progress=False)
    scores = np.asarray(theirs.get_scores(known))
    own = BM25(texts)
    assert own.scores(question) == pytest.approx(scores.tolist(), rel=1e-12)
    assert own.rank(question, len(texts))[0].tolist() == best_of(own.scores(question), len(texts))[0].tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't PANIC: snake_case x2", ["don", "t", "panic", "snake_case", "x2"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("東京都 是 a", ["東京", "京都", "是", "a"]),
        ("ラーメンtea", ["ラー", "ーメ", "メン", "tea"]),
        ("ประเทศ", ["ปร", "ระ", "ะเ", "เท", "ทศ"]),
        ("한국어 문서", ["한국어", "문서"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    r"""`\w+` with folded case; pairs of characters where no spaces separate words."""
    assert words(text) == expected


def test_reciprocal_ranks() -> None:
    """1 / (60 + rank), summed."""
    found = fused([np.array([2, 0]), np.array([0])], 3)
    assert found.tolist() == [1 / 62 + 1 / 61, 0.0, 1 / 61]
