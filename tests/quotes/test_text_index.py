"""Search in folded text, and offsets in the original text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.model.texts import Hashes
from excerpt.quotes import text_index
from excerpt.quotes.text_index import SIZE, FoldedText, NgramIndex, SearchedText, find_all, is_part

TEXTS = st.text(alphabet="ab \n\u00a0\u2003\x1f", max_size=30)


@given(TEXTS)
def test_every_character_is_found_again(text: str) -> None:
    """A character of the folded text is the one at its position in the text, unless it is whitespace."""
    folded = FoldedText(text)
    for place, character in enumerate(folded.folded):
        if character != " ":
            solid = int(folded.solid(np.array([place]))[0])
            assert text[folded.offsets[solid]] == character
            assert folded.squeezed.text[solid] == character
    assert folded.size == sum(not character.isspace() for character in text)


WORDS = st.lists(st.sampled_from(["abcdefghijkl", "abc", "é", "\U0001f600", " "]), min_size=6, max_size=20)


@given(WORDS, st.data())
def test_all_places_are_found(words: list[str], data: st.DataObject) -> None:
    """As one finds them one by one, also between two places."""
    text = "abcdefghijkl".join(words)
    start = data.draw(st.integers(0, len(text) - SIZE))
    part = text[start : data.draw(st.integers(start + SIZE, len(text)))]
    expected = find_all(text, part).tolist()
    assert NgramIndex(text).find(part).tolist() == expected
    low, high = data.draw(st.integers(-3, len(text))), data.draw(st.integers(-3, len(text)))
    assert NgramIndex(text).find(part, low, high).tolist() == [
        place for place in expected if low <= place <= high
    ]


@pytest.mark.parametrize("collide", [False, True])
def test_many_places_are_compared(collide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that repeats itself has them all; what only begins alike is none, nor what has the same hash."""
    if collide:
        monkeypatch.setattr(
            Hashes, "stretches", lambda self, size: np.zeros(self.length - size + 1, np.uint64)
        )
        monkeypatch.setattr(
            text_index, "hashes_of", lambda joined, size: np.zeros(len(joined) // size, np.uint64)
        )
    text = "the same line, " * 50 + "the same line. "
    found = NgramIndex(text).find("the same line, the same line,")
    assert found.tolist() == list(range(0, 15 * 49, 15))


def test_what_is_not_there() -> None:
    """No place."""
    assert NgramIndex("the same line of text").find("another line of text").tolist() == []


def test_hashes_compare_stretches_of_any_length() -> None:
    """Equal texts have equal hashes at any position."""
    text = Hashes("one two one two")
    assert text.of(np.array([0]), 7).tolist() == text.of(np.array([8]), 7).tolist()
    assert text.of(np.array([0]), 7).tolist() != text.of(np.array([1]), 7).tolist()
    assert len(text.stretches(SIZE)) == 15 - SIZE + 1


SEARCHED_TEXTS = st.text(alphabet="ab ", max_size=30)


@given(SEARCHED_TEXTS, st.text(alphabet="ab ", min_size=1, max_size=4))
def test_searched_all_places_are_found(text: str, part: str) -> None:
    """Also those that overlap."""
    expected = [place for place in range(len(text)) if text.startswith(part, place)]
    assert find_all(text, part).tolist() == expected
    assert SearchedText(text).find(part, 2, 9).tolist() == [place for place in expected if 2 <= place <= 9]


def test_an_index_is_made_when_it_index_for_it() -> None:
    """It gives the same."""
    line = "the line of text, "
    plain, indexed = SearchedText(line * 9), SearchedText(line * 9)
    indexed._work_left = -1
    assert plain._index_for(line) is None
    assert indexed._index_for(line) is not None
    for text in (plain, indexed):
        assert text.find(line, 1, 40).tolist() == [18, 36]
        assert text.near(line, 150) == -1
        assert text.near(line, 19) == 36
        assert text.first(line) == 0
        assert text.first("another line of text") == -1


@pytest.mark.parametrize(
    ("chunk", "passage", "expected"),
    [
        ("T: ab", "ab", True),  # half of its characters
        ("Tx: ab", "ab", False),  # two of five
        ("T: abcdefghij", "abcdefghij T", False),
        (f"{'T' * 30}: {'ab' * 10}", "ab" * 10, True),  # 20 characters at the end
        (f"{'T' * 30}: {'ab' * 10}.", "ab" * 10, False),  # not at the end
        (f"{'T' * 30}: {'ab' * 9}c", "ab" * 9 + "c", False),  # 19 characters
    ],
)
def test_a_part_is_half_of_a_chunk_or_long(chunk: str, passage: str, expected: bool) -> None:
    """Less than half counts from 20 characters on, at the beginning or at the end."""
    assert is_part(chunk, passage) is expected
