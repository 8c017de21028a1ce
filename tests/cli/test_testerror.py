"""excerpt testerror on the embedded collection and on mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from excerpt import collection
from excerpt.evaluation import evaluate
from excerpt.experiments.significance_errors import error_rates

from .conftest import Excerpt

RUNS = [run.path for run in collection.runs("focused")]
FILES = (collection.qrels(), *RUNS)
FEW = ("-m", "MAiP", "--splits", "4", "--samples", "100")


def test_rows_are_those_of_the_function(excerpt: Excerpt) -> None:
    """The command prints what the Python function gives, a row for each test."""
    done = excerpt("testerror", *FILES, *FEW, "--format", "json")
    assert done.status == 0
    printed = json.loads(done.out)
    scores = evaluate(collection.qrels(), RUNS, ["MAiP"])
    assert printed["rows"] == list(error_rates(scores, splits=4, samples=100).rows)
    assert [row["test"] for row in printed["rows"]] == ["bootstrap", "t", "wilcoxon", "sign"]
    assert all(row["pairs"] == 4 * 45 for row in printed["rows"])
    assert printed["record"]["experiment"] == "testerror"


def test_table_options_and_figure(excerpt: Excerpt, tmp_path: Path) -> None:
    """Tests can be chosen; undefined rates are dashes in the table and words in the figure."""
    pytest.importorskip("matplotlib")
    options = (*FEW, "--tests", "sign, permutation", "--correction", "bonferroni", "--alpha", "0.000000001")
    done = excerpt("testerror", *FILES, *options, "--figure", tmp_path / "a.svg")
    assert done.status == 0
    assert [line.split()[0] for line in done.out.splitlines()[2:]] == ["sign", "permutation"]
    assert done.out.splitlines()[2].split()[5] == "-"
    assert (tmp_path / "a.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "run"), "the following arguments are required: -m/--measure"),
        (
            ("qrels", "run", "run", "-m", "MAiP"),
            "found 2 topics where all runs have a score by MAiP, expected",
        ),
        (("qrels", "run", "-m", "MAiP", "--tests", "z"), "unknown test 'z'; known: bootstrap, permutation"),
        (("qrels", "run", "-m", "MAiP", "--tests", ","), "found no test, expected at least one"),
        (("qrels", "run", "-m", "MAiP", "--splits", "0"), "argument --splits: found '0'"),
    ],
)
def test_mistakes(files: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str) -> None:
    """One line on standard error, exit status 2, nothing printed."""
    done = excerpt("testerror", *arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1
