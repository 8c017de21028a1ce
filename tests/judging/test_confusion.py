"""Confusion of grades and kappa, against their definitions and against scikit-learn."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import judge_oracle

from excerpt.judging.confusion import WEIGHTS, Confusion

GRADES = st.lists(st.tuples(st.sampled_from([0, 1, 3, 10]), st.sampled_from([0, 1, 2, 10])), max_size=15)


def confusion(grades: list[tuple[int, int]]) -> Confusion:
    """The grades of two judges."""
    return Confusion.of(*np.array(grades, np.int64).reshape(-1, 2).T)


@given(GRADES)
def test_kappa_is_what_its_definition_says(grades: list[tuple[int, int]]) -> None:
    """With the distance of the grades themselves, also if some grade between them never occurs."""
    for power, weight in enumerate(WEIGHTS):
        assert confusion(grades).kappa(weight) == judge_oracle.kappa(grades, power)


@given(GRADES)
def test_every_document_is_counted(grades: list[tuple[int, int]]) -> None:
    """By the grade of the first, then of the second."""
    counts = Counter((str(one), str(two)) for one, two in grades)
    found = {(one, two): n for one, row in confusion(grades).to_dict().items() for two, n in row.items()}
    assert {pair: n for pair, n in found.items() if n} == counts


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_scikit_learn_agrees(grades: list[tuple[int, int]]) -> None:
    """Where it is installed, with grades without gaps, since it weighs by their places."""
    metrics = pytest.importorskip("sklearn.metrics", reason="sklearn is not installed")
    one, two = zip(*grades, strict=True)
    for name, weight in (("plain", None), ("linear", "linear"), ("quadratic", "quadratic")):
        own = confusion(grades).kappa(name)
        if own is not None:
            other = metrics.cohen_kappa_score(one, two, weights=weight, labels=range(4))
            assert float(own) == pytest.approx(other, abs=1e-12)
