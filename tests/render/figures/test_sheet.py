"""Sheets: size, names, ticks, keys, and what is moved apart."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from excerpt import ExcerptError
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.paper import Paper
from excerpt.render.figures.sheet import Sheet

pytest.importorskip("matplotlib")


def test_names_fit_the_paper() -> None:
    """What is too long for its width is cut in the middle."""
    with filled(lambda _: None, Paper(width=3.3)) as sheet:
        assert sheet.name("run-with-a-long-beginning-and-end") == "run-with-a-…nd-end"
    with filled(lambda _: None, Paper()) as sheet:
        assert sheet.name("run-with-a-long-beginning-and-end") == "run-with-a-long-beginning-and-end"


def test_the_size_is_what_was_asked_for() -> None:
    """Width and height hold; a style's size where none is given; else the content decides the height."""

    def two_panels(sheet: Sheet) -> None:
        sheet.panels(2, height=2.0)

    sizes = {
        (3.3, 4.0): Paper(width=3.3),
        (7.0, 2.0): Paper(),
        (7.0, 5.0): Paper(height=5.0),
        (3.0, 2.5): Paper(style={"figure.figsize": "3, 2.5"}),
        (4.0, 2.5): Paper(style={"figure.figsize": "3, 2.5"}, width=4.0),
    }
    for size, paper in sizes.items():
        with filled(two_panels, paper) as sheet:
            assert tuple(sheet.figure.get_size_inches()) == size


def test_letters() -> None:
    """Options before style before default; what is small is smaller still."""
    for paper, points in (
        (Paper(), 8.0),
        (Paper(style={"font.size": "10"}), 10.0),
        (Paper(style={"font.size": "10"}, font_size=6.0), 6.0),
    ):
        with filled(lambda _: None, paper) as sheet:
            assert sheet.font == points
            assert sheet.figure.add_subplot().xaxis.get_ticklabels()[0].get_fontsize() < points


def test_colours_of_a_style_and_grey() -> None:
    """A style brings its colours; on grey paper every colour is as dark as it was."""
    style = {"axes.prop_cycle": 'cycler("color", ["#ff0000", "#00ff00"])'}
    with filled(lambda _: None, Paper(style=style)) as sheet:
        assert [pen.colour for pen in sheet.pens(2)] == ["#ff0000", "#00ff00"]
        assert sheet.ink("#ff0000") == "#ff0000"
    with filled(lambda _: None, Paper(style=style, grey=True)) as sheet:
        assert sheet.pens(1)[0].colour == "#000000"
        assert sheet.ink("#ff0000") == "#363636"


def test_ticks_are_where_something_was_measured() -> None:
    """All of a few, round ones of many; labels that would collide are left out."""

    def ticks(values: list[float], **options: Any) -> tuple[list[float], int]:
        def fill(sheet: Sheet) -> None:
            (axes,) = sheet.panels(1)
            axes.set_xlim(min(values), max(values))
            sheet.measured(axes.xaxis, values, **options)

        with filled(fill, Paper(width=3.3)) as sheet:
            axis = sheet.figure.axes[0].xaxis
            shown = [tick.label1 for tick in axis.get_major_ticks()]
            return list(axis.get_ticklocs()), sum(text.get_visible() for text in shown)

    assert ticks([80, 60, 40, 20]) == ([20, 40, 60, 80], 4)
    assert ticks(list(range(1, 51))) == ([1, 10, 20, 30, 40, 50], 6)
    assert ticks([i / 100 for i in range(101)])[0] == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    places, shown = ticks([1000.0, 1001.0, 1010.0, 2000.0])
    assert (places, shown) == ([1000, 1001, 1010, 2000], 2)


def test_mistakes() -> None:
    """Runs asked for where there are none; paper on which nothing fits."""
    with (
        pytest.raises(ExcerptError, match="expected none: this figure does not show runs"),
        filled(lambda _: None, Paper(top=3)),
    ):
        pass

    def tall(sheet: Sheet) -> None:
        sheet.figure.subplots(9, 1)

    with pytest.raises(ExcerptError, match="found 7 by 1 inches, too few"), filled(tall, Paper(height=1.0)):
        pass


def test_bars_stand_side_by_side() -> None:
    """Series are moved apart by some points, and all bars are inside of the axes."""

    def fill(sheet: Sheet) -> None:
        (axes,) = sheet.panels(1)
        for number, pen in enumerate(sheet.pens(3)):
            aside = sheet.dodge(number, 3)
            sheet.bars(axes, [1, 2], [0.5, 0.6], yerr=[[0.5, 0.1], [0.2, 0.4]], aside=aside, **pen.line())

    with filled(fill, Paper(width=3.3)) as sheet:
        (axes,) = sheet.figure.axes
        low, high = axes.get_ylim()
        assert low < 0.0
        assert high > 1.0
        lefts = [drawn.lines[0].get_window_extent().x0 * 72 / sheet.figure.dpi for drawn in axes.containers]
        assert [b - a for a, b in itertools.pairwise(lefts)] == pytest.approx([3.2, 3.2], abs=1e-6)


def test_a_label_for_all_panels_stands_in_their_middle() -> None:
    """Below the last line of panels."""

    def fill(sheet: Sheet) -> None:
        sheet.below(sheet.panels(2), "score")

    with filled(fill, Paper()) as sheet:
        left, right = sheet.figure.axes
        box = left.xaxis.label.get_window_extent()
        middle = (left.get_window_extent().x0 + right.get_window_extent().x1) / 2
        assert (box.x0 + box.x1) / 2 == pytest.approx(middle, abs=2)
        assert right.get_xlabel() == ""


def test_letters_that_leave_no_room() -> None:
    """Where names fill the paper, matplotlib lays out nothing: an error, not a heap of letters."""

    def fill(sheet: Sheet) -> None:
        (axes,) = sheet.panels(1)
        axes.set_yticks([0, 1], ["a long name", "another one"])

    with (
        pytest.raises(ExcerptError, match=r"found 1 by .* inches, too few for this figure"),
        filled(fill, Paper(width=1.0, font_size=36.0)),
    ):
        pass
