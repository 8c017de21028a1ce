"""Runs and judgments from values: accepted where they are clear, else refused in one sentence."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from excerpt import ExcerptError, Judgments, Run, Span

RESULTS: list[tuple[Any, str]] = [
    (3, "found 3, expected results: topic, document, start, end, and perhaps score and path"),
    ("abc", "found 'abc', expected results"),
    ([("1", "A", 0, 10, "x")], "found 'x' as score, expected a number or None"),
    ([("1", "A", 0, 10, float("nan"))], "found nan as score, expected a number or None"),
    ([("1", "A", True, 10)], "found True as start in document A of topic 1, expected a whole number"),
    ([("1", "A", 0, np.True_)], "as end in document A of topic 1, expected a whole number"),
    ([("1", "A", 0.5, 10)], "found 0.5 as start in document A of topic 1, expected a whole number"),
    (
        [("1", "A", 0, 2**70)],
        "found 1180591620717411303424 as end in document A of topic 1, expected at most",
    ),
    ([("1", "A", 9, 5)], "found span [9, 5) in document A of topic 1, expected 0 <= start <= end"),
    ([(None, "A", 0, 10)], "found None as topic, expected text"),
    ([("1", 0.5, 0, 10)], "found 0.5 as document, expected text"),
    ([("1", "A", 0, 10, 1.0, 0.5)], "found 0.5 as path, expected text"),
]


@pytest.mark.parametrize(("given", "said"), RESULTS, ids=str)
def test_results_that_are_none(given: Any, said: str) -> None:
    """What cannot be a result is an error in one sentence, with its place where that is known."""
    with pytest.raises(ExcerptError, match=re.escape(said)):
        Run.of("r", given)


def test_names_of_runs_and_kinds() -> None:
    """The name of a run is text or a number, its kind one of those that are known."""
    assert Run.of(3, []).name == "3"  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="found None as name of a run, expected text"):
        Run.of(None, [])  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="unknown kind of run 'span'; did you mean 'spans'"):
        Run.of("r", [], kind="span")  # type: ignore[arg-type]


def test_numbers_as_names() -> None:
    """A number is the name that it is written as, on both sides."""
    assert Run.of("r", [(1, "A", 0, 10)]).topics == ("1",)
    assert Judgments.of([(np.int64(1), "A", 0, 10)]).topics == ("1",)


def test_judgments_from_plain_values() -> None:
    """Topic, document, start and end are as good as a topic and a span."""
    plain, spans = Judgments.of([("1", "A", 0, 10)]), Judgments.of([("1", Span("A", 0, 10))])
    assert plain.highlights("1") == spans.highlights("1") == [Span("A", 0, 10)]


@pytest.mark.parametrize("given", [3, "abc", ["abc"], [("1", "A")], [("1", "A", 0)]], ids=str)
def test_judgments_that_are_none(given: Any) -> None:
    """What cannot be judgments is an error that shows what they are made of."""
    with pytest.raises(ExcerptError, match=r"expected .*topic, document, start, end"):
        Judgments.of(given)
