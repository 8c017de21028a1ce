"""excerpt curve and excerpt quantisations on small jobs and on mistakes."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from excerpt.evaluation import evaluate

from .conftest import Excerpt


def test_csv_is_what_evaluate_gives(files: Path, excerpt: Excerpt) -> None:
    """Every number of the file is that of a direct evaluation, to the last digit."""
    (files / "other").write_text("1 Q0 B 1 9 other 0 40\n")
    done = excerpt("curve", "qrels", "run", "other", "-m", "iP", "--format", "csv")
    assert done.status == 0
    rows = list(csv.reader(io.StringIO(done.out)))
    assert rows[0] == ["x", "mine", "other"]
    levels = [f"{k / 100:.2f}" for k in range(101)]
    table = evaluate("qrels", ["run", "other"], [f"iP[{level}]" for level in levels])
    assert [[float(cell) for cell in row[1:]] for row in rows[1:]] == table.means().T.tolist()
    assert [float(row[0]) for row in rows[1:]] == [k / 100 for k in range(101)]
    assert "no relevant text" in done.err


def test_topic_points_policies_and_other_formats(files: Path, excerpt: Excerpt) -> None:
    """One topic at chosen ranks, as JSON, as a table, and into a file whose name says the format."""
    options = ("-m", "gP(beta=0.25)", "--points", "3", "--topic", "1", "--interleaved", "regroup")
    read = json.loads(excerpt("curve", "qrels", "run", *options, "--format", "json").out)
    assert (read["measure"], read["topic"], read["x"]) == ("gP(beta=0.25)", "1", [1, 2, 3])
    assert read["runs"][0]["values"] == pytest.approx([51 / 83, 51 / 166, 185 / 498], rel=1e-15)
    assert excerpt("curve", "qrels", "run", *options).out == (
        "x    mine\n---------\n1  0.6145\n2  0.3072\n3  0.3715\n"
    )
    assert excerpt("curve", "qrels", "run", *options, "-o", "gp.csv").status == 0
    assert (files / "gp.csv").read_text().startswith("x,mine\n1,0.614")


def test_several_measures(files: Path, excerpt: Excerpt) -> None:
    """Each has its rows, and its panel in a figure; none is dropped."""
    options = ("-m", "charP", "-m", "charR", "--points", "1:2")
    rows = list(csv.reader(io.StringIO(excerpt("curve", "qrels", "run", *options, "--format", "csv").out)))
    assert [row[:2] for row in rows] == [
        ["measure", "x"],
        *([m, x] for m in ("charP", "charR") for x in "12"),
    ]
    read = json.loads(excerpt("curve", "qrels", "run", *options, "--format", "json").out)
    assert [curve["measure"] for curve in read["curves"]] == ["charP", "charR"]
    alone = json.loads(excerpt("curve", "qrels", "run", *options[2:], "--format", "json").out)
    assert read["curves"][1] == alone
    pytest.importorskip("matplotlib")
    assert excerpt("curve", "qrels", "run", *options, "-o", "two.svg").status == 0


def test_figures(files: Path, excerpt: Excerpt) -> None:
    """Figures are written to files, the same bytes each time, and to standard output that is no terminal."""
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg", "a.png", "b.png", "a.pdf"):
        assert excerpt("curve", "qrels", "run", "-m", "iP", "-o", name).status == 0
    assert (files / "a.svg").read_bytes() == (files / "b.svg").read_bytes()
    assert (files / "a.png").read_bytes() == (files / "b.png").read_bytes()
    assert (files / "a.pdf").read_bytes().startswith(b"%PDF")
    piped = excerpt("curve", "qrels", "run", "-m", "iP", "--format", "svg")
    assert piped.out.encode() == (files / "a.svg").read_bytes()


def test_no_figures_on_a_terminal(files: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure for the terminal is refused before anything is read."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    done = excerpt("curve", "missing", "run", "-m", "iP", "--format", "png")
    assert (done.status, done.err) == (2, "excerpt: png cannot be printed on a terminal; try -o FILE\n")


def test_without_matplotlib(files: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures name the extra to install and leave no file; numbers do without it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = excerpt("curve", "qrels", "run", "-m", "iP", "-o", "a.svg")
    assert done.status == 2
    assert done.err == "excerpt: svg needs matplotlib, which is not installed; pip install 'excerpt[plot]'\n"
    assert sorted(path.name for path in files.iterdir()) == ["qrels", "run"]
    assert excerpt("curve", "qrels", "run", "-m", "iP", "-o", "a.csv").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("qrels", "-m", "iP"),
            "excerpt: no RUN given; give run files after the judgments, or the folder of",
        ),
        ((".",), "excerpt: .: has no record.json, expected a folder of excerpt try"),
        (("qrels", "run", "-m", "ipp"), "excerpt: unknown measure 'ipp'; did you mean 'iP'?"),
        (("qrels", "run", "-m", "AiP"), "excerpt: found AiP, which has no cut-off"),
        (("qrels", "run", "-m", "iP", "--points", "a"), "excerpt: found 'a' as points"),
        (("qrels", "run", "-m", "iP", "--points", "5"), "excerpt: found '5' as cut-off of iP"),
        (("qrels", "run", "-m", "iP", "--topic", "7"), "excerpt: unknown topic '7'; known: 1, 2, 3"),
        (
            ("qrels", "run", "-m", "iP", "--format", "gif"),
            "excerpt: argument --format: found 'gif', expected one of: ",
        ),
        (("qrels", "run", "-m", "iP", "-o", "no/such.csv"), "excerpt: no/such.csv: cannot be written"),
        (("qrels", "run", "-m", "iP", "-o", "."), "excerpt: .: is a directory"),
        (("missing", "run", "-m", "iP", "-o", "a.csv"), "excerpt: missing: cannot be read"),
    ],
)
def test_mistakes_give_one_line_and_leave_nothing(
    files: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str
) -> None:
    """A mistake is one line and exit status 2, and no file appears."""
    done = excerpt("curve", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(message)
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in files.iterdir()) == ["qrels", "run"]


def test_numbers_load_no_matplotlib(files: Path) -> None:
    """Only figures pay for matplotlib."""
    code = (
        "import sys, excerpt.cli\n"
        "status = excerpt.cli.main(['curve', 'qrels', 'run', '-m', 'iP', '-o', 'a.csv'])\n"
        "sys.exit(status or 'matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_quantisations(excerpt: Excerpt) -> None:
    """Every name of the interface is listed, with one default for each scale."""
    rows = json.loads(excerpt("quantisations", "--format", "json").out)
    names = (
        "strict generalised sog any_relevant e3_s32 e3_s321 s3_e32 s3_e321 fully_specific generalised_lifted "
        "binary_exhaustivity specificity"
    )
    assert set(names.split()) <= {row["name"] for row in rows}
    scales = {row["scale"] for row in rows}
    assert sorted(row["scale"] for row in rows if row["default"]) == sorted(scales)
    text = excerpt("quantisations", "--scale", "highlights").out
    assert text.splitlines()[0].split() == ["name", "scale", "default", "what"]
    assert "sog" not in text
    done = excerpt("quantisations", "--scale", "highlight")
    assert (
        done.status,
        done.err.startswith("excerpt: unknown scale 'highlight'; did you mean 'highlights'?"),
    ) == (
        2,
        True,
    )


def test_recall_by_the_characters_read(files: Path, excerpt: Excerpt) -> None:
    """Without a measure: recall at 500, 1000, … 16000 characters, or up to a number of them, or at points."""
    done = excerpt("curve", "qrels", "run", "--format", "json")
    read = json.loads(done.out)
    assert (read["measure"], read["x"][:2], read["x"][-1]) == ("recall", [500, 1000], 16000)
    table = evaluate("qrels", ["run"], ["recall(budget=500)", "recall(budget=16000)"])
    values = read["runs"][0]["values"]
    assert [values[0], values[-1]] == table.means()[0].tolist()
    assert "end before the budget" not in done.err
    assert json.loads(excerpt("curve", "qrels", "run", "--points", "64", "--format", "json").out)["x"] == [
        *range(2, 65, 2)
    ]
    lines = excerpt("curve", "qrels", "run", "--points", "10,60", "--format", "csv").out.splitlines()
    own = evaluate("qrels", ["run"], ["recall(budget=10)", "recall(budget=60)"]).means()[0].tolist()
    assert lines == ["x,mine", f"10,{own[0]!r}", f"60,{own[1]!r}"]
