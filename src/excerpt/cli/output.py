"""Output of commands: tables, figures and files, in the format of --format or of the file's extension.

Output options are checked before any work is done.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from excerpt import options
from excerpt.cli.console import chosen_colours, show_warnings, warn
from excerpt.cli.parser import chosen
from excerpt.errors import ExcerptError, short
from excerpt.options import FLAG, LEVEL, Option, choice
from excerpt.stats import ALL_TESTS, CORRECTION_NAMES, check_test

if TYPE_CHECKING:
    from excerpt.cli.parser import Arguments
    from excerpt.experiments.study import EvaluateOptions
    from excerpt.model.display import Showable
    from excerpt.render.tables import Look
    from excerpt.scores.score_table import ScoreTable
    from excerpt.scores.score_views import ScoreView

#: Formats of tables with their file extensions.
TABLES = {"table": ".txt", "json": ".json", "csv": ".csv", "tsv": ".tsv", "latex": ".tex", "markdown": ".md"}
#: Formats of scores: also lines of trec_eval.
SCORES = {**TABLES, "trec": ".trec"}
#: Formats of figures with their file extensions.
FIGURES = {"svg": ".svg", "pdf": ".pdf", "png": ".png"}
#: Formats that always include intervals or tests.
_WITH_INTERVALS = {"json", "latex"}
_COMPRESSED = {".gz", ".bz2", ".xz", ".zst"}

_mark = partial(Option, group=options.SIGNIFICANCE)
MARKS = (
    _mark(
        "baseline",
        "mark runs that differ significantly from this run, given by name or file (default: all pairs, by "
        "letters)",
        metavar="RUN",
    ),
    _mark("test", "test, as in excerpt compare (default: bootstrap)", kind=choice(*ALL_TESTS)),
    _mark("correction", "correction, as in excerpt compare (default: by)", kind=choice(*CORRECTION_NAMES)),
    _mark("alpha", "significance level (default: 0.05)", kind=LEVEL, metavar="X"),
    _mark("no-marks", "print no significance markers", kind=FLAG, default=False),
)


def format_options(
    what: str, *, known: Mapping[str, str] = TABLES, output: bool = True, color: bool = True
) -> tuple[Option, ...]:
    """Return --format, --safe-csv, --color and options of LaTeX; with `output` also -o FILE."""
    default = "by the extension of -o FILE, else table" if output else "table"
    help_ = f"format of {what} (default: {default}); json, csv and tsv keep every digit"
    return (
        options.FORMAT.but(help=help_, kind=choice(*known), default=None),
        options.SAFE_CSV,
        *([options.COLOR] if color else []),
        *([options.OUTPUT] if output else []),
        *(options.LATEX if "latex" in known else []),
    )


def figure_options(what: str) -> tuple[Option, ...]:
    """Return --labels, --figure and the other options of figures; `what` is the help of --figure."""
    figure = options.FIGURE.but(help=f"{what} into FILE (.svg, .pdf or .png)")
    return options.LABELS, figure, *options.FIGURES[1:]


def chosen_format(arguments: argparse.Namespace, known: Mapping[str, str] = TABLES) -> str:
    """Return the format that the options choose; call it before any work is done."""
    format_ = arguments.format or format_of(getattr(arguments, "output", "-"), known)
    check_latex(arguments, format_)
    chosen_labels(arguments)
    return format_


def extension_of(name: str) -> str:
    """Return the extension of a file name in lower case, without that of a compression.

    >>> extension_of("a.b/Scores.CSV.gz"), extension_of("-"), extension_of(".hidden")
    ('.csv', '', '')
    """
    suffixes = [f".{part.lower()}" for part in os.path.basename(name).lstrip(".").split(".")[1:]]  # noqa: PTH119
    return next((suffix for suffix in reversed(suffixes) if suffix not in _COMPRESSED), "")


def format_of(name: str, known: Mapping[str, str] = TABLES) -> str:
    """Return the format of a file by its extension; table for standard output and names without extension.

    >>> format_of("scores.csv.gz"), format_of("-")
    ('csv', 'table')
    """
    extension = extension_of(name)
    for format_, its_extension in known.items():
        if extension == its_extension:
            return format_
    if not extension and "table" in known:
        return "table"
    *others, last = known.values()
    raise ExcerptError(
        f"{f'found extension {extension}' if extension else 'no extension given'}, "
        f"expected {', '.join(others)} or {last}",
        path=name,
        hint="or choose the format with --format" if "table" in known else "",
    )


def chosen_labels(arguments: argparse.Namespace) -> Mapping[str, str]:
    """Return the labels of runs, which are read once."""
    given = getattr(arguments, "labels", None) or {}
    if isinstance(given, str):
        from excerpt.run_labels import read_labels

        given = arguments.labels = read_labels(given)
    labels: Mapping[str, str] = given
    return labels


def chosen_look(arguments: argparse.Namespace) -> Look:
    """Return the appearance of tables: digits, width, colours, safe CSV, labels and LaTeX."""
    from excerpt.render.layout import terminal_width
    from excerpt.render.tables import Look

    return Look(
        digits=getattr(arguments, "digits", 4),
        width=terminal_width(getattr(arguments, "output", "-")),
        colours=chosen_colours(arguments),
        safe=arguments.safe_csv,
        labels=chosen_labels(arguments),
        **(_latex(arguments) if _latex_given(arguments) else {}),
    )


def write_result(result: Showable, arguments: argparse.Namespace, format_: str) -> None:
    """Write a result, then its warnings."""
    from excerpt.render.tables import show

    write_text(show(result, format_, chosen_look(arguments)), arguments.output)
    show_warnings(result.warnings)


def print_records(arguments: argparse.Namespace, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of text in the format that the options choose."""
    from excerpt.render.tables import render_records

    print(render_records(names, rows, chosen_format(arguments), chosen_look(arguments)), end="")


def write_text(text: str, output: str) -> None:
    """Write a text to a file or to standard output, before any warnings."""
    from excerpt.files import write_bytes

    write_bytes(output, text.encode(errors="backslashreplace"))
    sys.stdout.flush()


def check_latex(arguments: argparse.Namespace, format_: str) -> None:
    """Raise an error for LaTeX options with another format, or that cannot be combined."""
    for option in _latex_given(arguments):
        if format_ != "latex":
            raise ExcerptError(f"--{option.name} needs --format latex or -o FILE.tex")
        if option in MARKS and option.name != "no-marks" and arguments.no_marks:
            raise ExcerptError(f"--{option.name} and --no-marks cannot be combined")
    if _latex_given(arguments):
        _latex(arguments)
    if getattr(arguments, "test", None) in ALL_TESTS and hasattr(arguments, "no_marks"):
        check_test(arguments.test, ALL_TESTS)


def _latex_given(arguments: argparse.Namespace) -> list[Option]:
    """Return the LaTeX options that the user gave, including significance markers."""
    known = (*options.LATEX, *(MARKS if hasattr(arguments, "no_marks") else ()))
    return [option for option in known if getattr(arguments, option.dest, None) not in {None, False}]


def _latex(arguments: argparse.Namespace) -> dict[str, Any]:
    from excerpt.render.latex import Latex, Marks

    marks = {
        name: getattr(arguments, name) for name in (o.dest for o in _latex_given(arguments) if o in MARKS)
    }
    shown = not marks.pop("no_marks", False)
    return {"latex": Latex(**chosen(arguments, options.LATEX)), "marks": Marks(**marks, marks=shown)}


def check_intervals(arguments: Arguments, format_: str) -> None:
    """Raise an error for options of intervals if the output has none."""
    if arguments.interval is not None or format_ in _WITH_INTERVALS or getattr(arguments, "figure", None):
        return
    for option in options.SAMPLING:
        if option.dest in arguments.parser.given:
            raise ExcerptError(f"--{option.name} needs --interval LEVEL", hint="try --interval 0.95")


def chosen_view(table: ScoreTable, arguments: argparse.Namespace) -> ScoreView:
    """Return a view of the scores by the options of `SCORES`."""
    from excerpt.scores.score_views import ScoreView

    how = {name: getattr(arguments, name) for name in ("per_topic", "by", "interval", "samples", "seed")}
    return ScoreView(table, method=arguments.interval_method, **how)


def check_figure(arguments: argparse.Namespace, *others: str) -> None:
    """Raise an error if figures cannot be drawn; `others` are formats of figures without --figure."""
    named = [format_of(arguments.figure, FIGURES)] if arguments.figure else []
    if not (named or others):
        for option in options.FIGURES[1:]:
            if getattr(arguments, option.dest) is not None:
                raise ExcerptError(f"--{option.name} needs --figure FILE")
        return
    from excerpt.render.figures.drawing import require_drawing
    from excerpt.render.figures.sheet import FigureOptions

    for format_ in (*named, *others):
        require_drawing(format_)
    FigureOptions.of(chosen(arguments, options.PAPER))


def chosen_drawing(arguments: argparse.Namespace, known: Mapping[str, str]) -> str:
    """Return the format that the options choose, of tables or of figures; call it before any work is done."""
    format_ = chosen_format(arguments, known)
    drawn = format_ in FIGURES
    if drawn and arguments.output == "-" and sys.stdout.isatty():
        raise ExcerptError(f"{format_} cannot be printed on a terminal", hint="try -o FILE")
    check_figure(arguments, *([format_] if drawn else []))
    return format_


def write_drawn(result: Showable, arguments: argparse.Namespace, format_: str) -> None:
    """Write a result as a table or as a figure, also into the file of --figure, then its warnings."""
    write_figure(result, arguments)
    if format_ in FIGURES:
        _draw(result, arguments, arguments.output, format_)
        show_warnings(result.warnings)
    else:
        write_result(result, arguments, format_)


def write_figure(result: Showable, arguments: argparse.Namespace) -> None:
    """Draw a result and write its data if --figure is given."""
    if arguments.figure:
        _draw(result, arguments, arguments.figure, format_of(arguments.figure, FIGURES))


def _draw(result: Showable, arguments: argparse.Namespace, name: str, format_: str) -> None:
    """Draw a result into a file, and write its data if --data is given."""
    from excerpt.files import write_bytes
    from excerpt.render.tables import draw_result

    how = {**chosen(arguments, options.PAPER), "labels": chosen_labels(arguments)}
    drawing = draw_result(result, format_, how)
    if arguments.data:
        write_bytes(arguments.data, drawing.data().encode(errors="backslashreplace"))
    write_bytes(name, drawing.picture)
    if drawing.boxes:
        characters = short(drawing.boxes, 20)
        warn(f"{name}: no installed font has {characters}, drawn as boxes; install one that has them")


def has_saved(arguments: argparse.Namespace) -> bool:
    """Return whether saved scores are given; raise an error if they are mixed with other files."""
    from excerpt.files import is_folder, read_bytes, read_once
    from excerpt.score_files.score_rows import is_scores

    saved = [is_scores(name) for name in (arguments.qrels, *arguments.runs)]
    if not saved[0] and not arguments.runs:
        if not read_once(arguments.qrels) and not is_folder(arguments.qrels):
            read_bytes(arguments.qrels)  # a file that is missing is said first
        message = "no RUN given; expected QRELS RUN… or a file of saved scores"
        raise ExcerptError(message, hint="excerpt evaluate --save writes such a file")
    if saved[0] and not all(saved):
        message = "is not a file of saved scores, expected one after the saved scores of the first file"
        raise ExcerptError(message, path=arguments.runs[saved.index(False) - 1])
    for option in () if saved[0] else options.SAVED:
        if getattr(arguments, option.dest, option.default) != option.default:
            raise ExcerptError(f"--{option.name} needs saved scores", path=arguments.qrels)
    read = options.without((*options.READING, *options.POLICY), options.TOPICS, *options.CHOICE)
    for option in read if saved[0] else ():  # saved scores cannot be changed by options
        if getattr(arguments, option.dest, option.default) != option.default:
            raise ExcerptError(f"{option.written[-1]} and saved scores cannot be combined")
    return saved[0]


def saved_table(files: Sequence[str], arguments: argparse.Namespace) -> ScoreTable:
    """Return all saved scores as one table, with the selected measures and topics."""
    from excerpt.experiments.study import known_topics
    from excerpt.measures import expand
    from excerpt.score_files.saved_scores import load_all

    table = load_all(files, arguments.changed_judgments, arguments.missing)
    table = table.select(expand(arguments.measures)) if arguments.measures else table
    return known_topics(table, cast("EvaluateOptions", chosen(arguments, (options.TOPICS, *options.CHOICE))))
