"""Positions without white space, and the same words at other places."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt.model.spans import KeyedSpans
from excerpt.model.texts import Texts
from excerpt.view.ink import Ink, covers

INK = Ink(Texts({"A": "a b\n c", "B": " xx"}.get), ("A", "B", "gone"))


def test_positions_count_what_is_no_white_space() -> None:
    """By document, in any order; without a text all characters count."""
    document, position = np.array([1, 0, 2, 0, 0]), np.array([3, 6, 5, 1, 99])
    assert INK.at(document, position).tolist() == [2, 3, 5, 1, 96]
    assert INK.text(2) == ""


def test_places_of_folded_text() -> None:
    """Every place, also of occurrences that overlap."""
    ink = Ink(Texts({"A": "aa a\n\naa aa"}.get), ("A",))
    assert ink.places(0, "a a") == [1, 2, 4]
    assert ink.places(0, "") == []


def test_only_some_folded_texts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept changes nothing of what is found."""
    monkeypatch.setattr("excerpt.view.ink._ROOM", 5)
    monkeypatch.setattr("excerpt.view.ink._MOST_PLACES", 1)
    ink = Ink(Texts({"A": "a  b", "B": "b\na b"}.get), ("A", "B"))
    for _ in range(2):
        assert [ink.places(document, "a b") for document in (0, 1)] == [[0], [1]]
        assert [ink.places(document, "b") for document in (0, 1)] == [[1], [0, 2]]


def test_a_text_is_covered_at_one_place() -> None:
    """All of it, not half here and half there."""
    read = KeyedSpans.union([0, 0], [0, 10], [2, 14])
    assert not covers(read, 0, [0, 12], "abc")
    assert covers(read, 0, [0, 11], "a bc")
    assert not covers(read, 1, [0], "a")
