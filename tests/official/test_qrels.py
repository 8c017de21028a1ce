"""How the official tool reads qrels: examples that were run with it; F1 … F8 name its rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from official_cases import Q, evaluate, figures

from excerpt.errors import FormatError


def test_rsize_counts_for_recall_whatever_the_pairs(tmp_path: Path) -> None:
    """F2: rel_size is the rsize column."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 200 1000 50 0:100\n"))
    assert (found["rel_size"], found["char_rec"]) == ("200", "0.25")


def test_impossible_recall(tmp_path: Path) -> None:
    """F2: recall above 1 is reported before the figures, and no precision is filed."""
    qrels = "1 Q0 a 20 1000 50 0:100\n"
    printed = evaluate(tmp_path, "1 a 0 50", qrels=qrels)
    assert printed.lines[0] == "Impossible recall point: 250"
    assert figures(printed)["iP[0.00]"] == "0.0"
    assert figures(printed)["char_rec"] == "2.5"
    assert figures(evaluate(tmp_path, "1 a 0 50", qrels=qrels, task="r"))["gP[1]"] == "1.0365853658536586"


def test_bep_needs_seven_columns(tmp_path: Path) -> None:
    """F2: a line of six columns leaves the best entry point unset."""
    found = figures(evaluate(tmp_path, "1 a 50 1", qrels="1 Q0 a 100 1000 50\n", task="b"))
    assert found["gP[1]"] == "0.0"


def test_overlapping_pairs_count_twice(tmp_path: Path) -> None:
    """F2: a character in two pairs counts twice."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 150 1000 50 0:100 0:50\n"))
    assert (found["rel_ret_size"], found["iP[0.00]"]) == ("100", "2.0")


def test_duplicate_judgment_lines_add_up(tmp_path: Path) -> None:
    """F2: totals grow with every line, pairs accumulate."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels=Q + Q))
    names = ("num_rel", "rel_size", "rel_ret_size", "art_rec", "iP[0.00]")
    assert [found[name] for name in names] == ["2", "200", "100", "0.5", "2.0"]


def test_pairs_with_more_colons(tmp_path: Path) -> None:
    """F2: 12:5:7 reads as 12:5."""
    found = figures(evaluate(tmp_path, "1 a 12 9", qrels="1 Q0 a 5 1000 50 12:5:7\n"))
    assert found["rel_ret_size"] == "5"


@pytest.mark.parametrize(
    "bad", ["1 Q0 a 100\n", "\n", "1 Q0 a x 1000\n", "1 Q0 a 5 9 0 12\n", "1 Q0 a 5 9 0 12:\n"]
)
def test_bad_qrels_are_located_errors(tmp_path: Path, bad: str) -> None:
    """F2: what crashes the tool is an error with file and line."""
    with pytest.raises(FormatError, match=r"qrels:2: found"):
        evaluate(tmp_path, "1 a 0 50", qrels=Q + bad)
