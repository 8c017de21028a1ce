"""Scores for papers: what is bold, what is marked, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.latex_checks import tabulars

from excerpt import ScoreTable
from excerpt.errors import ExcerptError, UnknownName
from excerpt.experiments.comparison import compare
from excerpt.experiments.conclusions import Decision, agreement
from excerpt.experiments.outcome import Outcome, Record
from excerpt.render import paper_tables
from excerpt.render.tables import Look
from excerpt.scores.score_views import ScoreView

#: `good` and `fair` are alike and far above `bad`, on every topic.
SCORES = np.array(
    [[0.1, 0.2, 0.1, 0.2, 0.1, 0.3], [0.9, 0.8, 0.9, 0.8, 0.7, 0.9], [0.9, 0.8, 0.8, 0.9, 0.7, 0.8]]
)
NAMES = ("bad", "good_1", "fair")
TABLE = ScoreTable(
    NAMES, ("b.fol", "g.fol", "f.fol"), tuple("123456"), ("A", "cut"), np.stack([SCORES, SCORES], 2)
)


def rows(text: str) -> list[list[str]]:
    """The rows of the only tabular, without the heading."""
    return tabulars(text)[0][1:]


def test_all_pairs() -> None:
    """A letter for each run that is significantly worse; of `cut` the lower is the better."""
    text = TABLE.to_latex()
    assert rows(text) == [
        ["a", "bad", r"0.1667\phantom{\textsuperscript{a}}", r"\textbf{0.1667}\textsuperscript{bc}"],
        ["b", r"good\_1", r"\textbf{0.8333}\textsuperscript{a}", r"0.8333\phantom{\textsuperscript{bc}}"],
        ["c", "fair", r"0.8167\textsuperscript{a}", r"0.8167\phantom{\textsuperscript{bc}}"],
    ]
    assert (
        r"Letters: significantly better than the run with that letter (two-sided bootstrap test, "
        "3 comparisons corrected by Benjamini-Yekutieli, alpha 0.05, 6 topics). Bold: best value." in text
    )


def spread(marks: str) -> str:
    """All letters of markers with ranges: b to d, f."""
    letters = "abcdefghijkl"
    parts = [part.split("\N{EN DASH}") for part in marks.split(",")]
    return "".join(
        letters[letters.index(part[0]) : letters.index(part[1]) + 1] if len(part) > 1 else part[0]
        for part in parts
    )


def test_letters_are_what_compare_finds() -> None:
    """On generated scores, every letter is a significant row, and every significant row a letter."""
    values = np.random.default_rng(3).random((5, 30, 2)) + np.arange(5)[:, None, None] / 8
    names = tuple("vwxyz")
    table = ScoreTable(names, names, tuple(map(str, range(30))), ("A", "B"), values)
    found = {
        (row[1], "AB"[place], "vwxyz"["abcde".index(letter)])
        for row in rows(table.to_latex(test="t", correction="holm"))
        for place, cell in enumerate(row[2:])
        for letter in spread(cell.partition("\\phantom")[0].partition("script{")[2].rstrip("}"))
    }
    outcome = compare(table, test="t", correction="holm")
    expected = {(row["run"], row["measure"], row["other"]) for row in outcome.rows if row["significant"]}
    assert found == expected
    assert 0 < len(found) < len(outcome.rows)


def test_a_baseline() -> None:
    """Daggers for one baseline, by its name or file; only those that occur are explained."""
    text = TABLE.select(["A"]).to_latex(baseline="f.fol", test="sign", correction="none")
    assert [row[1] for row in rows(text)] == [
        r"0.1667\textsuperscript{\ddag}",
        r"\textbf{0.8333}\phantom{\textsuperscript{\ddag}}",
        r"0.8167\phantom{\textsuperscript{\ddag}}",
    ]
    assert (
        r"\textsuperscript{\ddag}: significantly worse than fair (two-sided sign test, 2 comparisons" in text
    )
    assert r"\dag}" not in text.replace(r"\ddag}", "")
    assert "significantly better" in TABLE.to_latex(baseline="bad")


def test_nothing_significant() -> None:
    """It is said that there is nothing; with one run or one topic there is nothing to say."""
    same = replace(TABLE, values=TABLE.values * 0)
    assert "No two runs differ significantly (two-sided bootstrap test" in same.to_latex()
    assert "No run is significantly better or worse than bad (" in same.to_latex(baseline="bad")
    for few in (TABLE.of_topics([0]), ScoreTable.from_scores({("r", t, "A"): 0.5 for t in "123"})):
        assert "significant" not in few.to_latex()
    assert "significant" not in TABLE.to_latex(marks=False)


def test_many_runs_have_no_letters() -> None:
    """More than twelve letters are unreadable; a remark says how to get markers."""
    names = tuple(f"r{i:02}" for i in range(13))
    values = np.random.default_rng(1).random((13, 5, 1))
    table = ScoreTable(names, names, tuple("12345"), ("A",), values)
    text = table.to_latex()
    assert "% no significance markers: 13 runs need a baseline (at most 12 without one)\n" in text
    assert "superscript" not in text
    assert len(rows(table.to_latex(baseline="r00"))) == 13


def test_topics_and_groups() -> None:
    """Among the scores of a topic the best is bold; marks are at the means."""
    found = rows(TABLE.select(["A"]).by_topic().to_latex(baseline="bad"))
    assert [row[:2] for row in found[:7]] == [["bad", topic] for topic in (*"123456", "all")]
    bold = [row[1] for row in found if "textbf" in row[2] and row[0] == "fair"]
    assert bold == ["1", "2", "4", "5"]
    marked = [row[:2] for row in found if r"\textsuperscript{\dag}" in row[2].partition(r"\phantom")[0]]
    assert marked == [[r"good\_1", "all"], ["fair", "all"]]


def test_equal_in_print() -> None:
    """Scores that are equal as printed are equally bold; an interval is bold with its mean."""
    values = np.array([[[0.50001]], [[0.50002]], [[0.4]]])
    table = ScoreTable(NAMES, NAMES, ("1",), ("A",), values)
    assert [r"\textbf" in row[1] for row in rows(table.to_latex())] == [True, True, False]
    shown = rows(ScoreView(table, interval=0.9, samples=19).to_latex())
    assert shown[0][1] == r"\textbf{0.5000 [0.5000, 0.5000]}"


def test_options() -> None:
    """Unknown ones are named, and marks are of scores."""
    with pytest.raises(UnknownName, match="did you mean 'caption'"):
        TABLE.to_latex(captoin="x")
    with pytest.raises(ExcerptError, match="baseline needs a table of scores"):
        compare(TABLE, test="sign").to_latex(baseline="bad")
    text = compare(TABLE, test="sign").to_latex(caption="x", label="t")
    assert all(f"\\caption{{x ({name})}}\n\\label{{t-{n}}}" in text for n, name in ((1, "A"), (2, "cut")))
    assert r"\caption{x}" in compare(TABLE, "A", test="sign").to_latex(caption="x")


@pytest.mark.parametrize("amount", ["read@5", "xCG@10", "xCI(ideal=full)[5]"])
def test_amounts_have_no_best_value(amount: str) -> None:
    """Amounts (text to read, cumulated gain) have no best value and no markers, also with a baseline."""
    table = replace(TABLE, measures=("A", amount))
    for text in (table.to_latex(), table.to_latex(baseline="bad")):
        assert {row[-1] for row in rows(text)} == {"0.1667", "0.8333", "0.8167"}
        assert r"\textbf{0.8333}" in text
    alone = table.select([amount]).to_latex(baseline="bad")
    assert "script" not in alone
    assert "Bold" not in alone


COMPARISON_TABLES_SCORES = np.array(
    [[0.1, 0.2, 0.1, 0.2, 0.1, 0.3], [0.9, 0.8, 0.9, 0.8, 0.7, 0.9], [0.9, 0.8, 0.8, 0.9, 0.7, 0.8]]
)
COMPARISON_TABLES_TABLE = ScoreTable(
    ("bad", "good", "fair"),
    ("", "", ""),
    tuple("123456"),
    ("A", "B"),
    np.stack([COMPARISON_TABLES_SCORES, 1 - COMPARISON_TABLES_SCORES], 2),
)


def test_matrices() -> None:
    """Runs by their means with a sign for each other, for one measure after the other."""
    text = paper_tables.comparison_matrices(compare(COMPARISON_TABLES_TABLE, test="t", correction="none"))
    first, second = text.split("\n\n")[0], text.split("\n\n")[2]
    assert [line.split()[1:2] + line.split()[3:] for line in first.splitlines()[2:]] == [
        ["good", "-.>"],
        ["fair", ".->"],
        ["bad", "<<-"],
    ]
    assert second.splitlines()[0].split() == ["rank", "run", "B", "123"]
    assert (
        "2 of 3 pairs (66.7 %) differ significantly: two-sided t test, 3 comparisons not corrected, "
        "alpha 0.05, 6 topics" in text
    )


def test_markdown_says_the_test() -> None:
    """All rows, then a sentence for each measure, and that each is a family."""
    outcome = compare(COMPARISON_TABLES_TABLE, test="t", correction="none")
    rows, *notes = outcome.to_markdown().strip().split("\n\n")
    assert len(rows.splitlines()) == 2 + len(outcome.rows)
    test = "two-sided t test, 3 comparisons not corrected, alpha 0.05, 6 topics"
    assert notes[0].startswith(
        "good is first, but not significantly different from fair (rank 2) by A over 6 "
    )
    assert notes[0].endswith(" A decides, since it was named first.")
    assert notes[1:] == [
        *(f"{name}: 2 of 3 pairs (66.7 %) differ significantly: {test}" for name in "AB"),
        "Each of the 2 measures is a family of tests of its own.",
    ]


def test_beside_a_baseline() -> None:
    """A row per other run, and how many differ from it."""
    text = str(compare(COMPARISON_TABLES_TABLE, "A", test="sign", correction="none", baseline="fair"))
    lines = text.splitlines()
    assert [line.split()[:3] for line in lines[2:4]] == [["A", "good", "fair"], ["A", "bad", "fair"]]
    assert lines[-3].startswith(
        "1 of 2 pairs (50.0 %) differ significantly: two-sided sign test, 2 comparisons"
    )
    assert lines[-1].startswith(
        "1 of 2 runs differ significantly from fair by A over 6 topics (two-sided sign"
    )


def test_latex() -> None:
    """A matrix of signs per measure, or a row per run beside a baseline; the note explains both."""
    outcome = compare(COMPARISON_TABLES_TABLE, test="sign", correction="none")
    found, second = tabulars(outcome.to_latex())
    assert found == [
        ["", "run", "A", "1", "2", "3"],
        ["1", "good", "0.8333", "-", ".", r"\textgreater{}"],
        ["2", "fair", "0.8167", ".", "-", r"\textgreater{}"],
        ["3", "bad", "0.1667", r"\textless{}", r"\textless{}", "-"],
    ]
    assert [row[1] for row in second[1:]] == ["bad", "fair", "good"]
    assert "neither (two-sided sign test, 3 comparisons not corrected, alpha 0.05" in outcome.to_latex()
    beside = compare(COMPARISON_TABLES_TABLE, "A", test="sign", baseline="bad")
    (one,) = tabulars(beside.to_latex())
    assert [row[0] for row in one] == ["run", "good", "fair"]
    assert one[1][2].startswith("0.6667 [")
    assert one[1][4] == "6/0/0"
    assert (
        r"\textsuperscript{*}"
        in tabulars(
            compare(COMPARISON_TABLES_TABLE, "A", test="sign", correction="none", baseline="bad").to_latex()
        )[0][1][2]
    )
    assert "Differences from bad, with 95\\,\\% intervals for each pair. W/T/L" in beside.to_latex()


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
        "Differ: the proportion of 3 pairs that differ significantly (one-sided bootstrap test, 6 "
        "comparisons corrected by Benjamini-Yekutieli, alpha 0.05, 6 topics)." in text
    )


def test_conclusion_tables_latex() -> None:
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
        assert found[3] == ["B", r"67 \%", "0.67", "1.00"]


QUANTISED = [
    f"{name}(quantisation={kind}){end}"
    for name, end in (("nxCG", "[25]"), ("MAep", ""))
    for kind in ("strict", "generalised")
]


def test_a_matrix_per_measure_of_several_quantisations() -> None:
    """As in table 4; what leads from one to another is among the rows, which is said."""
    outcome = outcome_of(*QUANTISED)
    first, second = paper_tables.matrices_of(outcome)
    assert (first.shared, first.labels) == ("nxCG[25]", ("strict", "generalised"))
    assert (second.shared, second.labels) == ("MAep", ("strict", "generalised"))
    text = str(outcome)
    assert "Recall of nxCG[25]\n" in text
    assert "Predictions between measures of different matrices are in csv and json" in text
    assert [found[0][0] for found in tabulars(outcome.to_latex())] == ["nxCG[25]", "MAep"]
    assert len(outcome.rows) == 12


def test_measures_of_different_kinds_are_one_matrix() -> None:
    """Not every measure has another quantisation, or says which it has."""
    (matrix,) = paper_tables.matrices_of(outcome_of(*QUANTISED[:2], "MAiP"))
    assert (matrix.shared, len(matrix.labels)) == ("", 3)
    (matrix,) = paper_tables.matrices_of(outcome_of("MAep", QUANTISED[2]))
    assert matrix.labels == ("MAep", QUANTISED[2])


def test_long_names_stand_at_the_rows_only() -> None:
    """Columns have numbers then, on a terminal and in LaTeX."""
    outcome = outcome_of(*QUANTISED[:2], "MAiP")
    lines = paper_tables.conclusion_matrices(outcome, Look(width=60)).splitlines()
    assert lines[2].split() == ["measure", "differ", "1", "2", "3"]
    assert lines[4].split()[:2] == ["1", QUANTISED[0]]
    assert max(map(len, lines)) <= 60
    assert tabulars(outcome.to_latex())[0][0] == ["", "", "differ", "1", "2", "3"]
    assert tabulars(outcome.to_latex())[0][2][:2] == ["1", QUANTISED[0]]


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
    assert tabulars(outcome.to_latex())[0][2] == ["A", r"0 \%", "--", "--"]
