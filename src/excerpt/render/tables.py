"""Tables as text, Markdown, HTML, LaTeX, CSV and TSV."""

from __future__ import annotations

import importlib
import io
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from excerpt.errors import ExcerptError, UnknownName, json_text
from excerpt.model.display import Showable
from excerpt.render import layout
from excerpt.render.layout import fit, wrap
from excerpt.run_labels import read_labels, with_labels
from excerpt.scores.score_views import Bounds, Estimate, PlusMinus

if TYPE_CHECKING:
    from excerpt.render.figures.drawing import Drawing
    from excerpt.render.latex import Latex, Marks

Cell: TypeAlias = str | float | Estimate | None


class Table(NamedTuple):
    """Columns and rows; an undefined number is None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    #: Best values by row and column, for terminals with colours and LaTeX; symbols after numbers in LaTeX.
    bold: Collection[tuple[int, int]] = ()
    marks: Mapping[tuple[int, int], str] = {}


class Look(NamedTuple):
    """Display options of a table."""

    digits: int = 4  # decimals; CSV and TSV keep every digit
    width: int | None = None  # columns of the terminal; None for lines of any length
    colours: bool = False  # whether headings and best values are coloured
    safe: bool = False  # whether cells of CSV and TSV that look like formulae are escaped
    latex: Latex | None = None  # LaTeX: caption, label and column type
    marks: Marks | None = None  # LaTeX: significance markers
    labels: Mapping[str, str] = {}  # labels of runs, in formats for people


PLAIN = Look()
#: Bold; bold and green.
_HEADING, _BEST = "1", "1;32"
Renderer: TypeAlias = Callable[[Table, Look], str]


def render(table: Table, format_: str, look: Look = PLAIN) -> str:
    """Render a table in one of the formats; csv and tsv keep every digit."""
    if format_ not in RENDERERS:
        raise UnknownName("table format", format_, RENDERERS)
    return RENDERERS[format_](table, look)


def render_records(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], format_: str, look: Look = PLAIN
) -> str:
    """Render a listing in one of the formats or as JSON."""
    if format_ == "json":
        return json_text([dict(zip(columns, row, strict=True)) for row in rows], indent=2) + "\n"
    return render(Table(tuple(columns), tuple(map(tuple, rows))), format_, look)


def in_digits(p: float, digits: int = 4) -> str:
    """A p-value in digits, never as 0.

    >>> in_digits(0.02314), in_digits(0.0)
    ('0.0231', '<0.0001')
    """
    shown = f"{p:.{digits}f}"
    return shown if float(shown) or not digits else f"<{10**-digits:.{digits}f}"


def is_p_value(column: str) -> bool:
    """Return whether a column has p-values."""
    return column in {"p", "adjusted"} or column.endswith("_p")


def _cells(table: Table, look: Look, write: Callable[[str], str]) -> list[list[str]]:
    as_p = [is_p_value(name) for name in table.columns]
    rows = [
        [write(_shown(cell, look.digits, p=p)) for cell, p in zip(row, as_p, strict=True)]
        for row in table.rows
    ]
    return [[write(name) for name in table.columns], *rows]


def _shown(cell: Cell, digits: int, *, p: bool = False) -> str:
    if isinstance(cell, str | int):
        return str(cell)
    if isinstance(cell, Bounds):
        return f"{cell.value:.{digits}f} … {cell.high:.{digits}f}"
    if isinstance(cell, PlusMinus):
        return f"{cell.value:.{digits}f}" + ("" if math.isnan(cell.low) else f" ± {cell.low:.{digits}f}")
    if isinstance(cell, Estimate):
        low, high = (f"{limit:.{digits}f}" for limit in cell.limits)
        return f"{cell.value:.{digits}f} [{low}, {high}]"
    if cell is None or math.isnan(cell):
        return "-"
    return in_digits(cell, digits) if p else f"{cell:.{digits}f}"


def _exact(cell: Cell, *, safe: bool) -> str:
    if isinstance(cell, Estimate):
        return repr(cell.value)
    if isinstance(cell, str):
        return layout.spreadsheet(layout.plain(cell)) if safe else layout.plain(cell)
    return "" if cell is None or math.isnan(cell) else repr(cell)


def _numeric(table: Table) -> list[bool]:
    """Mask of the columns that contain only numbers."""
    return [
        bool(table.rows) and all(not isinstance(row[i], str) for row in table.rows)
        for i in range(len(table.columns))
    ]


def _text(table: Table, look: Look) -> str:

    def paint(row: int, column: int, text: str) -> str:
        style = _HEADING if not row else _BEST if (row - 1, column) in table.bold else ""
        blank = text[: len(text) - len(text.lstrip())]
        return f"{blank}\x1b[{style}m{text.lstrip()}\x1b[0m" if style and text.strip() else text

    cells = _cells(table, look, layout.plain)
    blocks = fit(cells, _numeric(table), look.width, paint if look.colours else None)
    title = [layout.plain(table.title), ""] if table.title else []
    return "\n".join([*title, *("\n".join(block) + "\n" for block in blocks)])


def _markdown(table: Table, look: Look) -> str:
    heading, *rows = _cells(table, look, layout.markdown)
    marks = ["--:" if right else ":--" for right in _numeric(table)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (heading, marks, *rows)) + "\n"


def html(table: Table, look: Look = PLAIN) -> str:
    """A table element, for notebooks and pages."""
    heading, *rows = _cells(table, look, layout.html)
    sides = ["right" if right else "left" for right in _numeric(table)]
    lines = [f"<caption>{layout.html(table.title)}</caption>"] if table.title else []
    for mark, cells in (("th", heading), *(("td", row) for row in rows)):
        line = "".join(
            f'<{mark} style="text-align: {side}">{cell}</{mark}>'
            for cell, side in zip(cells, sides, strict=True)
        )
        lines.append(f"<tr>{line}</tr>")
    return "\n".join(["<table>", *lines, "</table>"]) + "\n"


def latex(table: Table, look: Look, notes: Sequence[str] = ()) -> str:
    """LaTeX of a table; notes are text."""
    from excerpt.render.latex import document, tabular

    return document([tabular(table, look)], look.latex, [f"{layout.latex(note)}." for note in notes])


def _separated(table: Table, look: Look, *, delimiter: str) -> str:
    import csv

    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerows([_exact(cell, safe=look.safe) for cell in row] for row in (table.columns, *table.rows))
    return stream.getvalue()


#: All formats of tables except JSON, which each result defines itself.
RENDERERS: dict[str, Renderer] = {
    "table": _text,
    "csv": partial(_separated, delimiter=","),
    "tsv": partial(_separated, delimiter="\t"),
    "latex": latex,
    "markdown": _markdown,
}


#: Formats with the limits of intervals as columns, and with the names of runs instead of labels.
_WHOLE = {"csv", "tsv"}
#: Functions that render a class of result, or the outcome of an experiment, in a format; the others are
#: plain tables. And functions that draw them: all as `module:name` in this package.
PAGES: dict[tuple[str, str], str] = {
    ("ScoreTable", "latex"): "paper_tables:scores_latex",
    ("ScoreTable", "trec"): "summaries:lines",
    ("Agreement", "table"): "summaries:agreement_text",
    ("Counterfactuals", "table"): "explanations:causes",
    ("Counterfactuals", "markdown"): "explanations:causes_markdown",
    ("Explanation", "table"): "explanations:page",
    ("Explanation", "markdown"): "explanations:markdown",
    ("Explanation", "html"): "explanations:page_html",
    ("Gate", "table"): "summaries:text",
    ("Gate", "markdown"): "summaries:markdown",
    ("Gate", "html"): "summaries:notebook",
    ("JudgesCompared", "table"): "summaries:judges_text",
    ("Outcome", "latex"): "paper_tables:rows_latex",
    ("PoolInfo", "table"): "summaries:pages",
    ("Trial", "table"): "trial_page:text",
    ("Trial", "markdown"): "trial_page:markdown",
    ("Trial", "html"): "trial_page:notebook",
    ("CampaignProgress", "table"): "summaries:status_text",
    ("Adjudication", "table"): "summaries:adjudication_text",
    ("agreement", "table"): "paper_tables:conclusion_matrices",
    ("agreement", "latex"): "paper_tables:conclusion_latex",
    ("compare", "table"): "paper_tables:comparison_matrices",
    ("compare", "latex"): "paper_tables:comparison_latex",
    ("compare", "markdown"): "paper_tables:comparison_markdown",
}
FIGURES = {
    "Curve": "figures.means:lines",
    "Curves": "figures.means:panels",
    "ScoreTable": "figures.means:scores",
    "Trial": "figures.means:trial_lines",
    "agreement": "figures.scatters:differences",
    "anova": "figures.levels:shares",
    "anova factors": "figures.levels:shares_of_factors",
    "compare": "figures.differences:compared",
    "compare factors": "figures.differences:effects",
    "correlate": "figures.scatters:scatters",
    "power": "figures.levels:chances",
    "stability depth": "figures.levels:depth_lines",
    "stability errors": "figures.levels:error_lines",
    "stability pool": "figures.levels:mean_lines",
    "stability effort": "figures.levels:effort_lines",
    "stability sampled": "figures.levels:coverage_lines",
    "stability topics": "figures.levels:mean_lines",
    "stability unpooled": "figures.levels:changes",
    "testerror": "figures.scatters:error_bars",
}
_MOST_ROWS = 60  # most rows in a notebook


def load(address: str) -> Any:
    """Import the function at `module:name` of this package."""
    module, _, name = address.partition(":")
    return getattr(importlib.import_module(f"excerpt.render.{module}"), name)


def page_of(result: Showable, format_: str) -> str:
    """Address of the function that renders a result in a format; empty for a plain table."""
    return next((PAGES[name, format_] for name in result.shown_as() if (name, format_) in PAGES), "")


def show(result: Showable, format_: str = "table", look: Look = PLAIN) -> str:
    """Render a result as the command line prints it; `html` includes its warnings."""
    if format_ == "json":
        return json_text(result.to_dict(), indent=2) + "\n"
    if look.labels and format_ not in {*_WHOLE, "trec"}:
        result = with_labels(result, look.labels)
        if look.marks and look.marks.baseline:
            baseline = look.labels.get(look.marks.baseline, look.marks.baseline)
            look = look._replace(marks=replace(look.marks, baseline=baseline))
    if page := page_of(result, format_):
        return str(load(page)(result, look))
    columns, rows = result.recorded() if format_ in _WHOLE else result.listed()
    if format_ in _WHOLE:
        columns, rows = _spread(columns, rows)
    elif rows:
        kept = [place for place, cell in enumerate(rows[0]) if not isinstance(cell, list | tuple)]
        columns, *rows = [tuple(row[place] for place in kept) for row in (columns, *rows)]
    if format_ == "latex":
        numbers = tuple(tuple(map(number_cell, row)) for row in rows)
        return latex(Table(columns, numbers), look, result.notes())
    if format_ == "html":
        return _notebook(result, columns, rows, look)
    table = _table(columns, rows)
    if look.colours and format_ == "table" and _is_scores(result):
        best = load("paper_tables:best_places")
        first = len(columns) - len(result.to_dict()["measures"])
        table = table._replace(bold=best(columns, rows, first, look.digits))
    return render(table, format_, look) + _below(result.notes(), format_, look)


def _is_scores(result: Showable) -> bool:
    return page_of(result, "latex") == PAGES["ScoreTable", "latex"]


def _below(notes: Sequence[str], format_: str, look: Look) -> str:
    """Notes below a table in text or Markdown, wrapped to the terminal."""
    if format_ not in {"table", "markdown"} or not notes:
        return ""
    if format_ == "markdown":
        return "\n" + "\n\n".join(map(layout.markdown, notes)) + "\n"
    plain = map(layout.plain, notes)
    lines = plain if look.width is None else (line for note in plain for line in wrap(note, look.width))
    return "\n" + "\n".join(lines) + "\n"


def show_latex(result: Showable, options: dict[str, Any]) -> str:
    """LaTeX of a result; options are those of a table and, for scores, of significance markers."""
    from excerpt.render.latex import Latex, Marks

    labels = read_labels(options.pop("labels", None) or {})
    known = {item.name: kind for kind in (Latex, Marks) for item in fields(kind)}
    for name in options:
        if name not in known:
            raise UnknownName("option of a LaTeX table", name, known)
        if known[name] is Marks and not _is_scores(result):
            raise ExcerptError(f"{name} needs a table of scores")
    own = {kind: {name: options[name] for name in options if known[name] is kind} for kind in (Latex, Marks)}
    return show(result, "latex", Look(latex=Latex(**own[Latex]), marks=Marks(**own[Marks]), labels=labels))


def _notebook(
    result: Showable, columns: tuple[str, ...], rows: Sequence[tuple[object, ...]], look: Look
) -> str:
    """HTML table with at most `_MOST_ROWS` rows, then notes and warnings."""
    more = len(rows) - _MOST_ROWS
    notes = [f"… and {more} more rows"] if more > 0 else []
    notes += [said] if (said := getattr(result, "verdict", "")) else []
    notes += [*result.notes(), *(f"warning: {warning}" for warning in result.warnings)]
    below = "".join(f"<p>{layout.html(line)}</p>\n" for line in notes)
    return html(_table(columns, rows[:_MOST_ROWS]), look) + below


def _table(columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> Table:
    return Table(columns, tuple(tuple(map(_cell, row)) for row in rows))


def _spread(
    columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Split columns of estimates into three: value, lower and upper limit."""
    wide = {place for row in rows for place, cell in enumerate(row) if isinstance(cell, Estimate)}
    sampled = any(isinstance(cell, PlusMinus) for row in rows for cell in row)
    ends = ("error_design", "error_topics") if sampled else ("low", "high")

    def three(cell: object) -> tuple[object, ...]:
        return (cell.value, *cell.limits) if isinstance(cell, Estimate) else (cell, None, None)

    names = (
        (name, *(f"{name} {end}" for end in ends))[: 3 if at in wide else 1]
        for at, name in enumerate(columns)
    )
    cells = [[three(cell)[: 3 if at in wide else 1] for at, cell in enumerate(row)] for row in rows]
    return tuple(chain.from_iterable(names)), [tuple(chain.from_iterable(row)) for row in cells]


def draw_result(result: Showable, format_: str, options: Mapping[str, object]) -> Drawing:
    """Draw the figure of a result as svg, pdf or png."""
    from excerpt.render.figures.drawing import draw
    from excerpt.render.figures.sheet import FigureOptions

    if result.drawn_as() not in FIGURES:
        raise ExcerptError(
            f"{result!r} has no figure; expected scores, a curve or the outcome of an experiment with one"
        )
    labels = read_labels(cast("Any", options.get("labels") or {}))
    own = FigureOptions.of({name: value for name, value in options.items() if name != "labels"})
    own = replace(own, highlight=tuple(labels.get(name, name) for name in own.highlight))
    fill, labelled = load(FIGURES[result.drawn_as()]), with_labels(result, labels) if labels else result
    return draw(lambda sheet: fill(sheet, labelled), format_, own)


def value_html(value: object) -> str:
    """HTML that notebooks show of a run, judgments, a corpus or chunks."""
    return str(load("value_tables:value_html")(value))


def number_cell(value: object) -> Cell:
    """Cell of a LaTeX table: integers stay numbers."""
    return value if isinstance(value, int) and not isinstance(value, bool) else _cell(value)


def _cell(value: object) -> Cell:
    """Cell of a table: integers, booleans and lists become text."""
    if value is None or isinstance(value, str | float | Estimate):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join("-" if item is None else str(item) for item in value)
    return str(value)
