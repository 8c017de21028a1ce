"""Whitespace of texts."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from excerpt.model.texts import Texts, blanks


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(" \t\n\x1c\x85\xa0\u2003\u3000😀"))))
def test_blanks_are_what_python_calls_space(text: str) -> None:
    assert blanks(text).tolist() == [place for place, character in enumerate(text) if character.isspace()]


def test_what_is_no_white_space_is_counted() -> None:
    texts = Texts({"A": " ab  c "}.get)
    start, end = np.array([0, 1, 3]), np.array([7, 4, 5])
    assert texts.count("A", start, end).tolist() == [3, 2, 0]
    assert texts.count("B", start, end).tolist() == [7, 3, 2]
    again = pickle.loads(pickle.dumps(texts))
    assert again.count("A", start, end).tolist() == [3, 2, 0]


@given(
    st.text(alphabet="ab \n\u3000"), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), min_size=1)
)
def test_words_are_those_that_split_finds(text: str, given_: list[tuple[int, int]]) -> None:
    start = np.array([at for at, _ in given_])
    end = start + np.array([length for _, length in given_])
    place = np.zeros(len(start), np.int64)
    expected = [len(text[a:b].split()) for a, b in zip(start.tolist(), end.tolist(), strict=True)]
    assert Texts({"A": text}.get).words(["A"], place, start, end).tolist() == expected


def test_spans_of_several_documents_are_asked_together() -> None:
    texts = Texts({"A": "a b", "B": "  c d"}.get)
    document, start, end = np.array([1, 0, 2, 1]), np.array([0, 0, 0, 3]), np.array([3, 3, 4, 9])
    assert texts.counts("ABC", document, start, end).tolist() == [1, 2, 4, 5]
    assert texts.words("ABC", document, start, end).tolist() == [1, 2, -1, 1]
    nothing = np.zeros(0, np.int64)
    assert texts.counts("ABC", nothing, nothing, nothing).tolist() == []


@given(
    st.text(alphabet="ab \n", max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9)), min_size=1),
)
def test_white_space_at_the_borders_of_spans_is_left_out(text: str, given_: list[tuple[int, int]]) -> None:
    start = np.array([at for at, _ in given_])
    end = start + np.array([length for _, length in given_])
    low, high = Texts({"A": text}.get).trimmed(["A"], np.zeros(len(start), np.int64), start, end)
    padded = text.ljust(30, "x")
    for a, b, first, last in zip(*(column.tolist() for column in (start, end, low, high)), strict=True):
        solid = [at for at in range(a, b) if not padded[at].isspace()]
        assert list(range(first, last))[:1] == solid[:1]
        assert list(range(first, last))[-1:] == solid[-1:]
