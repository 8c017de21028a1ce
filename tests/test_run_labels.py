"""Labels of runs: files, results, errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import excerpt
from excerpt import ScoreTable
from excerpt.errors import ExcerptError
from excerpt.run_labels import read_labels, with_labels

VALUES = np.random.default_rng(1).random((3, 8, 2)) + np.arange(3)[:, None, None]
TABLE = ScoreTable(("a", "b", "c"), ("a.x", "b.x", "c.x"), tuple("12345678"), ("A", "b"), VALUES)
LABELS = {"a": "First & best", "b": "Second", "A": "not a run"}


def test_files(tmp_path: Path) -> None:
    """A run, a tab, and a label that may have spaces; a mark at the beginning and blank lines are skipped."""
    (tmp_path / "labels").write_bytes("\ufeffa\tFirst & best\r\n\nb\t Zweiter Ü \n".encode())
    assert read_labels(tmp_path / "labels") == {"a": "First & best", "b": "Zweiter Ü"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a First\n", ":1: found 1 column, expected run and label"),
        (b"a\tx\nb\tx y\tz\n", ":2: found 3 columns, expected run and label"),
        (b"a\tx\nb\t\n", ":2: found 1 column, expected run and label"),
        (b"a\tx\na\ty\n", ":2: found run a again, expected it once"),
        (b"a\tx\n\nb\tx\n", ":3: found label x again, expected a different label for each run"),
        (b"a\t\xff\n", "is not text in UTF-8"),
    ],
)
def test_bad_files(text: bytes, message: str, tmp_path: Path) -> None:
    """One line with the file and the line."""
    (tmp_path / "labels").write_bytes(text)
    with pytest.raises(ExcerptError) as caught:
        read_labels(tmp_path / "labels")
    assert f"labels{message}" in str(caught.value) or message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_results() -> None:
    """Names of runs change everywhere; measures of the same name and the original do not."""
    outcome = excerpt.compare(TABLE, test="t", baseline="b")
    labelled = with_labels(outcome, LABELS)
    assert {row["other"] for row in labelled.rows} == {"Second"}
    assert {row["measure"] for row in labelled.rows} == {"A", "b"}
    assert labelled.details["comparisons"][0].baseline == "Second"
    assert outcome.details["comparisons"][0].baseline == "b"
    assert with_labels(TABLE, LABELS).runs == ("First & best", "Second", "c")
    assert with_labels(TABLE.by_topic(), LABELS).table.runs[0] == "First & best"


def test_two_runs_of_one_label() -> None:
    """A label that is the name of another run would make two rows of one name."""
    with pytest.raises(ExcerptError, match="found the label c for two runs"):
        with_labels(TABLE, {"a": "c"})


def test_tables_and_figures() -> None:
    """Labels are data in LaTeX and SVG; options still take the names of runs."""
    text = TABLE.to_latex(labels=LABELS, baseline="a", test="t")
    assert r"First \& best & " in text
    assert "significantly better" in text
    assert r"than First \& best" in text
    figure = TABLE.draw("svg", labels=LABELS, highlight=["a"])
    assert b"First &amp; best" in figure
    assert b"Second" in figure
