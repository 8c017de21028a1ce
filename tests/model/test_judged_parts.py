"""Judgments of several files."""

from __future__ import annotations

import pytest

import excerpt
from excerpt.errors import FormatError
from excerpt.model import Judgments, Span


def test_grades_stay_with_their_pairs() -> None:
    parts = [excerpt.read_judgments(text) for text in (b"1 0 B 2\n1 0 A 0\n", b"2 0 A -1\n2 0 C 3\n")]
    together = Judgments.together(parts)
    assert together.grades is not None
    pairs = zip(together.pair_topic.tolist(), together.pair_document.tolist(), strict=True)
    found = {
        (together.topics[topic], together.documents[document]): grade
        for (topic, document), grade in zip(pairs, together.grades.tolist(), strict=True)
    }
    assert found == {("1", "B"): 2, ("1", "A"): 0, ("2", "A"): -1, ("2", "C"): 3}


def test_a_topic_is_in_one_part_only() -> None:
    part = Judgments.of([("1", Span("A", 0, 5))])
    with pytest.raises(FormatError, match="found topic 1, which another part has too"):
        Judgments.together([part, part])
