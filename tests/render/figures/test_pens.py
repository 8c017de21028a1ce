"""Series differ by colour, marker and dash; of many runs some stand out."""

from __future__ import annotations

import math

import pytest

from excerpt import ExcerptError
from excerpt.render.figures.paper import Paper
from excerpt.render.figures.pens import choose, pens


@pytest.mark.parametrize("grey", [False, True])
def test_no_two_pens_are_alike(grey: bool) -> None:
    """Eight differ in each respect, sixty in all together; grey paper has no other colour."""
    eight, many = pens(8, Paper(grey=grey)), pens(60, Paper(grey=grey))
    for part in ("colour", "marker", "dash"):
        assert len({getattr(pen, part) for pen in eight}) == 8
    assert len({(pen.colour, pen.marker, pen.dash, pen.hollow) for pen in many}) == 60
    if grey:
        assert all(pen.colour[1:3] == pen.colour[3:5] == pen.colour[5:] for pen in many)


def test_a_few_runs_all_stand_out() -> None:
    """In the order in which they came."""
    chosen = choose(["a", "b"], [0.1, 0.2], Paper())
    assert (chosen.places, chosen.rest, chosen.direct) == ((0, 1), (), False)


@pytest.mark.parametrize(
    ("paper", "places"),
    [
        (Paper(), (9, 8, 7, 6, 5)),
        (Paper(top=2), (9, 8)),
        (Paper(highlight=("r1", "r9")), (9, 8, 7, 6, 5, 1)),
        (Paper(top=0, highlight=("r1",)), (1,)),
        (Paper(top=99), (9, 8, 7, 6, 5, 4, 3, 2, 1, 0)),
    ],
)
def test_the_best_of_many(paper: Paper, places: tuple[int, ...]) -> None:
    """The best first, whatever is highlighted too, undefined scores last, and the rest behind."""
    chosen = choose([f"r{i}" for i in range(10)], [math.nan, *range(1, 10)], paper)
    assert chosen.places == places
    assert sorted(chosen.drawn) == list(range(10))
    assert all(chosen.pens[place].rest for place in chosen.rest)
    assert chosen.direct


def test_few_runs_of_which_one_is_highlighted() -> None:
    """Where a few runs are told apart only it stands out."""
    assert choose(["a", "b"], [0.1, 0.2], Paper(highlight=("a",))).places == (0,)


def test_unknown_runs() -> None:
    """The nearest name is suggested."""
    with pytest.raises(ExcerptError, match="unknown run 'bm52'; did you mean 'bm25'"):
        choose(["bm25", "tfidf"], [0.1, 0.2], Paper(highlight=("bm52",)))
