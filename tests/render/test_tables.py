"""Tables in every format, with the names that break them."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from excerpt import ScoreTable, collection, evaluate
from excerpt.cli import main
from excerpt.errors import UnknownName
from excerpt.experiments.comparison import compare
from excerpt.experiments.curves import Curve, curve
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.stability import stability
from excerpt.experiments.table import EXPERIMENTS
from excerpt.render.tables import (
    FIGURES,
    PAGES,
    RENDERERS,
    Look,
    Table,
    html,
    load,
    render,
    render_records,
    show,
)

HOSTILE = 'a|b\n\x1b[31m\x9b1m,"c"\t<script>&\u202e'
TABLE = Table(("run", "MAiP"), ((HOSTILE, 0.5), ("=1+1", None), ("plain", math.nan)), "A title")


@pytest.mark.parametrize("format_", ["table", "markdown", "latex", "csv", "tsv"])
def test_no_raw_escapes(format_: str) -> None:
    """Lines are those of the table, without control codes for a terminal."""
    text = render(TABLE, format_)
    lines = {"table": 7, "markdown": 5, "latex": 11, "csv": 4, "tsv": 4}[format_]
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
    assert "\\begin{tabular}{lr}\n\\toprule\nrun & iP[0.01] \\\\\n\\midrule\n" in text


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


QRELS = str(collection.qrels())
RUNS = [str(run.path) for run in collection.runs("focused")][:3]
SCORES = evaluate(QRELS, RUNS, ["MAiP", "charF"])
RESULTS = {
    "evaluate": (SCORES, ("-m", "MAiP", "-m", "charF")),
    "evaluate --per-topic": (SCORES.by_topic(), ("-m", "MAiP", "-m", "charF")),
    "curve": (curve(QRELS, RUNS, "charP", points="1:3"), ("-m", "charP", "--points", "1:3")),
    "compare": (compare(SCORES, samples=100), ("-m", "MAiP", "-m", "charF", "--samples", "100")),
    "stability topics": (
        stability("topics", SCORES, levels=(50,), samples=3),
        ("-m", "MAiP", "-m", "charF", "--levels", "50", "--samples", "3"),
    ),
}


@pytest.mark.parametrize("command", RESULTS)
@pytest.mark.parametrize("format_", ["table", "markdown", "latex", "csv", "tsv"])
def test_what_the_command_prints(
    command: str, format_: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """`print(result)`, `to_markdown()` and the rest are the output of the command, byte for byte."""
    result, options = RESULTS[command]
    assert main([*command.split(), QRELS, *RUNS, *options, "--format", format_]) == 0
    printed = capsysbinary.readouterr().out.decode()
    assert printed == show(result, format_)
    if format_ == "table":
        assert f"{result}\n" == printed
    if format_ in {"markdown", "latex"}:
        assert getattr(result, f"to_{format_}")() == printed


@pytest.mark.parametrize("command", RESULTS)
def test_short_in_a_console(command: str) -> None:
    """A console shows a result in one line."""
    text = repr(RESULTS[command][0])
    assert len(text) < 120
    assert "\n" not in text


HOSTILE = "<script>alert(1)</script>\x1b[0m\n|"
BAD = ScoreTable((HOSTILE,), (HOSTILE,), ("1",), ("MAiP",), np.array([[[0.5]]]), (f"about {HOSTILE}",))
ROWS = Outcome(({"run": HOSTILE, "mean": 0.5, "values": [0.5, None]},), Record("compare"), (HOSTILE,))


@pytest.mark.parametrize(
    "result",
    [
        BAD,
        BAD.by_topic(),
        ROWS,
        Curve("iP", np.array([1]), (HOSTILE,), ("f",), np.ones((1, 1)), "x", "y", None, (HOSTILE,)),
    ],
)
def test_notebooks(result: ScoreTable | Outcome | Curve) -> None:
    """A notebook shows text, never markup of a name; warnings are below the table."""
    html = result._repr_html_()
    assert "<script>" not in html
    assert "\x1b" not in html
    tree = ET.fromstring(f"<div>{html}</div>")
    assert [child.tag for child in tree] == ["table", "p"]
    assert "warning: " in str(tree[1].text)


@pytest.mark.parametrize("format_", ["table", "json", "csv", "tsv", "latex", "markdown"])
@pytest.mark.parametrize("result", [BAD, ROWS])
def test_results_have_no_raw_escapes(result: ScoreTable | Outcome, format_: str) -> None:
    """No format lets a terminal escape through; JSON still has the name itself."""
    text = show(result, format_)
    assert "\x1b" not in text
    if format_ == "json":
        assert HOSTILE in json.dumps(json.loads(text), ensure_ascii=False).encode().decode("unicode_escape")


def test_rows_for_people_leave_out_lists() -> None:
    """The single values behind a mean are in CSV, not in tables."""
    assert "values" not in show(ROWS, "markdown")
    assert show(ROWS, "csv").endswith("0.5,0.5 -\n")


def test_the_model_does_not_load_the_renderer(tmp_path: Path) -> None:
    """Only printing opens the door."""
    import subprocess
    import sys

    code = (
        "import sys, excerpt\n"
        "from excerpt.model import ScoreTable\n"
        "table = ScoreTable.from_scores({('r', '1', 'MAiP'): 0.5})\n"
        "early = 'excerpt.render.tables' in sys.modules\n"
        "str(table)\n"
        "sys.exit(early or 'excerpt.render.tables' not in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_whole_numbers_have_no_point_and_stand_at_the_right() -> None:
    """As other numbers do."""
    table = Table(("topic", "documents"), (("a", 5), ("b", 12)))
    assert render(table, "table").splitlines() == [
        "topic  documents",
        "----------------",
        "a              5",
        "b             12",
    ]
    assert render(table, "csv").splitlines()[1:] == ["a,5", "b,12"]


def test_best_values_stand_out_in_colours() -> None:
    """The heading is bold and the best of each measure green; nothing moves, and data have no colours."""
    measures = ["charP", "charR"]
    table = evaluate(collection.qrels(), [run.path for run in collection.runs("focused")], measures)
    plain, coloured = show(table, "table"), show(table, "table", Look(colours=True))
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    means = table.means()
    for column in range(len(measures)):
        best = f"\x1b[1;32m{means[:, column].max():.4f}\x1b[0m"
        assert coloured.count("\x1b[1;32m") == 2
        assert best in coloured
    assert coloured.startswith("\x1b[1mrun")
    assert show(table, "csv", Look(colours=True)) == show(table, "csv")


def test_notes_are_no_wider_than_the_terminal() -> None:
    """Notes below a table are wrapped like its cells."""
    table = evaluate(collection.qrels(), [collection.runs("focused")[0].path])
    narrow = show(table, "table", Look(width=50))
    assert max(map(len, narrow.splitlines())) <= 50
    assert " ".join(narrow.split("\n\n")[-1].split()) == " ".join(show(table).split("\n\n")[-1].split())


@pytest.mark.parametrize("address", sorted({*PAGES.values(), *FIGURES.values()}))
def test_every_address_is_a_function(address: str) -> None:
    """What renders or draws a result can be loaded."""
    assert callable(load(address))


def test_what_has_its_own_page_or_figure() -> None:
    """A result of a class, or the outcome of an experiment."""
    own = {*FIGURES, *(name for name, _ in PAGES)}
    known = {*EXPERIMENTS, "anova factors", "compare factors"}
    assert {name for name in own if name.islower()} <= known
    assert {format_ for _, format_ in PAGES} <= {*RENDERERS, "html", "trec"}
