"""Placed results: overlap and documents, whatever is relevant."""

from __future__ import annotations

import pytest

from excerpt import Judgments, Notices, Policy, Result, Run, Span
from excerpt.errors import PolicyError
from excerpt.model.joined import join
from excerpt.model.placed import Placed

JUDGMENTS = Judgments.of([("1", Span("a", 10, 30))], irrelevant=[("2", "b")])
#: The second result repeats [20, 40) of the first.
OVERLAPPING = Run.of("r", [Result("1", "a", 0, 40), Result("1", "a", 20, 60), Result("2", "b", 0, 5)])


def place(run: Run, **policy: str) -> Placed:
    """The results of a run beside the judgments."""
    return join(run, JUDGMENTS, Policy(**policy), Notices()).placed  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("overlap", "counted", "read"),
    [
        ("first", [40, 20, 5], [40, 60, 5]),
        ("penalise", [40, 40, 5], [40, 80, 5]),
        ("allow", [40, 40, 5], [40, 80, 5]),
    ],
)
def test_what_is_read_again(overlap: str, counted: list[int], read: list[int]) -> None:
    """Under `first` a character is read once, under the others as often as it is shown."""
    placed = place(OVERLAPPING, overlap=overlap)
    assert placed.counted_size.tolist() == counted
    assert placed.read.tolist() == read
    assert placed.new_size.tolist() == [40, 20, 5]


def test_overlap_is_refused() -> None:
    """Nothing that counts what was read can be had of a run with overlap under `error`."""
    for name in ("counted_size", "read"):
        with pytest.raises(PolicyError, match=r"\[20, 60\) overlapping \[0, 40\)"):
            getattr(place(OVERLAPPING), name)
    assert place(OVERLAPPING).size.tolist() == [40, 40, 5]


def test_documents_that_come_back() -> None:
    """Documents are numbered by first occurrence; one that comes back is refused, or regrouped."""
    run = Run.of("r", [Result("1", "a", 0, 1), Result("1", "z", 0, 1), Result("1", "a", 5, 6)])
    placed = place(run, interleaved="regroup")
    placed.check_in_one_piece()
    assert placed.articles.of_result.tolist() == [0, 1, 0]
    assert placed.articles.rank.tolist() == [1, 2]
    with pytest.raises(PolicyError, match="topic 1: found document a again after another one"):
        place(run).check_in_one_piece()
    with pytest.raises(PolicyError, match="topic 1: found a second result of document a"):
        place(run).check_one_result_each()


def test_it_prints_in_one_short_line() -> None:
    """Nobody wants to see the arrays."""
    assert repr(place(OVERLAPPING)) == "<3 results of 'r' on 2 topics>"
