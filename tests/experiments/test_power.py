"""Power: rows of all pairs together and with a baseline, from functions and commands."""

from __future__ import annotations

import itertools
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.published import SAKAI

import excerpt
from excerpt.cli import main
from excerpt.errors import ExcerptError
from excerpt.scores.score_table import ScoreTable
from excerpt.stats.variance import Variance

VALUES = np.random.default_rng(4).random((4, 30)) * 0.5 + np.array([0.0, 0.1, 0.12, 0.3])[:, None]
RUNS = ("a", "b", "c", "d")
TABLE = ScoreTable(RUNS, RUNS, tuple(map(str, range(30))), ("MAiP",), VALUES[:, :, None])


def test_all_pairs_share_their_spread() -> None:
    """The mean of the variances of all pairs; each number is that of statsmodels 0.14."""
    rows = excerpt.power(TABLE, difference="0.05,0.2", power=0.9).rows
    spread = math.sqrt(
        np.mean([(VALUES[i] - VALUES[j]).var(ddof=1) for i, j in itertools.combinations(range(4), 2)])
    )
    assert [row["difference"] for row in rows] == [0.05, 0.2]
    powers, needed = (0.26632256494729795, 0.9996239033164557), (167.45688821815503, 12.425306663981088)
    for row, power, topics in zip(rows, powers, needed, strict=True):
        assert (row["measure"], row["pairs"], row["topics"]) == ("MAiP", 6, 30)
        assert row["deviation"] == pytest.approx(spread)
        assert row["power"] == pytest.approx(power)
        assert row["needed"] == math.ceil(topics)
        assert row["visible"] == pytest.approx(0.6124454643867093 * spread, rel=1e-6)


def test_defaults_and_other_numbers_of_topics() -> None:
    """Four differences that people ask about; more topics show more; one-sided tests need fewer."""
    usual = excerpt.power(TABLE).rows
    assert [row["difference"] for row in usual] == [0.01, 0.02, 0.05, 0.1]
    more = excerpt.power(TABLE, size=300).rows
    one = excerpt.power(TABLE, one_sided=True).rows
    for before, after, single in zip(usual, more, one, strict=True):
        assert (after["topics"], after["needed"]) == (300, before["needed"])
        assert after["power"] > before["power"]
        assert after["visible"] < before["visible"]
        assert single["needed"] < before["needed"]


def test_baseline_has_the_differences_at_hand() -> None:
    """Each other run by its mean, with the spread of its own pair; given differences are for all of them."""
    rows = excerpt.power(TABLE, baseline="b").rows
    assert [(row["run"], row["other"]) for row in rows] == [("d", "b"), ("c", "b"), ("a", "b")]
    for row in rows:
        difference = VALUES[RUNS.index(row["run"])] - VALUES[1]
        assert row["difference"] == pytest.approx(abs(difference.mean()))
        assert row["deviation"] == pytest.approx(difference.std(ddof=1))
    assert len(excerpt.power(TABLE, baseline="b", difference=[0.1, 0.2]).rows) == 6


def test_runs_without_a_spread() -> None:
    """Runs that differ by the same everywhere say nothing of chances."""
    table = ScoreTable(("a", "b"), ("", ""), tuple("123"), ("P",), np.array([[[0.25]] * 3, [[0.5]] * 3]))
    (row,) = excerpt.power(table, difference=0.1).rows
    assert (row["deviation"], row["power"], row["needed"], row["visible"]) == (0.0, None, None, None)
    assert excerpt.power(table, difference=0.1).details["curves"][0]["chances"] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0}, "difference: found '0', expected differences above 0"),
        ({"difference": "a,b"}, "difference: found 'a,b'"),
        ({"difference": ()}, r"difference: found '\(\)'"),
        ({"size": 1}, "size: found 1, expected a whole number from 2 to 1000000"),
        ({"size": 10**400}, "size: found 10+…, expected a whole number from 2"),
        ({"power": 1.5}, "power: found 1.5, expected a number between 0 and 1"),
        ({"alpha": None}, "alpha: found None, expected a number between 0 and 1"),
        ({"baseline": "e"}, "unknown run 'e'"),
        ({"power": 0.01}, "found a power of 0.01, expected more than alpha"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    """Errors about invalid options, in one line."""
    with pytest.raises(ExcerptError, match=message):
        excerpt.power(TABLE, **options)


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The rows of the library, with a record that can be run again."""
    monkeypatch.chdir(tmp_path)
    excerpt.save_scores(TABLE, "scores.json")
    given = ["scores.json", "-m", "MAiP", "--difference", "0.05,0.2", "--size", "50", "--one-sided"]
    assert main(["power", *given, "--format", "json", "--record", "record.json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["rows"] == list(excerpt.power(TABLE, difference=(0.05, 0.2), size=50, one_sided=True).rows)
    assert printed["record"]["options"]["difference"] == [0.05, 0.2]
    assert main(["rerun", "record.json", "--check"]) == 0
    capsys.readouterr()
    assert main(["power", *given]) == 0
    assert "\none-sided paired t test, alpha 0.05\nneeded: number of topics" in capsys.readouterr().out
    assert main(["power", "scores.json", "-m", "MAiP", "--difference", "-1"]) == 2


VARIANCE_TABLE = ScoreTable(
    *(("a", "b", "c"),) * 2, tuple(map(str, range(20))), ("P", "R"), np.stack([SAKAI, SAKAI**2], axis=2)
)


def test_rows_of_every_measure() -> None:
    """Runs, topics and what is left; the figures of Sakai's example."""
    rows = excerpt.anova(VARIANCE_TABLE).rows
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
    outcome = excerpt.anova(
        ScoreTable(VARIANCE_TABLE.runs, VARIANCE_TABLE.files, VARIANCE_TABLE.topics, ("P",), values)
    )
    assert outcome.rows[0]["p"] < 1e-9
    assert r" & $<$0.0001 & " in outcome.to_latex()
    assert "  <0.0001  " in str(outcome)


def test_the_result_in_a_sentence() -> None:
    """Proportions explained, and whether the runs differ; with its name if there are several measures."""
    one, two = excerpt.anova(VARIANCE_TABLE).notes()
    assert one == (
        "P: runs explain 6 %, topics 52 % of the variance; runs do not differ significantly: "
        "F(2, 38) = 2.47, p = 0.0976"
    )
    assert two.startswith("R: runs explain ")
    same = VARIANCE_TABLE.values[:1] + np.arange(3)[:, None, None]
    table = ScoreTable(*(VARIANCE_TABLE.runs,) * 2, VARIANCE_TABLE.topics, ("P", "R"), same)
    assert excerpt.anova(table, "P").notes()[0].startswith("no residual: ")


def test_topics_without_some_score_are_left_out() -> None:
    """As everywhere."""
    values = VARIANCE_TABLE.values.copy()
    values[0, 3] = np.nan
    outcome = excerpt.anova(
        ScoreTable(
            VARIANCE_TABLE.runs, VARIANCE_TABLE.files, VARIANCE_TABLE.topics, VARIANCE_TABLE.measures, values
        )
    )
    assert outcome.rows[1]["degrees"] == 18
    assert outcome.warnings[0] == "1 topic is not scored for every run by P and is left out (topic 3)"


def test_variance_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rows of the library."""
    monkeypatch.chdir(tmp_path)
    excerpt.save_scores(VARIANCE_TABLE, "scores.json")
    assert main(["anova", "scores.json", "-m", "P", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == list(excerpt.anova(VARIANCE_TABLE, "P").rows)


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, before any work."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ExcerptError, match="an analysis of variance needs scipy, which is not installed"):
        excerpt.anova("no file", ["no run"], "P")
