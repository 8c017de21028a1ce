"""Alpha of highlighted text against the formulas of the book, section by section."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import judge_oracle
from support.span_sets import characters, spans_of

from excerpt.judging.unitizing import alpha_u
from excerpt.model.spans import KeyedSpans

LENGTHS = {"A": 9, "B": 14, "C": 1}
MARKED = st.fixed_dictionaries({name: st.sets(st.integers(0, size - 1)) for name, size in LENGTHS.items()})


def computed(judges: list[dict[str, set[int]]], lengths: dict[str, int]) -> Fraction | None:
    """Alpha of the columns of these judges; a document that is not there was not seen."""
    names = list(lengths)
    seen = [(at, *pair) for at, judge in enumerate(judges) for pair in judge.items()]
    rows = [(at, names.index(name), marked) for at, name, marked in seen]
    spans = [(row, *span) for row, (_, _, marked) in enumerate(rows) for span in spans_of(marked)]
    judge, document = (np.array([row[at] for row in rows], np.int64) for at in (0, 1))
    size = np.array(list(lengths.values()), np.int64)
    return alpha_u(judge, document, KeyedSpans.union(*np.array(spans, np.int64).reshape(-1, 3).T), size)


@given(st.lists(MARKED, min_size=2, max_size=4))
def test_alpha_is_what_the_book_says(judges: list[dict[str, set[int]]]) -> None:
    """Every judge saw every document."""
    assert computed(judges, LENGTHS) == judge_oracle.alpha_u(judges, LENGTHS)


@given(st.lists(MARKED, min_size=2, max_size=3), MARKED)
def test_a_document_of_one_judge_does_not_count(
    judges: list[dict[str, set[int]]], more: dict[str, set[int]]
) -> None:
    """Nor what it is marked with."""
    alone = [{**judge, "D": characters([[2, 5]])} if at == 0 else judge for at, judge in enumerate(judges)]
    assert computed(alone, {**LENGTHS, "D": 30}) == computed(judges, LENGTHS)
    assert computed([*judges, {"D": more["A"]}], {**LENGTHS, "D": 30}) == computed(judges, LENGTHS)


def test_missing_judgments_by_hand() -> None:
    """Ann and bob saw A, all three B: of 10 and of 20 characters; ann marked [0, 4) of A, the others nothing.

    Observed is 2 · 4² / (2 - 1) in A. Of 2·10 + 3·20 = 80 characters in all, the unit of 4 is expected in
    gaps of 6, 10, 20, 20 and 20, at 3, 7 and 3 · 17 places: 4² · 61.
    """
    judges = [{"A": {0, 1, 2, 3}, "B": set[int]()}, {"A": set[int](), "B": set[int]()}, {"B": set[int]()}]
    expected = 1 - Fraction(2 * 16 * (80 * 79 - 4 * 3), 2 * 80 * 16 * 61)
    assert computed(judges, {"A": 10, "B": 20}) == expected


@pytest.mark.parametrize(
    ("judges", "found"),
    [
        ([{"A": {1, 2}}, {"A": {1, 2}}], 1),
        ([{"A": set()}, {"A": set()}], None),
        ([{"A": {1}}], None),
        ([], None),
    ],
)
def test_edges(judges: list[dict[str, set[int]]], found: int | None) -> None:
    """The same text is full agreement; without text, or another judge, there is none to measure."""
    assert computed(judges, LENGTHS) == found


def test_documents_of_any_length() -> None:
    """Cubes of lengths exceed 64 bits."""
    size = 2**31 - 1
    spans = KeyedSpans.union([0, 1], [0, 0], [size // 2, size])
    found = alpha_u(np.array([0, 1]), np.array([0, 0]), spans, np.array([size]))
    b, c, total = size // 2, size, 2 * size
    expected = sum((2 * x**3 - 3 * x**2 + x) // 3 for x in (b, c)) + b * b * (size - b - b + 1)
    below = total * (total - 1) - b * (b - 1) - c * (c - 1)
    assert found == 1 - Fraction(2 * (c - b) ** 2 * below, 2 * total * expected)
