"""Where texts stand in a long one, by hashes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.placing import grams
from excerpt.placing.grams import SIZE, Grams, Hashes
from excerpt.placing.searched import find_all

WORDS = st.lists(st.sampled_from(["abcdefghijkl", "abc", "é", "\U0001f600", " "]), min_size=6, max_size=20)


@given(WORDS, st.data())
def test_all_places_are_found(words: list[str], data: st.DataObject) -> None:
    """As one finds them one by one, also between two places."""
    text = "abcdefghijkl".join(words)
    start = data.draw(st.integers(0, len(text) - SIZE))
    part = text[start : data.draw(st.integers(start + SIZE, len(text)))]
    expected = find_all(text, part).tolist()
    assert Grams(text).find(part).tolist() == expected
    low, high = data.draw(st.integers(-3, len(text))), data.draw(st.integers(-3, len(text)))
    assert Grams(text).find(part, low, high).tolist() == [place for place in expected if low <= place <= high]


def test_many_places_are_compared_by_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that repeats itself has them all; what only begins alike is none."""
    monkeypatch.setattr(grams, "FEW", 3)
    text = "the same line, " * 50 + "the same line. "
    found = Grams(text).find("the same line, the same line,")
    assert found.tolist() == list(range(0, 15 * 49, 15))


def test_what_is_not_there() -> None:
    """No place."""
    assert Grams("the same line of text").find("another line of text").tolist() == []


def test_hashes_compare_stretches_of_any_length() -> None:
    """Equal texts have equal hashes, wherever they stand."""
    text = Hashes("one two one two")
    assert text.of(np.array([0]), 7).tolist() == text.of(np.array([8]), 7).tolist()
    assert text.of(np.array([0]), 7).tolist() != text.of(np.array([1]), 7).tolist()
    assert len(text.stretches()) == 15 - SIZE + 1
