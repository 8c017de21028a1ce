"""Options of LaTeX tables, and of the marks of significance in them; refused where nothing is LaTeX."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from excerpt.cli.intervals import level
from excerpt.errors import ExcerptError
from excerpt.stats import ALL_TESTS, CORRECTION_NAMES, check_test

if TYPE_CHECKING:
    from excerpt.render.latex import Latex, Marks

_TABLE = ("caption", "label", "siunitx")
_MARKS = ("baseline", "test", "correction", "alpha", "no_marks")


def add_latex(parser: argparse.ArgumentParser) -> None:
    """--caption, --label and --siunitx."""
    group = parser.add_argument_group("LaTeX tables")
    group.add_argument("--caption", metavar="TEXT", help="make it a table environment with this caption")
    group.add_argument("--label", metavar="NAME", help="make it a table environment with this label")
    group.add_argument("--siunitx", action="store_true", help="S columns for numbers (package siunitx)")


def add_marks(parser: argparse.ArgumentParser) -> None:
    """--baseline, --test, --correction, --alpha and --no-marks."""
    group = parser.add_argument_group("marks of significance in LaTeX tables")
    group.add_argument(
        "--baseline",
        metavar="RUN",
        help="mark runs that differ from this one (its name or file; default: all pairs, by letters)",
    )
    group.add_argument("--test", choices=ALL_TESTS, help="as in excerpt compare (default: bootstrap)")
    group.add_argument("--correction", choices=CORRECTION_NAMES, help="as in excerpt compare (default: by)")
    group.add_argument("--alpha", type=level, metavar="X", help="level of significance (default: 0.05)")
    group.add_argument("--no-marks", action="store_true", help="test nothing")


def check_latex(arguments: argparse.Namespace, format_: str) -> None:
    """Before any work is done: an error for options of LaTeX with another format, or beside each other."""
    for name in given(arguments):
        option = f"--{name.replace('_', '-')}"
        if format_ != "latex":
            raise ExcerptError(f"found {option}, expected it only with --format latex (or -o FILE.tex)")
        if name in _MARKS and name != "no_marks" and arguments.no_marks:
            raise ExcerptError(f"found {option} with --no-marks, expected one of them")
    chosen_latex(arguments)
    if getattr(arguments, "test", None) in ALL_TESTS and hasattr(arguments, "no_marks"):
        check_test(arguments.test, ALL_TESTS)


def given(arguments: argparse.Namespace) -> list[str]:
    """Which options of LaTeX the user gave; those of marks only where the command has them."""
    names = (*_TABLE, *(_MARKS if hasattr(arguments, "no_marks") else ()))
    return [name for name in names if getattr(arguments, name, None) not in {None, False}]


def chosen_latex(arguments: argparse.Namespace) -> Latex | None:
    """What the options of `add_latex` say; None where none is given."""
    own = {name: getattr(arguments, name) for name in given(arguments) if name in _TABLE}
    if not own:
        return None
    from excerpt.render.latex import Latex

    return Latex(**own)


def chosen_marks(arguments: argparse.Namespace) -> Marks | None:
    """What the options of `add_marks` say; None where none is given."""
    own = {name: getattr(arguments, name) for name in given(arguments) if name in _MARKS}
    if not own:
        return None
    from excerpt.render.latex import Marks

    return Marks(
        **{name: value for name, value in own.items() if name != "no_marks"}, marks="no_marks" not in own
    )
