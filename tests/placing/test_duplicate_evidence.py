"""Evidence at other places: rolling hashes against looking everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Judgments, Span
from excerpt.model import duplicate_evidence
from excerpt.model.texts import Hashes
from excerpt.placing.duplicate_evidence import count_elsewhere

WORDS = ["the rent is due ", "on the first day ", "every month; ", "é😀", "x"]
texts = st.lists(st.sampled_from(WORDS), min_size=3, max_size=14).map("".join)


@given(texts, texts, st.integers(0, 60), st.integers(1, 90))
def test_places_agree_with_looking_everywhere(one: str, two: str, start: int, length: int) -> None:
    """Each passage, at every unmarked place of both texts; shorter ones only where they are asked for."""
    if start + length > len(one):
        return
    judgments = Judgments.of([("1", Span("a", start, start + length))], irrelevant=[("1", "b")])
    said = one[start : start + length]
    places = [
        (document, at)
        for document, text in enumerate((one, two))
        for at in range(len(text))
        if text.startswith(said, at) and (document == 1 or at + length <= start or at >= start + length)
    ]
    for shortest in (1, 40):
        found = count_elsewhere(judgments, [0, 1], lambda number: (one, two)[number], shortest=shortest)
        assert found is not None
        assert found.tolist() == [len(places) if length >= shortest else 0]


def test_short_passages_and_missing_texts_count_nothing() -> None:
    """39 characters are too few; a passage beyond the end of its text has none."""
    judgments = Judgments.of([("1", Span("a", 0, 39)), ("1", Span("b", 0, 50)), ("2", Span("b", 0, 45))])
    found = count_elsewhere(judgments, [0, 1], lambda number: "y" * 45 if number else None)
    assert found is not None
    assert found.tolist() == [0, 0, 0]


def test_too_much_text_is_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """None means that duplicates were not searched."""
    monkeypatch.setattr(duplicate_evidence, "MOST_TEXT", 99)
    judgments = Judgments.of([("1", Span("a", 0, 50))])
    assert count_elsewhere(judgments, [0], lambda _: "a" * 100) is None


def test_a_million_dashes_are_read_quickly() -> None:
    """Equal windows everywhere: as many as a limit are compared."""
    judgments = Judgments.of([("1", Span("a", 0, 50))])
    found = count_elsewhere(judgments, [0], lambda _: "-" * 1_000_000)
    assert found is not None
    assert 0 < found[0] <= 500


@given(texts)
def test_equal_windows_have_equal_hashes(text: str) -> None:
    """Whatever comes before them."""
    hashes = Hashes(text).stretches(5).tolist()
    windows = [text[at : at + 5] for at in range(len(text) - 4)]
    assert len(hashes) == len(windows)
    assert len(set(hashes)) == len(set(windows))
