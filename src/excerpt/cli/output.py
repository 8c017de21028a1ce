"""Output of commands: results printed, written and drawn; the format by option or by the name of the file.

All of it is checked before any work is done.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from excerpt import options
from excerpt.cli.console import chosen_colours, show_warnings, warn
from excerpt.cli.parser import chosen
from excerpt.errors import ExcerptError, short
from excerpt.options import FLAG, LEVEL, Option, choice
from excerpt.stats import ALL_TESTS, CORRECTION_NAMES, check_test

if TYPE_CHECKING:
    from excerpt.cli.parser import Parser
    from excerpt.experiments.study import Evaluating
    from excerpt.model.display import Showable
    from excerpt.model.score_views import ScoreView
    from excerpt.model.scores import ScoreTable
    from excerpt.render.tables import Look

#: Formats of tables, each with the ending of a file's name that asks for it.
TABLES = {"table": ".txt", "json": ".json", "csv": ".csv", "tsv": ".tsv", "latex": ".tex", "markdown": ".md"}
#: Formats of figures.
FIGURES = {"svg": ".svg", "pdf": ".pdf", "png": ".png"}
#: Formats that always have intervals, or tests by samples.
_WITH_INTERVALS = {"json", "latex"}
_COMPRESSED = {".gz", ".bz2", ".xz", ".zst"}

_MARKED = "marks of significance in LaTeX tables"
MARKS = (
    Option(
        "baseline",
        "mark runs that differ from this one (its name or file; default: all pairs, by letters)",
        metavar="RUN",
        group=_MARKED,
    ),
    Option("test", "as in excerpt compare (default: bootstrap)", kind=choice(*ALL_TESTS), group=_MARKED),
    Option(
        "correction", "as in excerpt compare (default: by)", kind=choice(*CORRECTION_NAMES), group=_MARKED
    ),
    Option("alpha", "level of significance (default: 0.05)", kind=LEVEL, metavar="X", group=_MARKED),
    Option("no-marks", "test nothing", kind=FLAG, default=False, group=_MARKED),
)


def format_options(
    what: str, *, known: Mapping[str, str] = TABLES, output: bool = True, color: bool = True
) -> tuple[Option, ...]:
    """--format, --safe-csv, --color and options of LaTeX; with `output` also -o, whose ending says it."""
    default = "by the ending of -o FILE, else table" if output else "table"
    help_ = f"how to print {what} (default: {default}); json, csv and tsv keep every digit"
    return (
        options.FORMAT.but(help=help_, kind=choice(*known), default=None),
        options.SAFE_CSV,
        *([options.COLOR] if color else []),
        *([options.OUTPUT] if output else []),
        *(options.LATEX if "latex" in known else []),
    )


def figure_options(what: str) -> tuple[Option, ...]:
    """--figure for what is drawn, and how."""
    endings = ", ".join(FIGURES.values())
    help_ = f"{what}; the name ends in one of {endings}"
    return options.FIGURE.but(help=help_), *options.FIGURES[1:]


def chosen_format(arguments: argparse.Namespace, known: Mapping[str, str] = TABLES) -> str:
    """What the options of `format_options` say; call it before any work is done."""
    format_ = arguments.format or format_of(getattr(arguments, "output", "-"), known)
    check_latex(arguments, format_)
    return format_


def ending_of(name: str) -> str:
    """The ending of the name of a file, without one that asks for compression.

    >>> ending_of("a.b/Scores.CSV.gz"), ending_of("-"), ending_of(".hidden")
    ('.csv', '', '')
    """
    suffixes = [f".{part.lower()}" for part in os.path.basename(name).lstrip(".").split(".")[1:]]  # noqa: PTH119
    return next((end for end in reversed(suffixes) if end not in _COMPRESSED), "")


def format_of(name: str, known: Mapping[str, str] = TABLES) -> str:
    """The format that the name of a file ends in; a table for standard output and names without an ending.

    >>> format_of("scores.csv.gz"), format_of("-")
    ('csv', 'table')
    """
    suffix = ending_of(name)
    for format_, ending in known.items():
        if suffix == ending:
            return format_
    if not suffix and "table" in known:
        return "table"
    *others, last = known.values()
    raise ExcerptError(
        f"found a name that ends in {suffix or 'nothing'}, expected {', '.join(others)} or {last}",
        path=name,
        hint="or choose the format with --format" if "table" in known else "",
    )


def chosen_look(arguments: argparse.Namespace) -> Look:
    """Digits, the width of the terminal that is printed on, LaTeX, and whether CSV is for spreadsheets."""
    from excerpt.render.layout import terminal_width
    from excerpt.render.tables import Look

    return Look(
        digits=getattr(arguments, "digits", 4),
        width=terminal_width(getattr(arguments, "output", "-")),
        colours=chosen_colours(arguments),
        safe=arguments.safe_csv,
        **(_latex(arguments) if _latex_given(arguments) else {}),
    )


def write_result(result: Showable, arguments: argparse.Namespace, format_: str) -> None:
    """Write a result, then its warnings."""
    from excerpt.render.tables import show

    write_text(show(result, format_, chosen_look(arguments)), arguments.output)
    show_warnings(result.warnings)


def write_text(text: str, output: str) -> None:
    """Write a text into a file, or on standard output, where warnings may follow."""
    from excerpt.files import write_bytes

    write_bytes(output, text.encode(errors="backslashreplace"))
    sys.stdout.flush()


def check_latex(arguments: argparse.Namespace, format_: str) -> None:
    """An error for options of LaTeX with another format, or beside each other."""
    for option in _latex_given(arguments):
        if format_ != "latex":
            raise ExcerptError(
                f"found --{option.name}, expected it only with --format latex (or -o FILE.tex)"
            )
        if option in MARKS and option.name != "no-marks" and arguments.no_marks:
            raise ExcerptError(f"found --{option.name} with --no-marks, expected one of them")
    if _latex_given(arguments):
        _latex(arguments)
    if getattr(arguments, "test", None) in ALL_TESTS and hasattr(arguments, "no_marks"):
        check_test(arguments.test, ALL_TESTS)


def _latex_given(arguments: argparse.Namespace) -> list[Option]:
    """Which options of LaTeX the user gave; those of marks only where the command has them."""
    known = (*options.LATEX, *(MARKS if hasattr(arguments, "no_marks") else ()))
    return [option for option in known if getattr(arguments, option.dest, None) not in {None, False}]


def _latex(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options of LaTeX say, and those of marks of significance."""
    from excerpt.render.latex import Latex, Marks

    marks = {
        name: getattr(arguments, name) for name in (o.dest for o in _latex_given(arguments) if o in MARKS)
    }
    shown = not marks.pop("no_marks", False)
    return {"latex": Latex(**chosen(arguments, options.LATEX)), "marks": Marks(**marks, marks=shown)}


def check_intervals(parser: Parser, arguments: argparse.Namespace, format_: str) -> None:
    """An error for how intervals are made where nothing has any."""
    if arguments.interval is not None or format_ in _WITH_INTERVALS or getattr(arguments, "figure", None):
        return
    for option in options.SAMPLING:
        if option.dest in parser.given:
            raise ExcerptError(
                f"found --{option.name} without intervals, expected it only with them",
                hint="try --interval 0.95",
            )


def chosen_view(table: ScoreTable, arguments: argparse.Namespace) -> ScoreView:
    """A table as the options of `SCORES` ask for it."""
    from excerpt.model.score_views import ScoreView

    return ScoreView(
        table,
        per_topic=arguments.per_topic,
        by=arguments.by,
        interval=arguments.interval,
        method=arguments.interval_method,
        samples=arguments.samples,
        seed=arguments.seed,
    )


def check_figure(arguments: argparse.Namespace, *others: str) -> None:
    """Can figures be drawn? `others` are formats of those that go elsewhere."""
    named = [format_of(arguments.figure, FIGURES)] if arguments.figure else []
    if not (named or others):
        for option in options.FIGURES[1:]:
            if getattr(arguments, option.dest) is not None:
                raise ExcerptError(
                    f"found --{option.name} without a figure, expected it only with one",
                    hint="try --figure FILE",
                )
        return
    from excerpt.render.figures.drawing import require_drawing
    from excerpt.render.figures.sheet import Paper

    for format_ in (*named, *others):
        require_drawing(format_)
    Paper.of(chosen(arguments, options.PAPER))


def write_figure(result: Showable, arguments: argparse.Namespace) -> None:
    """Draw a result into a file, if the user named one, and write its data."""
    if arguments.figure:
        write_drawing(result, arguments, arguments.figure, format_of(arguments.figure, FIGURES))


def write_drawing(result: Showable, arguments: argparse.Namespace, name: str, format_: str) -> None:
    """Draw a result into a file, and write its data where the user wants them."""
    from excerpt.files import write_bytes
    from excerpt.render.tables import draw_result

    drawing = draw_result(result, format_, chosen(arguments, options.PAPER))
    if arguments.data:
        write_bytes(arguments.data, drawing.data().encode(errors="backslashreplace"))
    write_bytes(name, drawing.picture)
    if drawing.boxes:
        lacking = short(drawing.boxes, 20)
        warn(f"{name}: the font lacks {lacking}, drawn as boxes; --style can name another (font.family)")


def has_saved(arguments: argparse.Namespace) -> bool:
    """Whether saved scores were given; an error where anything else stands beside them."""
    from excerpt.files import is_scores

    saved = [is_scores(name) for name in (arguments.qrels, *arguments.runs)]
    if not saved[0] and not arguments.runs:
        raise ExcerptError(
            "found no RUN, expected runs after the judgments", hint="saved scores need none: they have them"
        )
    if saved[0] and not all(saved):
        raise ExcerptError(
            "found no saved scores, expected them after those of the first file",
            path=arguments.runs[saved.index(False) - 1],
        )
    read = options.without((*options.READING, *options.POLICY), options.TOPICS, *options.CHOICE)
    for option in read if saved[0] else ():  # saved scores are what they are
        if getattr(arguments, option.dest, option.default) != option.default:
            raise ExcerptError(
                f"found --{option.name} with saved scores, expected it only with runs to evaluate"
            )
    return saved[0]


def saved_table(arguments: argparse.Namespace) -> ScoreTable:
    """All saved scores as one table, of all measures and topics or of those asked for."""
    from excerpt.experiments.study import known_topics
    from excerpt.measures import expand
    from excerpt.model.saved_scores import load_all

    table = load_all([arguments.qrels, *arguments.runs])
    table = table.select(expand(arguments.measures)) if arguments.measures else table
    return known_topics(table, cast("Evaluating", chosen(arguments, (options.TOPICS, *options.CHOICE))))
