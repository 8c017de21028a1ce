"""Which output format a file's name asks for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from excerpt.errors import ExcerptError
from excerpt.render.formats import FIGURES, TABLES, choose_format
from excerpt.render.tables import RENDERERS


@pytest.mark.parametrize(("format_", "ending"), [*TABLES.items(), *FIGURES.items()])
@pytest.mark.parametrize("more", ["", ".gz", ".bz2", ".xz", ".zst", ".GZ"])
def test_endings(format_: str, ending: str, more: str) -> None:
    """The ending before that of a compression decides, in large or small letters."""
    known = {**TABLES, **FIGURES}
    assert choose_format(f"some.folder/a.b{ending}{more}", None, known) == format_
    assert choose_format(f"A{ending.upper()}", None, known) == format_


@pytest.mark.parametrize("name", ["-", "rows", "/dev/null", "a.b/rows", ".hidden", "rows.gz"])
def test_names_without_an_ending(name: str) -> None:
    """They are tables."""
    assert choose_format(name) == "table"


@pytest.mark.parametrize("name", ["rows.jpg", "rows.svg", "rows.1", "rows.csv.bak"])
def test_unknown_endings(name: str) -> None:
    """They are refused, unless the format was given, which wins over every ending."""
    with pytest.raises(ExcerptError, match=r"expected \.txt, \.json, \.csv, \.tsv, \.tex or \.md"):
        choose_format(name)
    assert choose_format(name, "csv") == "csv"
    assert choose_format("rows.json", "csv") == "csv"


@pytest.mark.parametrize("name", ["a.txt", "a", "-", "a.gif"])
def test_figures_have_an_ending(name: str) -> None:
    """Nothing else is a figure."""
    with pytest.raises(ExcerptError, match=r"expected \.svg, \.pdf or \.png"):
        choose_format(name, known=FIGURES)


def test_every_table_has_a_renderer() -> None:
    """The names that commands list are those that are rendered; JSON is the results' own."""
    assert {*RENDERERS, "json"} == set(TABLES)


def test_names_load_nothing_heavy() -> None:
    """Help lists the formats without numpy."""
    code = "import sys, excerpt.render.formats; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
