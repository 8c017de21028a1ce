"""What a result of the library looks like, in every format: scores, curves, outcomes of experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from excerpt.errors import ExcerptError, json_text
from excerpt.experiments.table import find
from excerpt.model.showable import Showable
from excerpt.render import escape
from excerpt.render.tables import PLAIN, Cell, Look, Table, html, render

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
        columns, rows = _pick(columns, kept), [_pick(row, kept) for row in rows]
    table = Table(columns, tuple(tuple(map(_cell, row)) for row in rows))
    if format_ == "html":
        return html(table, look) + _paragraphs(result.warnings)
    return render(table, format_, look)


def draw_result(result: Showable, format_: str) -> bytes:
    """The figure of a result, as svg, pdf or png."""
    from excerpt.render.figures.drawing import draw

    place = result.figure()
    if place is None:
        raise ExcerptError(f"found {result!r}, which has no figure, expected a curve or an outcome")
    fill = find(place)
    return draw(lambda figure: fill(figure, result), format_)


def _pick(row: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    return tuple(row[place] for place in places)


def _cell(value: object) -> Cell:
    """A value as tables show it: whole numbers and truth as text, lists with spaces between their values."""
    if value is None or isinstance(value, str | float):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join("-" if item is None else str(item) for item in value)
    return str(value)


def _paragraphs(warnings: Sequence[str]) -> str:
    return "".join(f"<p>warning: {escape.html(warning)}</p>\n" for warning in warnings)
