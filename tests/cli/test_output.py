"""Formats of output: by extension, for terminals, for spreadsheets."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path

import pytest

from excerpt.cli.output import FIGURES, TABLES, format_of
from excerpt.errors import ExcerptError
from excerpt.render.tables import RENDERERS

from .conftest import Excerpt


@pytest.fixture
def formula(files: Path) -> str:
    """A run whose name a spreadsheet would compute."""
    (files / "formula").write_text("1 Q0 A 1 9 =cmd() 0 50\n")
    return "formula"


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.json", "o.tex", "o.md", "o.txt", "o", "o.csv.gz"])
@pytest.mark.parametrize("command", [("evaluate",), ("curve", "-m", "iP", "--points", "0:1:0.5")])
def test_the_ending_decides(command: tuple[str, ...], name: str, files: Path, excerpt: Excerpt) -> None:
    """A file has the same content as the printed format."""
    formats = {"csv": "csv", "tsv": "tsv", "json": "json", "tex": "latex", "md": "markdown", "txt": "table"}
    format_ = formats.get(name.removesuffix(".gz").rpartition(".")[2], "table")
    assert excerpt(command[0], "qrels", "run", *command[1:], "-o", name).status == 0
    printed = excerpt(command[0], "qrels", "run", *command[1:], "--format", format_).out
    if not name.endswith(".gz"):
        assert (files / name).read_text() == printed


@pytest.mark.parametrize("command", [("evaluate",), ("curve", "-m", "iP"), ("compare", "run", "-m", "MAiP")])
def test_unknown_endings_are_refused(command: tuple[str, ...], files: Path, excerpt: Excerpt) -> None:
    """Before any file is read, and nothing is left; --format wins."""
    done = excerpt(command[0], "missing", "run", *command[1:], "-o", "o.jpg")
    assert done.status == 2
    assert done.err.startswith("excerpt: o.jpg: found extension .jpg, expected .txt, .json")
    assert not (files / "o.jpg").exists()
    given = excerpt(command[0], "qrels", "run", *command[1:], "-o", "o.jpg", "--format", "csv")
    assert given.status == 0 or "expected" in given.err
    assert "ends in" not in given.err


def test_spreadsheets(formula: str, excerpt: Excerpt) -> None:
    """--safe-csv puts a quote before what would be computed; without it names are as they are."""
    for option, name in ((), "=cmd()"), (("--safe-csv",), "'=cmd()"):
        out = excerpt("evaluate", "qrels", formula, "-m", "MAiP", "--format", "csv", *option).out
        assert next(iter(csv.DictReader(io.StringIO(out))))["run"] == name


def test_the_width_of_a_terminal(files: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal no line is wider than it is; a pipe gets the whole lines."""
    name = "long-name-of-a-run-" * 6
    (files / "long").write_text(f"1 Q0 A 1 9 {name} 0 50\n")
    assert name in excerpt("evaluate", "qrels", "long").out
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    lines = excerpt("evaluate", "qrels", "long").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert excerpt("evaluate", "qrels", "long", "-o", "o.txt").status == 0
    assert name in (files / "o.txt").read_text()


@pytest.mark.parametrize("format_", ["table", "json", "csv", "tsv", "latex", "markdown"])
def test_escapes_of_a_name_reach_nobody(format_: str, files: Path, excerpt: Excerpt) -> None:
    """The name of a run may contain any character; the output contains none that controls a terminal."""
    (files / "bad").write_bytes(b"1 Q0 A 1 9 \x1b[31mred\xc2\x9b1m 0 50\n")
    done = excerpt("evaluate", "qrels", "bad", "--format", format_)
    assert done.status == 0
    assert not {"\x1b", "\x9b"} & set(done.out + done.err)


@pytest.mark.parametrize(("format_", "ending"), [*TABLES.items(), *FIGURES.items()])
@pytest.mark.parametrize("more", ["", ".gz", ".bz2", ".xz", ".zst", ".GZ"])
def test_endings(format_: str, ending: str, more: str) -> None:
    """The ending before that of a compression decides, in large or small letters."""
    known = {**TABLES, **FIGURES}
    assert format_of(f"some.folder/a.b{ending}{more}", known) == format_
    assert format_of(f"A{ending.upper()}", known) == format_


@pytest.mark.parametrize("name", ["-", "rows", "/dev/null", "a.b/rows", ".hidden", "rows.gz"])
def test_names_without_an_ending(name: str) -> None:
    """They are tables."""
    assert format_of(name) == "table"


@pytest.mark.parametrize("name", ["rows.jpg", "rows.svg", "rows.1", "rows.csv.bak"])
def test_unknown_endings(name: str) -> None:
    """They are refused."""
    with pytest.raises(ExcerptError, match=r"expected \.txt, \.json, \.csv, \.tsv, \.tex or \.md"):
        format_of(name)


@pytest.mark.parametrize("name", ["a.txt", "a", "-", "a.gif"])
def test_figures_have_an_ending(name: str) -> None:
    """Nothing else is a figure."""
    with pytest.raises(ExcerptError, match=r"expected \.svg, \.pdf or \.png"):
        format_of(name, FIGURES)


def test_every_table_has_a_renderer() -> None:
    """The names that commands list are those that are rendered; JSON is the results' own."""
    assert {*RENDERERS, "json"} == set(TABLES)


def test_names_load_nothing_heavy() -> None:
    """Help lists the formats without numpy."""
    code = "import sys, excerpt.cli.output; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
