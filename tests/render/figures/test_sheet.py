"""Series differ by colour, marker and dash; of many runs some are emphasised."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt import ExcerptError, ScoreTable, compare
from excerpt.render.figures.sheet import FigureOptions, apart, choose, label, length, styles


@pytest.mark.parametrize("grey", [False, True])
def test_no_two_pens_are_alike(grey: bool) -> None:
    """Eight differ in each respect, sixty in all together; grey options has no other colour."""
    eight, many = styles(8, FigureOptions(grey=grey)), styles(60, FigureOptions(grey=grey))
    for part in ("colour", "marker", "dash"):
        assert len({getattr(style, part) for style in eight}) == 8
    assert len({(style.colour, style.marker, style.dash, style.hollow) for style in many}) == 60
    if grey:
        assert all(style.colour[1:3] == style.colour[3:5] == style.colour[5:] for style in many)


def test_a_few_runs_all_stand_out() -> None:
    """In the order in which they came."""
    chosen = choose(["a", "b"], [0.1, 0.2], FigureOptions())
    assert (chosen.places, chosen.rest, chosen.direct) == ((0, 1), (), False)


@pytest.mark.parametrize(
    ("options", "places"),
    [
        (FigureOptions(), (9, 8, 7, 6, 5)),
        (FigureOptions(top=2), (9, 8)),
        (FigureOptions(highlight=("r1", "r9")), (9, 8, 7, 6, 5, 1)),
        (FigureOptions(top=0, highlight=("r1",)), (1,)),
        (FigureOptions(top=99), (9, 8, 7, 6, 5, 4, 3, 2, 1, 0)),
    ],
)
def test_the_best_of_many(options: FigureOptions, places: tuple[int, ...]) -> None:
    """The best first, whatever is highlighted too, undefined scores last, and the rest behind."""
    chosen = choose([f"r{i}" for i in range(10)], [math.nan, *range(1, 10)], options)
    assert chosen.places == places
    assert sorted(chosen.drawn) == list(range(10))
    assert all(chosen.styles[place].rest for place in chosen.rest)
    assert chosen.direct


def test_few_runs_of_which_one_is_highlighted() -> None:
    """Among a few runs only the highlighted one is emphasised."""
    assert choose(["a", "b"], [0.1, 0.2], FigureOptions(highlight=("a",))).places == (0,)


def test_unknown_runs() -> None:
    """The nearest name is suggested."""
    with pytest.raises(ExcerptError, match="unknown run 'bm52'; did you mean 'bm25'"):
        choose(["bm25", "tfidf"], [0.1, 0.2], FigureOptions(highlight=("bm52",)))


def test_labels() -> None:
    """Control characters are visible and long names cut."""
    assert label("a\x1b") == "a\\x1b"
    assert len(label("n" * 5000)) == 60


@settings(max_examples=50)
@given(st.lists(st.floats(-20, 120), max_size=12))
def test_places_are_moved_apart(places: list[float]) -> None:
    """By a gap, within the limits, in the same order; places that do not collide stay."""
    moved = apart(places, 5.0, 0.0, 100.0)
    pairs = sorted(zip(places, moved, strict=True), key=lambda pair: pair[1])
    assert all(after[1] - before[1] >= 5.0 - 1e-9 for before, after in itertools.pairwise(pairs))
    assert [place for place, _ in pairs] == sorted(places)
    assert all(-1e-9 <= place <= 100.0 + 1e-9 for place in moved)
    if apart(moved, 5.0, 0.0, 100.0) != pytest.approx(moved, abs=1e-6):
        raise AssertionError("what is apart stays")


@pytest.mark.parametrize(
    ("given", "inches"),
    [("3.3in", 3.3), ("84 mm", 84 / 25.4), ("8.4CM", 8.4 / 2.54), ("237.6pt", 3.3), (7, 7.0)],
)
def test_lengths(given: object, inches: float) -> None:
    """A number of inches, or of a unit."""
    assert length(given) == pytest.approx(inches, rel=1e-12)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("width", "wide", "found 'wide' as length, expected inches or a number with in, mm, cm or pt"),
        ("width", "3px", "found '3px' as length, expected inches"),
        ("width", "-3", "found '-3' as length"),
        ("width", "nan", "found 'nan' as length"),
        ("width", True, "found 'True' as length"),
        ("width", "3mm", "found '3mm' as length, expected from 1 to 40 inches"),
        ("height", 1e6, "found '1000000.0' as length, expected from 1 to 40 inches"),
        ("font_size", "huge", "found 'huge' as font size, expected from 4 to 36 points"),
        ("font_size", 400, "found '400' as font size"),
        ("top", "-1", "found '-1' as number of best runs, expected a whole number of at least 0"),
        ("highlight", [1], "found 1 as highlight, expected names of runs"),
        ("colour", "red", "unknown option of a figure 'colour'"),
    ],
)
def test_what_makes_no_sense(option: str, value: Any, message: str) -> None:
    """One line says what was found and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        FigureOptions.of({option: value})
    assert str(caught.value).startswith(message)


def test_what_is_not_given() -> None:
    """None is nothing; names are stripped and count once."""
    assert FigureOptions.of({"width": None, "highlight": " a,b ,,a"}) == FigureOptions(highlight=("a", "b"))


def test_styles(tmp_path: Path) -> None:
    """A style is read line by line; comments and quotes are those of matplotlib."""
    pytest.importorskip("matplotlib")
    style = tmp_path / "own.mplstyle"
    style.write_text(
        '# mine\nfont.size: 6 # small\n\naxes.prop_cycle: cycler("color", ["#ff0000", "#00ff00"])\n'
    )
    assert FigureOptions.of({"style": style}).style == {
        "font.size": "6",
        "axes.prop_cycle": 'cycler("color", ["#ff0000", "#00ff00"])',
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"font.size 6", ":1: found 'font.size 6', expected `setting: value`"),
        (b"\nfont.sise: 6", ":2: unknown matplotlib setting 'font.sise'; did you mean 'font.size'?"),
        (b"font.size: many", ":1: found 'many' as font.size, expected a value that matplotlib accepts"),
        (b"figure.figsize: 3, 900", ":1: found '900.0' as length, expected from 1 to 40 inches"),
        (b"\xff\xfe\x00", ": is not text; expected a matplotlib style file"),
    ],
)
def test_broken_styles(text: bytes, message: str, tmp_path: Path) -> None:
    """With the line of the fault."""
    pytest.importorskip("matplotlib")
    style = tmp_path / "own.mplstyle"
    style.write_bytes(text)
    with pytest.raises(ExcerptError) as caught:
        FigureOptions.of({"style": str(style)})
    assert str(caught.value) == f"{style}{message}"
    with pytest.raises(ExcerptError, match=r"nothing\.mplstyle: cannot be read"):
        FigureOptions.of({"style": str(tmp_path / "nothing.mplstyle")})


def run_names(figure: bytes) -> list[str]:
    """Texts of a figure."""
    return [str(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", figure.decode())]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("inex2009-univ-of-somewhere-{}-focused-task-official.run", "…{}…"),
        ("inex2009-univ-of-somewhere-{}-rag-{}-official.run", "…{}-rag-{}…"),
    ],
)
def test_names_lose_what_they_share(pattern: str, expected: str) -> None:
    """Before any name is cut, with marks at the ends that are cut; names that fit stay as they are."""
    words = ("alpha", "beta", "gamma")
    names = tuple(pattern.format(word, word) for word in words)
    table = ScoreTable(names, names, tuple("12"), ("A",), np.arange(6.0).reshape(3, 2, 1))
    shown = run_names(table.draw("svg", width="3.3in"))
    assert {expected.format(word, word) for word in words} <= set(shown)
    assert set(words) <= set(run_names(table.rename(dict(zip(names, words, strict=True))).draw("svg")))


def test_names_that_would_be_equal_are_letters() -> None:
    """With a key of the whole names, also next to a legend; thirty runs are thirty names."""
    names = tuple(f"{'beginning' * 4}{n:02}{'ending' * 5}" for n in range(30))
    values = np.random.default_rng(1).random((30, 6, 1))
    table = ScoreTable(names, names, tuple("123456"), ("A",), values)
    for result in (table, compare(table, test="t"), compare(table, test="t", baseline=names[0])):
        shown = run_names(result.draw("svg", width="3.3in"))
        keys = [line.split(" ")[0] for line in shown if line.split(" ", 1)[-1].startswith("beginning")]
        assert len(set(keys)) == len(keys) == 30
        assert {"A", "Z", "AA", "AD"} <= set(keys)
