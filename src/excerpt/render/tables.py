"""Tables as text: for terminals, spreadsheets, papers and programs."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from excerpt.errors import UnknownName
from excerpt.model.scores import ScoreTable

Cell: TypeAlias = str | float | None


@dataclass(frozen=True)
class Table:
    """Columns and rows; a number that is not defined is None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""


def score_rows(scores: ScoreTable, *, per_topic: bool = False) -> Table:
    """Scores with one column per measure: a line per run, or per run and topic with `all` for the mean."""
    rows: list[tuple[Cell, ...]] = []
    entries = scores.to_dict(per_topic=per_topic)["runs"]
    for entry in entries:
        if per_topic:
            rows += [(entry["name"], topic, *found.values()) for topic, found in entry["topics"].items()]
            rows.append((entry["name"], "all", *entry["scores"].values()))
        else:
            rows.append((entry["name"], *entry["scores"].values()))
    heading = ("run", "topic") if per_topic else ("run",)
    return Table((*heading, *scores.measures), tuple(rows))


def _shown(cell: Cell, digits: int) -> str:
    if isinstance(cell, str):
        return cell
    return "-" if cell is None or math.isnan(cell) else f"{cell:.{digits}f}"


def _exact(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return "" if cell is None or math.isnan(cell) else repr(cell)


def _numeric(table: Table) -> list[bool]:
    return [all(not isinstance(row[i], str) for row in table.rows) for i in range(len(table.columns))]


def text(table: Table, digits: int = 4) -> str:
    """Aligned columns for a terminal."""
    cells = [table.columns, *([_shown(cell, digits) for cell in row] for row in table.rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(table.columns))]
    numeric = _numeric(table) if table.rows else [False] * len(widths)
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in cells
    ]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([*([table.title, ""] if table.title else []), lines[0], rule, *lines[1:]]) + "\n"


def markdown(table: Table, digits: int = 4) -> str:
    """A pipe table."""
    marks = ["--:" if right else ":--" for right in _numeric(table)]
    rows = [table.columns, marks, *([_shown(cell, digits) for cell in row] for row in table.rows)]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in escaped) + "\n"


_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
)


def latex(table: Table, digits: int = 4) -> str:
    """A tabular environment."""
    layout = "".join("r" if right else "l" for right in _numeric(table))
    rows = [
        " & ".join(cell.translate(_LATEX) for cell in row) + r" \\"
        for row in (table.columns, *([_shown(cell, digits) for cell in row] for row in table.rows))
    ]
    body = "\n".join([rows[0], r"\hline", *rows[1:]])
    return f"\\begin{{tabular}}{{{layout}}}\n\\hline\n{body}\n\\hline\n\\end{{tabular}}\n"


def _separated(delimiter: str) -> Callable[[Table, int], str]:
    def write(table: Table, digits: int = 4) -> str:  # noqa: ARG001 - full precision, for programs
        stream = io.StringIO()
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows([_exact(cell) for cell in row] for row in table.rows)
        return stream.getvalue()

    return write


_RENDERERS: dict[str, Callable[[Table, int], str]] = {
    "table": text,
    "csv": _separated(","),
    "tsv": _separated("\t"),
    "latex": latex,
    "markdown": markdown,
}
FORMATS = (*_RENDERERS, "json")


def render(table: Table, format_: str, digits: int = 4) -> str:
    """A table in one of the formats; csv and tsv keep every digit."""
    if format_ not in _RENDERERS:
        raise UnknownName("table format", format_, _RENDERERS)
    return _RENDERERS[format_](table, digits)


def render_scores(scores: ScoreTable, format_: str, *, per_topic: bool = False, digits: int = 4) -> str:
    """Scores in one of `FORMATS`."""
    if format_ == "json":
        return json.dumps(scores.to_dict(per_topic=per_topic), indent=2, ensure_ascii=False) + "\n"
    return render(score_rows(scores, per_topic=per_topic), format_, digits)


def render_records(columns: Sequence[str], rows: Sequence[Sequence[Cell]], format_: str) -> str:
    """A plain listing in one of `FORMATS`."""
    if format_ == "json":
        records = [dict(zip(columns, row, strict=True)) for row in rows]
        return json.dumps(records, indent=2, ensure_ascii=False) + "\n"
    return render(Table(tuple(columns), tuple(tuple(row) for row in rows)), format_)
