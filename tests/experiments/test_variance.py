"""Analysis of variance as an experiment: rows of every measure, from functions and commands."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from published import SAKAI

import excerpt
from excerpt.cli import main
from excerpt.errors import ExcerptError
from excerpt.model.scores import ScoreTable
from excerpt.stats.variance import Variance

TABLE = ScoreTable(
    *(("a", "b", "c"),) * 2, tuple(map(str, range(20))), ("P", "R"), np.stack([SAKAI, SAKAI**2], axis=2)
)


def test_rows_of_every_measure() -> None:
    """Runs, topics and what is left; the figures of Sakai's example."""
    rows = excerpt.anova(TABLE).rows
    assert [(row["measure"], row["source"], row["degrees"]) for row in rows] == [
        *(("P", "run", 2), ("P", "topic", 19), ("P", "residual", 38)),
        *(("R", "run", 2), ("R", "topic", 19), ("R", "residual", 38)),
    ]
    assert rows[0]["f"] == pytest.approx(2.475, abs=5e-4)
    assert rows[0]["p"] == pytest.approx(0.098, abs=5e-4)
    assert (rows[2]["f"], rows[2]["eta2"]) == (None, pytest.approx(0.8317 / 1.9693, abs=1e-3))
    assert rows[3:] == tuple({"measure": "R", **row} for row in Variance.of(SAKAI**2).rows())


def test_small_chances_in_latex() -> None:
    """A p that would be printed as 0 is printed as less than the least."""
    values = np.stack([SAKAI * 0.01 + np.arange(3)[:, None]], axis=2)
    outcome = excerpt.anova(ScoreTable(TABLE.runs, TABLE.files, TABLE.topics, ("P",), values))
    assert outcome.rows[0]["p"] < 1e-9
    assert r" & $<$0.0001 & " in outcome.to_latex()


def test_topics_without_some_score_are_left_out() -> None:
    """As everywhere."""
    values = TABLE.values.copy()
    values[0, 3] = np.nan
    outcome = excerpt.anova(ScoreTable(TABLE.runs, TABLE.files, TABLE.topics, TABLE.measures, values))
    assert outcome.rows[1]["degrees"] == 18
    assert outcome.warnings[0] == "topic is not scored for every run by P and was left out"


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The rows of the library."""
    monkeypatch.chdir(tmp_path)
    excerpt.save_scores(TABLE, "scores.json")
    assert main(["anova", "scores.json", "-m", "P", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == list(excerpt.anova(TABLE, "P").rows)


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, before any work."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ExcerptError, match="an analysis of variance needs scipy, which is not installed"):
        excerpt.anova("no file", ["no run"], "P")
