"""Tables as text: for terminals, spreadsheets, papers, notebooks and programs."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from excerpt.errors import ExcerptError, UnknownName, json_text
from excerpt.experiments.table import find
from excerpt.model.display import Showable
from excerpt.model.score_views import Estimate
from excerpt.render import layout
from excerpt.render.layout import fit, wrap

if TYPE_CHECKING:
    from excerpt.render.figures.drawing import Drawing
    from excerpt.render.latex import Latex, Marks

Cell: TypeAlias = str | float | Estimate | None


class Table(NamedTuple):
    """Columns and rows; a number that is not defined is None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    #: Cells that stand out on a terminal with colours, by row and column.
    bold: frozenset[tuple[int, int]] = frozenset()


class Look(NamedTuple):
    """How a table looks."""

    #: After the point; CSV and TSV keep every digit.
    digits: int = 4
    #: Columns of the terminal, None where lines may be of any length.
    width: int | None = None
    #: Whether headings and best values stand out, on a terminal.
    colours: bool = False
    #: Whether cells of CSV and TSV that a spreadsheet would take for formulae are made text.
    safe: bool = False
    #: LaTeX: caption, label and kind of columns.
    latex: Latex | None = None
    #: LaTeX: which differences of scores are marked.
    marks: Marks | None = None


PLAIN = Look()
#: Bold; bold and green.
_HEADING, _BEST = "1", "1;32"
Renderer: TypeAlias = Callable[[Table, Look], str]


def render(table: Table, format_: str, look: Look = PLAIN) -> str:
    """A table in one of the formats; csv and tsv keep every digit."""
    if format_ not in RENDERERS:
        raise UnknownName("table format", format_, RENDERERS)
    return RENDERERS[format_](table, look)


def render_records(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], format_: str, look: Look = PLAIN
) -> str:
    """A plain listing in one of the formats, also as JSON."""
    if format_ == "json":
        return json_text([dict(zip(columns, row, strict=True)) for row in rows], indent=2) + "\n"
    return render(Table(tuple(columns), tuple(map(tuple, rows))), format_, look)


def _cells(table: Table, look: Look, write: Callable[[str], str]) -> list[list[str]]:
    """Heading and rows as text."""
    return [[write(_shown(cell, look.digits)) for cell in row] for row in (table.columns, *table.rows)]


def _shown(cell: Cell, digits: int) -> str:
    if isinstance(cell, str | int):
        return str(cell)
    if isinstance(cell, Estimate):
        low, high = (f"{limit:.{digits}f}" for limit in cell.limits)
        return f"{cell.value:.{digits}f} [{low}, {high}]"
    return "-" if cell is None or math.isnan(cell) else f"{cell:.{digits}f}"


def _exact(cell: Cell, *, safe: bool) -> str:
    if isinstance(cell, Estimate):
        return repr(cell.value)
    if isinstance(cell, str):
        return layout.spreadsheet(layout.plain(cell)) if safe else layout.plain(cell)
    return "" if cell is None or math.isnan(cell) else repr(cell)


def _numeric(table: Table) -> list[bool]:
    """Which columns have numbers only."""
    return [
        bool(table.rows) and all(not isinstance(row[i], str) for row in table.rows)
        for i in range(len(table.columns))
    ]


def _text(table: Table, look: Look) -> str:
    """Aligned columns for a terminal."""

    def paint(row: int, column: int, text: str) -> str:
        style = _HEADING if not row else _BEST if (row - 1, column) in table.bold else ""
        blank = text[: len(text) - len(text.lstrip())]
        return f"{blank}\x1b[{style}m{text.lstrip()}\x1b[0m" if style and text.strip() else text

    cells = _cells(table, look, layout.plain)
    blocks = fit(cells, _numeric(table), look.width, paint if look.colours else None)
    title = [layout.plain(table.title), ""] if table.title else []
    return "\n".join([*title, *("\n".join(block) + "\n" for block in blocks)])


def _markdown(table: Table, look: Look) -> str:
    """A pipe table."""
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


def _latex(table: Table, look: Look, notes: Sequence[str] = ()) -> str:
    """A table for a paper."""
    from excerpt.render.latex import plain_table

    return plain_table(table, look, notes)


def _separated(table: Table, look: Look, *, delimiter: str) -> str:
    """Every digit, for programs."""
    import csv

    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerows([_exact(cell, safe=look.safe) for cell in row] for row in (table.columns, *table.rows))
    return stream.getvalue()


#: Every format of tables but JSON, which each result writes in its own shape.
RENDERERS: dict[str, Renderer] = {
    "table": _text,
    "csv": partial(_separated, delimiter=","),
    "tsv": partial(_separated, delimiter="\t"),
    "latex": _latex,
    "markdown": _markdown,
}


#: Formats for programs, which have the single values behind a mean.
_WHOLE = {"csv", "tsv"}
#: What shows tables of scores in LaTeX.
_SCORES = "render.paper_tables:scores_latex"
#: Rows that a notebook shows.
_MOST_ROWS = 60


def show(result: Showable, format_: str = "table", look: Look = PLAIN) -> str:
    """A result as the command line prints it; `html` has its warnings below it."""
    if format_ == "json":
        return json_text(result.to_dict(), indent=2) + "\n"
    page = result.page(format_)
    if page is not None:
        return str(find(page)(result, look))
    columns, rows = result.listed()
    if format_ in _WHOLE:
        columns, rows = _spread(columns, rows)
    elif rows:
        kept = [place for place, cell in enumerate(rows[0]) if not isinstance(cell, list | tuple)]
        columns, *rows = [tuple(row[place] for place in kept) for row in (columns, *rows)]
    if format_ == "latex":
        numbers = tuple(tuple(map(_number, row)) for row in rows)
        return _latex(Table(columns, numbers), look, result.notes())
    if format_ == "html":
        return _notebook(result, columns, rows, look)
    table = _table(columns, rows)
    if look.colours and format_ == "table" and result.page("latex") == _SCORES:
        best = find("render.paper_tables:best_places")
        first = len(columns) - len(result.to_dict()["measures"])
        table = table._replace(bold=frozenset(best(columns, rows, first, look.digits)))
    return render(table, format_, look) + _below(result.notes(), format_, look)


def _below(notes: Sequence[str], format_: str, look: Look) -> str:
    """What is said below a table, where it is for people; on a terminal no line is wider than it."""
    if format_ not in {"table", "markdown"} or not notes:
        return ""
    if format_ == "markdown":
        return "\n" + "\n\n".join(map(layout.markdown, notes)) + "\n"
    plain = map(layout.plain, notes)
    lines = plain if look.width is None else (line for note in plain for line in wrap(note, look.width))
    return "\n" + "\n".join(lines) + "\n"


def show_latex(result: Showable, options: dict[str, Any]) -> str:
    """What `to_latex` gives: options are those of a table, and for scores those of their marks."""
    from dataclasses import fields

    from excerpt.render.latex import Latex, Marks

    known = {item.name: kind for kind in (Latex, Marks) for item in fields(kind)}
    for name in options:
        if name not in known:
            raise UnknownName("option of a LaTeX table", name, known)
        if known[name] is Marks and result.page("latex") != _SCORES:
            raise ExcerptError(f"found {name}, expected it only for a table of scores")
    own = {kind: {name: options[name] for name in options if known[name] is kind} for kind in (Latex, Marks)}
    return show(result, "latex", Look(latex=Latex(**own[Latex]), marks=Marks(**own[Marks])))


def _notebook(
    result: Showable, columns: tuple[str, ...], rows: Sequence[tuple[object, ...]], look: Look
) -> str:
    """A table element, not longer than a screen or two, then what is to be said of it."""
    more = len(rows) - _MOST_ROWS
    said = [f"… and {more} more rows"] if more > 0 else []
    said += [*result.notes(), *(f"warning: {warning}" for warning in result.warnings)]
    below = "".join(f"<p>{layout.html(line)}</p>\n" for line in said)
    return html(_table(columns, rows[:_MOST_ROWS]), look) + below


def _table(columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> Table:
    return Table(columns, tuple(tuple(map(_cell, row)) for row in rows))


def _spread(
    columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Columns of estimates as three each: the value, its low and its high limit."""
    wide = [any(isinstance(row[place], Estimate) for row in rows) for place in range(len(columns))]

    def spread(row: Sequence[object], three: Callable[[object], tuple[object, ...]]) -> tuple[object, ...]:
        return tuple(
            part for cell, many in zip(row, wide, strict=True) for part in (three(cell) if many else (cell,))
        )

    heading = spread(columns, lambda name: (name, f"{name} low", f"{name} high"))
    return tuple(map(str, heading)), [spread(row, _three) for row in rows]


def _three(cell: object) -> tuple[object, ...]:
    return (cell.value, *cell.limits) if isinstance(cell, Estimate) else (cell, None, None)


def draw_result(result: Showable, format_: str, options: Mapping[str, object]) -> Drawing:
    """The figure of a result, as svg, pdf or png, on paper with these options, and its data."""
    from excerpt.render.figures.drawing import draw
    from excerpt.render.figures.sheet import Paper

    place = result.figure()
    if place is None:
        raise ExcerptError(
            f"found {result!r}, which has no figure, expected scores, a curve or the outcome of an experiment"
        )
    paper, fill = Paper.of(options), find(place)
    return draw(lambda sheet: fill(sheet, result), format_, paper)


def _number(value: object) -> Cell:
    """A value as LaTeX shows it: whole numbers are numbers."""
    return value if isinstance(value, int) and not isinstance(value, bool) else _cell(value)


def _cell(value: object) -> Cell:
    """A value as tables show it: whole numbers and truth as text, lists with spaces between their values."""
    if value is None or isinstance(value, str | float | Estimate):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join("-" if item is None else str(item) for item in value)
    return str(value)
