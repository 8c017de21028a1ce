"""Tables in every format, with the names that break them."""

from __future__ import annotations

import csv
import io
import json
import math
from xml.etree import ElementTree as ET

import pytest

from excerpt.errors import UnknownName
from excerpt.render.tables import Look, Table, html, render, render_records

HOSTILE = 'a|b\n\x1b[31m\x9b1m,"c"\t<script>&\u202e'
TABLE = Table(("run", "MAiP"), ((HOSTILE, 0.5), ("=1+1", None), ("plain", math.nan)), "A title")


@pytest.mark.parametrize("format_", ["table", "markdown", "latex", "csv", "tsv"])
def test_no_raw_escapes(format_: str) -> None:
    """Lines are those of the table, and no terminal is told anything."""
    text = render(TABLE, format_)
    lines = {"table": 7, "markdown": 5, "latex": 9, "csv": 4, "tsv": 4}[format_]
    assert text.count("\n") == lines
    assert not set(text) & set("\x1b\x9b\r\u202e")


def test_text() -> None:
    """Numbers are aligned to the right, what is undefined is a dash."""
    shown = render(Table(("run", "MAiP"), (("a", 0.5), ("long name", None))), "table", Look(digits=2))
    assert shown == "run        MAiP\n---------------\na          0.50\nlong name     -\n"


def test_markdown() -> None:
    """A pipe in a name is no column."""
    text = render(Table(("run", "MAiP"), (("a|b", 0.5),)), "markdown")
    assert text == "| run | MAiP |\n| :-- | --: |\n| a\\|b | 0.5000 |\n"


def test_latex() -> None:
    """A tabular that compiles, whatever the names are."""
    text = render(Table(("run", "iP[0.01]"), (("x^2_~\\", 0.5),)), "latex")
    assert r"x\textasciicircum{}2\_\textasciitilde{}\textbackslash{} & 0.5000 \\" in text
    assert text.startswith("\\begin{tabular}{lr}\n\\hline\nrun & iP[0.01] \\\\\n\\hline\n")


@pytest.mark.parametrize(("format_", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_separated_values(format_: str, delimiter: str) -> None:
    """Every digit, names quoted where they must be; with `safe` no cell is a formula."""
    table = Table(("run", "x"), (('a,"b"', 1 / 3), ("=1+1", -0.5), ("-", None)))
    rows = list(csv.reader(io.StringIO(render(table, format_)), delimiter=delimiter))
    assert rows == [["run", "x"], ['a,"b"', repr(1 / 3)], ["=1+1", "-0.5"], ["-", ""]]
    safe = list(csv.reader(io.StringIO(render(table, format_, Look(safe=True))), delimiter=delimiter))
    assert safe == [["run", "x"], ['a,"b"', repr(1 / 3)], ["'=1+1", "-0.5"], ["'-", ""]]


def test_html() -> None:
    """A well-formed table in which names are text."""
    tree = ET.fromstring(html(TABLE))
    assert [cell.text for cell in tree.iter("th")] == ["run", "MAiP"]
    assert [cell.text for cell in tree.iter("td")][1::2] == ["0.5000", "-", "-"]
    assert "".join(tree.itertext()).count("<script>") == 1


def test_records() -> None:
    """A listing as JSON has an object per row, without control characters."""
    text = render_records(("a", "b"), [("x\x9b", 1.5)], "json")
    assert json.loads(text) == [{"a": "x\x9b", "b": 1.5}]
    assert "\x9b" not in text
    assert render_records(("a",), [], "table") == "a\n-\n"


def test_unknown_formats() -> None:
    """The known ones are named."""
    with pytest.raises(UnknownName, match="unknown table format 'cvs'; did you mean 'csv'"):
        render(TABLE, "cvs")
