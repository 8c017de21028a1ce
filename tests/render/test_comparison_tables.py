"""Comparisons as text and in LaTeX."""

from __future__ import annotations

import numpy as np
from latex_checks import tabulars

from excerpt import ScoreTable
from excerpt.experiments.comparison import compare
from excerpt.render import comparison_tables

SCORES = np.array(
    [[0.1, 0.2, 0.1, 0.2, 0.1, 0.3], [0.9, 0.8, 0.9, 0.8, 0.7, 0.9], [0.9, 0.8, 0.8, 0.9, 0.7, 0.8]]
)
TABLE = ScoreTable(
    ("bad", "good", "fair"), ("", "", ""), tuple("123456"), ("A", "B"), np.stack([SCORES, 1 - SCORES], 2)
)


def test_matrices() -> None:
    """Runs by their means with a sign for each other, for one measure after the other."""
    text = comparison_tables.matrices(compare(TABLE, test="t", correction="none"))
    first, second = text.split("\n\n")[0], text.split("\n\n")[2]
    assert [line.split()[1:2] + line.split()[3:] for line in first.splitlines()[2:]] == [
        ["good", "-.>"],
        ["fair", ".->"],
        ["bad", "<<-"],
    ]
    assert second.splitlines()[0].split() == ["place", "run", "B", "123"]
    assert (
        "2 of 3 pairs (66.7 %) differ significantly: t test, 6 comparisons not corrected, alpha 0.05, "
        "6 topics" in text
    )


def test_beside_a_baseline() -> None:
    """A row per other run, and how many differ from it."""
    text = str(compare(TABLE, "A", test="sign", correction="none", baseline="fair"))
    lines = text.splitlines()
    assert [line.split()[:3] for line in lines[2:4]] == [["A", "good", "fair"], ["A", "bad", "fair"]]
    assert lines[-1].startswith("1 of 2 pairs (50.0 %) differ significantly: sign test, 4 comparisons")


def test_latex() -> None:
    """A row per pair, marked where it is significant; the measure is named where there are several."""
    outcome = compare(TABLE, test="sign", correction="none")
    (found,) = tabulars(outcome.to_latex())
    assert found[0][:4] == ["measure", "run", "other", "difference"]
    assert len(found) == 7
    starred = [row[1:3] for row in found[1:4] if r"\textsuperscript{*}" in row[3].partition("phantom")[0]]
    assert starred == [["good", "bad"], ["fair", "bad"]]
    (one,) = tabulars(compare(TABLE, "A", test="sign", baseline="bad").to_latex(siunitx=True))
    assert one[0][:3] == ["run", "other", "difference"]
    assert "significant (sign test, 6 comparisons not corrected" in outcome.to_latex()
