"""Tables as text: for terminals, spreadsheets, papers, notebooks and programs."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from excerpt.errors import ExcerptError, UnknownName, json_text
from excerpt.experiments.table import find
from excerpt.model.showable import Showable
from excerpt.render import escape
from excerpt.render.fit import fit

Cell: TypeAlias = str | float | None


@dataclass(frozen=True)
class Table:
    """Columns and rows; a number that is not defined is None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""


@dataclass(frozen=True)
class Look:
    """How a table looks."""

    #: After the point; CSV and TSV keep every digit.
    digits: int = 4
    #: Columns of the terminal, None where lines may be of any length.
    width: int | None = None
    #: Whether cells of CSV and TSV that a spreadsheet would take for formulae are made text.
    safe: bool = False


PLAIN = Look()
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
    return "-" if cell is None or math.isnan(cell) else f"{cell:.{digits}f}"


def _exact(cell: Cell, *, safe: bool) -> str:
    if isinstance(cell, str):
        return escape.spreadsheet(escape.plain(cell)) if safe else escape.plain(cell)
    return "" if cell is None or math.isnan(cell) else repr(cell)


def _numeric(table: Table) -> list[bool]:
    """Which columns have numbers only."""
    return [
        bool(table.rows) and all(not isinstance(row[i], str) for row in table.rows)
        for i in range(len(table.columns))
    ]


def _text(table: Table, look: Look) -> str:
    """Aligned columns for a terminal."""
    blocks = fit(_cells(table, look, escape.plain), _numeric(table), look.width)
    title = [escape.plain(table.title), ""] if table.title else []
    return "\n".join([*title, *("\n".join(block) + "\n" for block in blocks)])


def _markdown(table: Table, look: Look) -> str:
    """A pipe table."""
    heading, *rows = _cells(table, look, escape.markdown)
    marks = ["--:" if right else ":--" for right in _numeric(table)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (heading, marks, *rows)) + "\n"


def _latex(table: Table, look: Look) -> str:
    """A tabular environment."""
    layout = "".join("r" if right else "l" for right in _numeric(table))
    heading, *rows = (" & ".join(row) + r" \\" for row in _cells(table, look, escape.latex))
    body = "\n".join([heading, r"\hline", *rows])
    return f"\\begin{{tabular}}{{{layout}}}\n\\hline\n{body}\n\\hline\n\\end{{tabular}}\n"


def html(table: Table, look: Look = PLAIN) -> str:
    """A table element, for notebooks and pages."""
    heading, *rows = _cells(table, look, escape.html)
    sides = ["right" if right else "left" for right in _numeric(table)]
    lines = [f"<caption>{escape.html(table.title)}</caption>"] if table.title else []
    for mark, cells in (("th", heading), *(("td", row) for row in rows)):
        line = "".join(
            f'<{mark} style="text-align: {side}">{cell}</{mark}>'
            for cell, side in zip(cells, sides, strict=True)
        )
        lines.append(f"<tr>{line}</tr>")
    return "\n".join(["<table>", *lines, "</table>"]) + "\n"


def _separated(delimiter: str) -> Renderer:
    def write(table: Table, look: Look) -> str:
        import csv

        stream = io.StringIO()
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        writer.writerows(
            [_exact(cell, safe=look.safe) for cell in row] for row in (table.columns, *table.rows)
        )
        return stream.getvalue()

    return write


#: Every format of tables but JSON, which each result writes in its own shape.
RENDERERS: dict[str, Renderer] = {
    "table": _text,
    "csv": _separated(","),
    "tsv": _separated("\t"),
    "latex": _latex,
    "markdown": _markdown,
}


#: Formats for programs, which have the single values behind a mean.
_WHOLE = {"csv", "tsv"}


def show(result: Showable, format_: str = "table", look: Look = PLAIN) -> str:
    """A result as the command line prints it; `html` has its warnings below it."""
    if format_ == "json":
        return json_text(result.to_dict(), indent=2) + "\n"
    page = result.page() if format_ == "table" else None
    if page is not None:
        return str(find(page)(result, look))
    columns, rows = result.listed()
    if format_ not in _WHOLE and rows:
        kept = [place for place, cell in enumerate(rows[0]) if not isinstance(cell, list | tuple)]
        columns, *rows = [tuple(row[place] for place in kept) for row in (columns, *rows)]
    table = Table(columns, tuple(tuple(map(_cell, row)) for row in rows))
    if format_ == "html":
        warnings = (f"<p>warning: {escape.html(warning)}</p>\n" for warning in result.warnings)
        return html(table, look) + "".join(warnings)
    return render(table, format_, look)


def draw_result(result: Showable, format_: str) -> bytes:
    """The figure of a result, as svg, pdf or png."""
    from excerpt.render.figures.drawing import draw

    place = result.figure()
    if place is None:
        raise ExcerptError(
            f"found {result!r}, which has no figure, expected a curve or the outcome of an experiment"
        )
    fill = find(place)
    return draw(lambda figure: fill(figure, result), format_)


def _cell(value: object) -> Cell:
    """A value as tables show it: whole numbers and truth as text, lists with spaces between their values."""
    if value is None or isinstance(value, str | float):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join("-" if item is None else str(item) for item in value)
    return str(value)
