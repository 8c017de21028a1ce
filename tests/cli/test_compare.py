"""excerpt compare on small jobs and on mistakes."""

from __future__ import annotations

import csv
import io
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from excerpt.cli.scored import CORRECTIONS, TESTS
from excerpt.evaluation import evaluate
from excerpt.experiments.comparison import compare
from excerpt.stats import corrections, significance

from .conftest import Excerpt


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Judgments of 12 topics and three runs: good, nearly as good, bad."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(1)
    qrels = "".join(f"{t} Q0 D{t} 100 1000 100 100:100\n" for t in range(12))
    Path("qrels").write_text(qrels)
    for name, low, high in (("good", 0, 40), ("fair", 5, 45), ("bad", 60, 130)):
        lines = (f"{t} Q0 D{t} 1 1 {name} {100 + draw.randint(low, high)} 100\n" for t in range(12))
        Path(name).write_text("".join(lines))
    return ["bad", "good", "fair"]


def test_names_are_those_of_the_statistics() -> None:
    """What help lists is what the library has."""
    assert set(TESTS) == set(significance.TESTS)
    assert set(CORRECTIONS) == set(corrections.CORRECTIONS)


def test_matrix(runs: list[str], excerpt: Excerpt) -> None:
    """Runs by their means with a sign for each other, and how many pairs differ."""
    done = excerpt("compare", "qrels", *runs, "-m", "charF", "--test", "sign", "--correction", "holm")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["place", "run", "charF", "123"]
    assert [(line.split()[1], line.split()[3]) for line in lines[2:5]] == [
        ("good", "-.>"),
        ("fair", ".->"),
        ("bad", "<<-"),
    ]
    assert lines[6] == (
        "2 of 3 pairs (66.7 %) differ significantly: sign, correction holm of 6 tests, alpha 0.05, 12 topics"
    )


@pytest.mark.parametrize("test", TESTS)
def test_rows_are_those_of_the_library(runs: list[str], excerpt: Excerpt, test: str) -> None:
    """JSON and CSV have every digit of what Python gives, and the record has the inputs."""
    options = ("-m", "charF", "--test", test, "--samples", "200", "--seed", "4", "--alpha", "0.1")
    done = excerpt("compare", "qrels", *runs, *options, "--format", "json")
    printed = json.loads(done.out)
    wanted = compare(evaluate("qrels", runs, "charF"), "charF", test=test, samples=200, seed=4, alpha=0.1)
    assert printed["rows"] == list(wanted.rows)
    assert (printed["record"]["experiment"], printed["record"]["seed"]) == ("compare", 4)
    assert [item["path"] for item in printed["record"]["inputs"]] == ["qrels", *runs]
    assert printed["record"]["arguments"][0] == "compare"
    again = excerpt("compare", "qrels", *runs, *options, "--format", "json")
    assert again.out == done.out
    rows = list(
        csv.DictReader(io.StringIO(excerpt("compare", "qrels", *runs, *options, "--format", "csv").out))
    )
    assert [float(row["p"]) for row in rows] == [row["p"] for row in wanted.rows]
    assert [row["significant"] for row in rows] == [
        "yes" if row["significant"] else "no" for row in wanted.rows
    ]


def test_figures(runs: list[str], excerpt: Excerpt) -> None:
    """The same comparison gives the same bytes, with rows and with the matrix."""
    pytest.importorskip("matplotlib")
    for name, format_ in (("a.svg", "table"), ("b.svg", "json"), ("a.png", "table"), ("a.pdf", "csv")):
        done = excerpt(
            "compare", "qrels", *runs, "-m", "charF", "--figure", name, "--format", format_, "-o", "out"
        )
        assert (done.status, done.out, done.err) == (0, "", "")
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib(runs: list[str], excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure that cannot be drawn is refused before anything is read; numbers do without."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = excerpt("compare", "missing", *runs, "-m", "charF", "--figure", "a.svg")
    assert done.err == "excerpt: svg needs matplotlib, which is not installed; pip install 'excerpt[plot]'\n"
    assert excerpt("compare", "qrels", *runs, "-m", "charF").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "good", "fair"), "excerpt: the following arguments are required: -m/--measure"),
        (("qrels", "good", "-m", "charF"), "excerpt: found 1 run, expected at least 2 to compare"),
        (("qrels", "good", "bad", "-m", "charF", "--test", "z"), "excerpt: argument --test: invalid choice"),
        (("qrels", "good", "bad", "-m", "x", "--correction", "z"), "excerpt: argument --correction: invalid"),
        (
            ("qrels", "good", "bad", "-m", "x", "--alpha", "5"),
            "excerpt: argument --alpha: found '5', expected",
        ),
        (("qrels", "good", "bad", "-m", "x", "--samples", "0"), "excerpt: argument --samples: found '0'"),
        (("qrels", "good", "bad", "-m", "nothing"), "excerpt: unknown measure 'nothing'"),
        (("one", "good", "bad", "-m", "charF"), "excerpt: found 1 topic with scores of all runs"),
        (
            ("qrels", "good", "bad", "-m", "charF", "--figure", "a.gif"),
            "excerpt: unknown figure format 'gif'",
        ),
    ],
)
def test_mistakes(runs: list[str], excerpt: Excerpt, arguments: tuple[str, ...], message: str) -> None:
    """A mistake is one line and exit status 2."""
    Path("one").write_text("1 Q0 D1 100 1000 100 100:100\n")
    done = excerpt("compare", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(message)
    assert done.err.count("\n") == 1


def test_scipy_is_loaded_where_it_is_used(runs: list[str]) -> None:
    """The bootstrap does without scipy; help does without numpy."""
    code = (
        "import sys, excerpt.cli\n"
        "try: excerpt.cli.main(['compare', '--help'])\n"
        "except SystemExit: pass\n"
        "early = {'numpy'} & set(sys.modules)\n"
        "excerpt.cli.main(['compare', 'qrels', 'good', 'bad', '-m', 'charF'])\n"
        "sys.exit(', '.join(early | ({'scipy', 'matplotlib'} & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
