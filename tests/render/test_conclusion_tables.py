"""Matrices of agreement, as the paper has them."""

from __future__ import annotations

import numpy as np
from latex_checks import tabulars

from excerpt import ScoreTable
from excerpt.experiments.conclusions import Decision, agreement
from excerpt.experiments.outcome import Outcome, Record
from excerpt.render import conclusion_tables
from excerpt.render.tables import Look

APART = [[0.9, 0.8, 0.9, 0.8, 0.9, 0.8], [0.5, 0.4, 0.5, 0.4, 0.5, 0.4], [0.1, 0.2, 0.1, 0.2, 0.1, 0.2]]
MIXED = [[0.9, 0.4, 0.9, 0.4, 0.9, 0.4], [0.4, 0.9, 0.4, 0.9, 0.4, 0.9], [0.1, 0.2, 0.1, 0.2, 0.1, 0.2]]


def outcome_of(*measures: str) -> Outcome:
    """Measures that find all three pairs different, or two of them, in turn."""
    lists = [(APART, MIXED)[place % 2] for place in range(len(measures))]
    values = np.stack([np.array(one) for one in lists], axis=2)
    return agreement(
        ScoreTable(("r", "s", "t"), ("", "", ""), tuple("123456"), measures, values), samples=200
    )


def test_by_hand() -> None:
    """A rejects three pairs, B two of them: the row predicts the column."""
    text = str(outcome_of("A", "B"))
    assert [line.split() for line in text.splitlines()[2:6]] == [
        ["measure", "differ", "A", "B"],
        ["-" * len(text.splitlines()[3])],
        ["A", "100", "%", "1.00", "1.00"],
        ["B", "67", "%", "0.67", "1.00"],
    ]
    assert [line.split() for line in text.splitlines()[11:13]] == [
        ["A", "100", "%", "1.00", "0.80"],
        ["B", "67", "%", "0.80", "1.00"],
    ]
    assert (
        "Differ: the share of 3 pairs that differ significantly (bootstrap test, 6 comparisons corrected by "
        "Benjamini-Yekutieli, alpha 0.05, 6 topics)." in text
    )


def test_latex() -> None:
    """Recall above F1 in one tabular, as in table 3."""
    for siunitx in (False, True):
        (found,) = tabulars(outcome_of("A", "B").to_latex(siunitx=siunitx, caption="c"))
        assert found[0] == ["", "differ", *(["{A}", "{B}"] if siunitx else ["A", "B"])]
        assert [row[0] for row in found[1:]] == [
            r"\multicolumn{4}{l}{\textit{Recall}}",
            "A",
            "B",
            r"\multicolumn{4}{l}{\textit{F1}}",
            "A",
            "B",
        ]
        assert found[3] == ["B", r"67\,\%", "0.67", "1.00"]


QUANTISED = [
    f"{name}(quantisation={kind}){end}"
    for name, end in (("nxCG", "[25]"), ("MAep", ""))
    for kind in ("strict", "generalised")
]


def test_a_matrix_per_measure_of_several_quantisations() -> None:
    """As in table 4; what leads from one to another is among the rows, which is said."""
    outcome = outcome_of(*QUANTISED)
    first, second = conclusion_tables.matrices_of(outcome)
    assert (first.shared, first.labels) == ("nxCG[25]", ("strict", "generalised"))
    assert (second.shared, second.labels) == ("MAep", ("strict", "generalised"))
    text = str(outcome)
    assert "Recall of nxCG[25]\n" in text
    assert "Predictions from one matrix to another are among the rows" in text
    assert [found[0][0] for found in tabulars(outcome.to_latex())] == ["nxCG[25]", "MAep"]
    assert len(outcome.rows) == 12


def test_measures_of_different_kinds_are_one_matrix() -> None:
    """Not every measure has another quantisation, or says which it has."""
    (matrix,) = conclusion_tables.matrices_of(outcome_of(*QUANTISED[:2], "MAiP"))
    assert (matrix.shared, len(matrix.labels)) == ("", 3)
    (matrix,) = conclusion_tables.matrices_of(outcome_of("MAep", QUANTISED[2]))
    assert matrix.labels == ("MAep", QUANTISED[2])


def test_long_names_stand_at_the_rows_only() -> None:
    """Columns have numbers then, on a terminal and in LaTeX."""
    outcome = outcome_of(*QUANTISED[:2], "MAiP")
    lines = conclusion_tables.matrices(outcome, Look(width=60)).splitlines()
    assert lines[2].split() == ["measure", "differ", "1", "2", "3"]
    assert lines[4].split()[:2] == ["1", QUANTISED[0]]
    assert max(map(len, lines)) <= 60
    assert tabulars(outcome.to_latex())[0][0] == ["", "differ", "1", "2", "3"]


def test_a_measure_that_finds_nothing() -> None:
    """It predicts nothing and is not predicted: dashes, also at itself."""
    empty = np.zeros((2, 2), np.bool_)
    one = Decision("A", 5, np.arange(2.0), empty)
    found = {"measure": "A", "other": "B", "recall": None, "f1": None}
    other = {"measure": "B", "other": "A", "recall": None, "f1": None}
    two = Decision("B", 5, np.arange(2.0), np.array([[False, True], [False, False]]))
    details = {"decisions": (one, two), "procedure": {"test": "t", "correction": "by", "alpha": 0.05}}
    outcome = Outcome((found, other), Record("agreement"), (), details)
    assert [line.split()[3:] for line in str(outcome).splitlines()[4:6]] == [["-", "-"], ["-", "1.00"]]
    assert tabulars(outcome.to_latex())[0][2] == ["A", r"0\,\%", "--", "--"]
