"""--figure and its options: checked before any work is done; figures and their data as files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from excerpt.cli.output import FIGURES, format_of
from excerpt.cli.telling import warn
from excerpt.errors import ExcerptError, short

if TYPE_CHECKING:
    from excerpt.model.showable import Showable

#: Options of the paper, by the names of its fields.
_PAPER = ("width", "height", "grey", "font_size", "title", "style", "top", "highlight")
#: All that a record need not know.
FIGURE_OPTIONS = ("figure", "data", *_PAPER)


def add_figure(parser: argparse.ArgumentParser, what: str) -> None:
    """--figure, and how it is drawn."""
    endings = ", ".join(FIGURES.values())
    group = parser.add_argument_group("figures")
    group.add_argument("--figure", metavar="FILE", help=f"{what}; the name ends in one of {endings}")
    group.add_argument(
        "--data", metavar="FILE", help="CSV file for the numbers of the figure, a row per mark"
    )
    group.add_argument(
        "--width", metavar="LENGTH", help="as printed: 3.3in, 84mm, 240pt, or inches (default: 7in)"
    )
    group.add_argument("--height", metavar="LENGTH", help="as printed (default: what the content needs)")
    group.add_argument(
        "--grey", action="store_const", const=True, help="no colours, for print in black and white"
    )
    group.add_argument("--font-size", metavar="POINTS", help="size of the letters (default: 8)")
    group.add_argument("--title", metavar="TEXT", help="title above the figure (default: none)")
    group.add_argument("--style", metavar="FILE", help="settings of matplotlib (an .mplstyle file)")
    group.add_argument(
        "--top",
        metavar="N",
        help="the best N runs stand out, the rest is grey (default: 5 of more than 8 runs)",
    )
    group.add_argument("--highlight", metavar="RUN,RUN", help="these runs stand out, too")


def paper_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options of `add_figure` say of the paper."""
    return {name: value for name in _PAPER if (value := getattr(arguments, name)) is not None}


def check_figure(arguments: argparse.Namespace, *others: str) -> None:
    """Before any work is done: can figures be drawn? `others` are formats of those that go elsewhere."""
    named = [format_of(arguments.figure, FIGURES)] if arguments.figure else []
    for name in FIGURE_OPTIONS[1:] if not (named or others) else ():
        if getattr(arguments, name) is not None:
            raise ExcerptError(
                f"found --{name.replace('_', '-')} without a figure, expected it only with one",
                hint="try --figure FILE",
            )
    if not (named or others):
        return
    from excerpt.render.figures.drawing import require_drawing
    from excerpt.render.figures.paper import Paper

    for format_ in (*named, *others):
        require_drawing(format_)
    Paper.of(paper_options(arguments))


def write_figure(result: Showable, arguments: argparse.Namespace) -> None:
    """Draw a result into a file, if the user named one, and write its data."""
    if arguments.figure:
        write_drawing(result, arguments, arguments.figure, format_of(arguments.figure, FIGURES))


def write_drawing(result: Showable, arguments: argparse.Namespace, name: str, format_: str) -> None:
    """Draw a result into a file, and write its data where the user wants them."""
    from excerpt.files import write_bytes
    from excerpt.render.tables import draw_result

    drawing = draw_result(result, format_, paper_options(arguments))
    if arguments.data:
        write_bytes(arguments.data, drawing.data().encode(errors="backslashreplace"))
    write_bytes(name, drawing.picture)
    if drawing.boxes:
        lacking = short(drawing.boxes, 20)
        warn(f"{name}: the font lacks {lacking}, drawn as boxes; --style can name another (font.family)")
