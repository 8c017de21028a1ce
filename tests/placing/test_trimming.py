"""The longest part of a chunk that stands in a document."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.model.texts import fold
from excerpt.placing import trimming
from excerpt.placing.folding import Folded
from excerpt.placing.searched import Searched
from excerpt.placing.trimming import longest_part

WORDS = ["abcdefghijkl", "mnopqrstuvwx", "yz", "é", "some words of it"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


def longest(text: str, chunk: str) -> int:
    """The length of the longest part, one by one; 0 where it is less than half."""
    lengths = (
        end - start
        for start in range(len(chunk))
        for end in range(start + 1, len(chunk) + 1)
        if chunk[start:end] in text
    )
    found = max(lengths, default=0)
    return found if 2 * found >= len(chunk) else 0


@pytest.mark.parametrize("few", [0, 100])
@settings(max_examples=60)
@given(text=TEXTS, chunk=TEXTS)
def test_none_is_longer(few: int, text: str, chunk: str) -> None:
    """With and without an index, but for white space, a few letters at its borders, and what is short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trimming, "FEW", few)
        for folded in (Folded(text), Folded(text, by_hash=False)):
            found = longest_part(folded.searched, chunk)
            expected = longest(text, chunk)
            assert fold(found) == found
            assert found in text
            assert found in chunk
            assert len(found) <= expected
            assert len(found) >= expected - 10 or expected < 26


@pytest.mark.parametrize(
    ("text", "chunk", "part"),
    [
        ("Then the text itself. End.", "A title the text itself.", "the text itself."),
        ("Then the text itself. End.", "the text itself. [source: a.txt]", "the text itself."),
        ("We like the text itself.", "Title the text itself.", "the text itself."),  # not "e the text"
        ("We like the text itself.", "We like nothing at all.", ""),
        ("Then the text itself.", "Text", ""),
        ("It is somewhere.", "nowhere", ""),
        ("It is somewhere.", "Well: somewhere.", "somewhere."),
        (
            "Long words without any end to them",
            "Titlewords without any end to them",
            "words without any end to them",
        ),
        ("short", "longer than the text", ""),
        ("", "x", ""),
    ],
)
def test_parts(text: str, chunk: str, part: str) -> None:
    """Titles in front, notes behind, letters that happen to be the same, too little."""
    assert longest_part(Searched(text), chunk) == part


def test_of_equal_parts_the_last_is_taken() -> None:
    """Titles stand in front."""
    assert longest_part(Searched("abcd. efgh."), "abcd.efgh.") == "efgh."


def test_a_chunk_that_repeats_itself() -> None:
    """Its longest part may begin behind one that was found."""
    line = "any tenant pay rent notice any shall pay."
    text = f"{line} {line} {line} day any of rent tenant tenant. the rent of it all."
    assert longest_part(Searched(text), f"# Section 0: Zqx {text[:150]}") == text[:150]
