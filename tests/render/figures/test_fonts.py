"""Characters that the font of figures lacks: another font that is installed, or a line that names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from excerpt.experiments.curves import Curve, Curves
from excerpt.render.figures.drawing import Drawing, draw, filled
from excerpt.render.figures.fonts import fonts_with, say_missing
from excerpt.render.figures.means import panels
from excerpt.render.figures.sheet import FigureOptions, Sheet

pytest.importorskip("matplotlib")
builder = pytest.importorskip("fontTools.fontBuilder")
pens = pytest.importorskip("fontTools.pens.ttGlyphPen")

KEN, SAKU, NOWHERE = "\ue6c3", "\ue6c4", "\ue6c5"


def make_font(path: Path, family: str, characters: str) -> str:
    """A font whose glyphs are squares."""
    pen: Any = pens.TTGlyphPen(None)
    for move, point in (
        ("moveTo", (0, 0)),
        ("lineTo", (0, 700)),
        ("lineTo", (700, 700)),
        ("lineTo", (700, 0)),
    ):
        getattr(pen, move)(point)
    pen.closePath()
    square = pen.glyph()
    names = {ord(character): f"u{ord(character):04X}" for character in characters}
    glyphs = [".notdef", *names.values()]
    font: Any = builder.FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(glyphs)
    font.setupCharacterMap(names)
    font.setupGlyf(dict.fromkeys(glyphs, square))
    font.setupHorizontalMetrics(dict.fromkeys(glyphs, (800, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": family, "styleName": "Regular", "psName": family.replace(" ", "")})
    font.setupOS2()
    font.setupPost()
    font.save(path)
    return str(path)


@pytest.fixture
def fonts(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The fonts that matplotlib knows; changes are undone."""
    from matplotlib import font_manager

    monkeypatch.setattr(font_manager.fontManager, "ttflist", [*font_manager.fontManager.ttflist])
    fonts_with.cache_clear()
    yield font_manager.fontManager
    fonts_with.cache_clear()


def picture(names: str, format_: str = "png") -> Drawing:
    """A curve of one run for each name."""
    runs = tuple(names.split())
    values = np.linspace(0.2, 0.8, 2 * len(runs)).reshape(len(runs), 2)
    curve = Curve("P", np.array([1, 2]), runs, runs, values, "rank", "P")
    return draw(lambda sheet: panels(sheet, Curves((curve,))), format_)


@pytest.mark.parametrize("known", [True, False])
def test_another_font_is_used(
    fonts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """One that matplotlib knows, or one that was installed after it had listed the fonts."""
    before = picture(f"{KEN}{SAKU} b")
    assert set(before.boxes) == {KEN, SAKU}
    path = make_font(tmp_path / "squares.ttf", "Squares Sans", KEN + SAKU)
    if known:
        fonts.addfont(path)
    else:
        monkeypatch.setattr("matplotlib.font_manager.findSystemFonts", lambda *_: [path])
    fonts_with.cache_clear()
    drawn = picture(f"{KEN}{SAKU} b")
    assert drawn.boxes == ""
    assert drawn.picture != before.picture
    assert picture(f"{KEN}{SAKU} b", "pdf").picture.count(b"SquaresSans")
    assert drawn == picture(f"{KEN}{SAKU} b")


def test_as_few_fonts_as_possible(fonts: Any, tmp_path: Path) -> None:
    """Fonts without serifs come first; one that has nothing more is left out."""
    fonts.addfont(make_font(tmp_path / "a.ttf", "A Serif", KEN + SAKU))
    fonts.addfont(make_font(tmp_path / "b.ttf", "B Sans", KEN))
    fonts.addfont(make_font(tmp_path / "c.ttf", "C Sans", KEN))
    assert fonts_with(KEN) == ("B Sans",)
    assert fonts_with(KEN + SAKU) == ("B Sans", "A Serif")
    assert fonts_with(NOWHERE) == ()


def test_what_no_font_has_is_said_in_the_figure(fonts: Any, tmp_path: Path) -> None:
    """A line below it has the numbers of these characters only."""
    fonts.addfont(make_font(tmp_path / "a.ttf", "A Sans", KEN))
    assert picture(f"{KEN}{NOWHERE} b").boxes == NOWHERE
    options = FigureOptions(missing=NOWHERE)

    def panel(sheet: Sheet) -> None:
        sheet.panels(1)

    with filled(panel, options) as sheet:
        texts = [text.get_text() for text in sheet.figure.texts]
        below = sheet.figure.texts[0].get_window_extent()
        lowest = min(axes.get_tightbbox().y0 for axes in sheet.figure.axes)
    assert texts == ["no installed font has U+E6C5 (drawn as boxes)"]
    assert 0 <= below.y0 < below.y1 <= lowest
    assert picture("\ue6c5 b", "svg").boxes == ""


def test_many_characters_are_counted() -> None:
    """The first eight are named."""
    assert say_missing("\u4e00\u4e01\u4e02\u4e03\u4e04\u4e05\u4e06\u4e07\u4e08\u4e09").endswith(
        "U+4E06, U+4E07 and 2 more (drawn as boxes)"
    )
