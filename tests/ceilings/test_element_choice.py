"""Ceilings of focused cumulated gain against every list of assessed elements without overlap."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import excerpt
from excerpt import ExcerptError, Judgments, Notices, Run

PATHS = ["/a[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[2]"]
PATHS += ["/a[1]/s[2]", "/a[1]/s[2]/p[1]", "/a[1]/p[1]"]
NAMES = ("nxCG(ideal=focused)[1]", "nxCG(ideal=focused)[2]", "nxCG(ideal=focused)[5]")
#: Document, path and both grades of an element.
Graded = tuple[str, str, int, int]


@st.composite
def assessments(draw: st.DrawFn) -> list[Graded]:
    """Some assessed elements of two documents, with exhaustivity and specificity."""
    places = draw(st.sets(st.tuples(st.sampled_from("de"), st.sampled_from(PATHS)), min_size=1, max_size=8))
    grades = st.sampled_from([(0, 0), (1, 1), (1, 3), (2, 1), (2, 3), (3, 2), (3, 3)])
    return [(*place, *draw(grades)) for place in sorted(places)]


def judged(elements: Iterable[Graded]) -> Judgments:
    """The assessments of one topic."""
    return Judgments.graded([("1", *one) for one in elements], scale="exhaustivity and specificity")


def overlap(one: tuple[str, str], two: tuple[str, str]) -> bool:
    """Whether an element is the other one or lies in it."""
    above, below = sorted((one[1], two[1]), key=len)
    return one[0] == two[0] and (below + "/").startswith(above + "/")


def run_of(name: str, elements: Iterable[tuple[str, str]]) -> Run:
    """A list of elements."""
    return Run.of(name, [("1", document, -1, -1, 0, path) for document, path in elements], kind="elements")


@settings(max_examples=60, deadline=None)
@given(assessments(), st.sampled_from(["elements", "tag:s", "paragraphs", "documents"]))
def test_the_ceiling_is_the_best_list(elements: list[Graded], unit: str) -> None:
    """Of the units that were assessed, in every order, without overlap."""
    tags = {"elements": "asp", "tag:s": "s", "paragraphs": "p", "documents": "a"}[unit]
    units = [(one[0], one[1]) for one in elements if one[1].rpartition("/")[2][0] in tags]
    if not units or not any(one[2] for one in elements):
        return
    lists = [
        some
        for size in (1, 2, 3, 4)
        for some in itertools.combinations(units, size)
        if not any(overlap(*pair) for pair in itertools.combinations(some, 2))
    ]
    runs = [
        run_of(str(n), order) for n, order in enumerate(o for s in lists for o in itertools.permutations(s))
    ]
    gold = judged(elements)
    best = excerpt.evaluate(gold, runs, NAMES, notices=Notices()).means().max(axis=0).tolist()
    table = excerpt.ceiling(gold, runs[:2], NAMES, unit=unit, notices=Notices())
    assert "upper" not in table.gaps[table.runs[-1]]
    assert table.means()[-1].tolist() == pytest.approx(best, abs=1e-12)
    for run in table.runs[:-1]:
        lost = [sum(own[name] for own in table.gaps[run].values()) for name in NAMES]
        assert lost == pytest.approx([1 - table.mean(run, name) for name in NAMES])


def test_choice_drops_what_overlaps() -> None:
    """A parent before its parts takes what they could gain; the best order of the run has the parts alone."""
    gold = judged([("d", "/a[1]", 1, 1), ("d", "/a[1]/p[1]", 3, 3), ("d", "/a[1]/p[2]", 3, 3)])
    run = run_of("mine", [("d", "/a[1]"), ("d", "/a[1]/p[1]"), ("d", "/a[1]/p[2]")])
    table = excerpt.ceiling(gold, [run], NAMES[1:2], unit="elements", notices=Notices())
    assert table.mean("ceiling (elements)", NAMES[1]) == 1
    assert table.gaps["mine"]["lost_choice"][NAMES[1]] == 0


@pytest.mark.parametrize(
    ("measure", "unit", "message"),
    [
        ("nxCG[2]", "elements", "has no ceiling, expected one of"),
        ("nxCG(ideal=focused)[2]", "lines", "found lines as units of nxCG, expected elements, paragraphs"),
        ("nxCG(ideal=focused)[2]", "tag:table", "found no tag:table among the assessed elements"),
    ],
)
def test_units_that_are_no_elements(measure: str, unit: str, message: str) -> None:
    """One line."""
    with pytest.raises(ExcerptError, match=message):
        excerpt.ceiling(judged([("d", "/a[1]", 1, 1)]), [], [measure], unit=unit, notices=Notices())
    with pytest.raises(ExcerptError, match="judgments"):
        excerpt.ceiling(Judgments.of([("1", "d", 0, 3)]), [], [NAMES[0]], unit="elements", notices=Notices())


@pytest.mark.parametrize("name", ["best.txt", "best.jsonl"])
def test_the_list_of_elements_is_written(name: str, tmp_path: Path) -> None:
    """By their paths; it has the score that was printed."""
    gold = judged([("d", "/a[1]", 1, 1), ("d", "/a[1]/p[1]", 3, 3), ("e", "/a[1]/p[2]", 2, 3)])
    table = excerpt.ceiling(
        gold, [], NAMES[1:2], unit="paragraphs", ceiling_run=tmp_path / name, notices=Notices()
    )
    again = excerpt.evaluate(gold, [tmp_path / name], NAMES[1:2], notices=Notices())
    assert again.means().tolist() == table.means().tolist() == [[1.0]]
