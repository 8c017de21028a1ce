"""The options of figures: lengths, styles, and what makes no sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from excerpt import ExcerptError
from excerpt.render.figures.paper import Paper, length


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
        ("font_size", "huge", "found 'huge' as size of letters, expected from 4 to 36 points"),
        ("font_size", 400, "found '400' as size of letters"),
        ("top", "-1", "found '-1' as number of best runs, expected a whole number from 0 on"),
        ("highlight", [1], "found 1 as highlight, expected names of runs"),
        ("colour", "red", "unknown option of a figure 'colour'"),
    ],
)
def test_what_makes_no_sense(option: str, value: Any, message: str) -> None:
    """One line says what was found and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        Paper.of({option: value})
    assert str(caught.value).startswith(message)


def test_what_is_not_given() -> None:
    """None is nothing; names are stripped and count once."""
    assert Paper.of({"width": None, "highlight": " a,b ,,a"}) == Paper(highlight=("a", "b"))


def test_styles(tmp_path: Path) -> None:
    """A style is read line by line; comments and quotes are those of matplotlib."""
    pytest.importorskip("matplotlib")
    style = tmp_path / "own.mplstyle"
    style.write_text(
        '# mine\nfont.size: 6 # small\n\naxes.prop_cycle: cycler("color", ["#ff0000", "#00ff00"])\n'
    )
    assert Paper.of({"style": style}).style == {
        "font.size": "6",
        "axes.prop_cycle": 'cycler("color", ["#ff0000", "#00ff00"])',
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"font.size 6", ":1: found 'font.size 6', expected `setting: value`"),
        (b"\nfont.sise: 6", ":2: unknown setting of matplotlib 'font.sise'; did you mean 'font.size'?"),
        (b"font.size: many", ":1: found 'many' as font.size, expected a value that matplotlib takes"),
        (b"figure.figsize: 3, 900", ":1: found '900.0' as length, expected from 1 to 40 inches"),
        (b"\xff\xfe\x00", ": found bytes that are no text, expected a style of matplotlib"),
    ],
)
def test_broken_styles(text: bytes, message: str, tmp_path: Path) -> None:
    """With the line of the fault."""
    pytest.importorskip("matplotlib")
    style = tmp_path / "own.mplstyle"
    style.write_bytes(text)
    with pytest.raises(ExcerptError) as caught:
        Paper.of({"style": str(style)})
    assert str(caught.value) == f"{style}{message}"
    with pytest.raises(ExcerptError, match=r"nothing\.mplstyle: cannot be read"):
        Paper.of({"style": str(tmp_path / "nothing.mplstyle")})
