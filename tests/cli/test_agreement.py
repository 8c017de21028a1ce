"""excerpt agreement on the embedded collection and on mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from excerpt import collection
from excerpt.evaluation import evaluate
from excerpt.experiments.agreement import agreement

from .conftest import Excerpt

RUNS = [run.path for run in collection.runs("focused")]
FILES = (collection.qrels(), *RUNS)
FEW = ("--samples", "200")


def test_rows_are_those_of_the_function(excerpt: Excerpt) -> None:
    """The command prints what the Python function gives, with a record of its files."""
    done = excerpt(
        "agreement", *FILES, "-m", "MAiP", "-m", "iP@0.01", *FEW, "--seed", "3", "--format", "json"
    )
    assert done.status == 0
    printed = json.loads(done.out)
    scores = evaluate(collection.qrels(), RUNS, ["MAiP", "iP@0.01"])
    assert printed["rows"] == list(agreement(scores, samples=200, seed=3).rows)
    there, back = printed["rows"]
    assert (there["measure"], there["other"]) == ("MAiP", "iP@0.01")
    assert there["precision"] == back["recall"]
    assert 0 < there["f1"] <= 1
    assert printed["record"]["seed"] == 3
    assert len(printed["record"]["inputs"]) == len(FILES)
    assert printed["record"]["arguments"][0] == "agreement"
    assert "no relevant text" in done.err


def test_table_and_options(excerpt: Excerpt) -> None:
    """Tests and corrections can be chosen; what is undefined is a dash; the same call prints the same."""
    options = (
        "-m",
        "MAiP",
        "-m",
        "charF",
        "--test",
        "sign",
        "--correction",
        "holm",
        "--alpha",
        "0.000000001",
    )
    done = excerpt("agreement", *FILES, *options)
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0].split()[:5] == ["measure", "other", "recall", "precision", "f1"]
    assert lines[2].split()[:5] == ["MAiP", "charF", "-", "-", "-"]
    assert done.out == excerpt("agreement", *FILES, *options).out


def test_figures(excerpt: Excerpt, tmp_path: Path) -> None:
    """Scatter and density for the first measure against each other one, the same bytes each time."""
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg", "a.png", "a.pdf"):
        options = ("-m", "MAiP", "-m", "charF", "-m", "iP@0.01", *FEW, "--figure", tmp_path / name)
        assert excerpt("agreement", *FILES, *options).status == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    two = excerpt(
        "agreement", *FILES[:3], "-m", "MAiP", "-m", "charF", *FEW, "--figure", tmp_path / "one_pair.svg"
    )
    assert two.status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "run", "-m", "MAiP"), "found one measure, expected at least 2 to compare"),
        (("qrels", "run", "-m", "MAiP", "-m", "MAiP"), "found one measure, expected at least 2 to compare"),
        (("qrels", "run"), "the following arguments are required: -m/--measure"),
        (("qrels", "run", "-m", "MAiP", "-m", "charF"), "found 1 run, expected at least 2 to compare"),
        (("qrels", "run", "-m", "MAiP", "-m", "charX"), "unknown measure 'charX'"),
        (("missing", "run", "-m", "MAiP", "-m", "charF"), "missing: cannot be read: no such file"),
        (("qrels", "run", "-m", "MAiP", "-m", "charF", "--alpha", "5"), "argument --alpha: found '5'"),
        (("qrels", "run", "-m", "MAiP", "-m", "charF", "--alpha", "x"), "argument --alpha: found 'x'"),
        (("qrels", "run", "-m", "MAiP", "-m", "charF", "--samples", "0"), "argument --samples: found '0'"),
        (("qrels", "run", "-m", "MAiP", "-m", "charF", "--figure", "a.gif"), "unknown figure format 'gif'"),
        (("qrels", "run", "run", "-m", "MAiP", "-m", "charF", "--seed", "-1"), "argument --seed: found '-1'"),
    ],
)
def test_mistakes(files: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str) -> None:
    """One line on standard error, exit status 2, nothing printed."""
    done = excerpt("agreement", *arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1
