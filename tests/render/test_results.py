"""Results that print themselves: as the command does, short for people, escaped for notebooks."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from excerpt import ScoreTable, collection, evaluate
from excerpt.cli import main
from excerpt.evaluation.curves import Curve, curve
from excerpt.experiments.comparison import compare
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.paper import stability
from excerpt.render.results import show

QRELS = str(collection.qrels())
RUNS = [str(run.path) for run in collection.runs("focused")][:3]
TABLE = evaluate(QRELS, RUNS, ["MAiP", "charF"])
RESULTS = {
    "evaluate": (TABLE, ("-m", "MAiP", "-m", "charF")),
    "evaluate --per-topic": (TABLE.by_topic(), ("-m", "MAiP", "-m", "charF")),
    "curve": (curve(QRELS, RUNS, "charP", points="1:3"), ("-m", "charP", "--points", "1:3")),
    "compare": (compare(TABLE, samples=100), ("-m", "MAiP", "-m", "charF", "--samples", "100")),
    "stability topics": (
        stability("topics", TABLE, levels=(50,), samples=3),
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
    """What a console shows of a result is one line."""
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
    """A notebook shows text, never markup of a name; warnings stand below the table."""
    html = result._repr_html_()
    assert "<script>" not in html
    assert "\x1b" not in html
    tree = ET.fromstring(f"<div>{html}</div>")
    assert [child.tag for child in tree] == ["table", "p"]
    assert "warning: " in str(tree[1].text)


@pytest.mark.parametrize("format_", ["table", "json", "csv", "tsv", "latex", "markdown"])
@pytest.mark.parametrize("result", [BAD, ROWS])
def test_no_raw_escapes(result: ScoreTable | Outcome, format_: str) -> None:
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
        "early = 'excerpt.render.results' in sys.modules\n"
        "str(table)\n"
        "sys.exit(early or 'excerpt.render.results' not in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
