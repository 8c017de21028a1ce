"""Tasks -t and -f: examples that were run with it; F1 … F8 name its rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from official_cases import Q, evaluate, figures


def test_thorough_counts_new_text_in_relevant_articles_only(tmp_path: Path) -> None:
    """F4.2: elsewhere the full length counts each time."""
    found = figures(evaluate(tmp_path, "1 a 0 50 / 1 a 25 50", task="t"))
    assert (found["ret_size"], found["rel_ret_size"]) == ("75", "75")
    assert figures(evaluate(tmp_path, "1 b 0 50 / 1 b 25 50", task="t"))["ret_size"] == "100"


def test_lengths_are_never_clipped(tmp_path: Path) -> None:
    """F4.4: what lies beyond the article counts as retrieved, negative offsets too."""
    found = figures(evaluate(tmp_path, "1 a 50 5000"))
    assert (found["ret_size"], found["rel_ret_size"]) == ("5000", "50")
    found = figures(evaluate(tmp_path, "1 a -50 100"))
    assert (found["ret_size"], found["rel_ret_size"]) == ("100", "50")


def test_sizes_do_not_wrap(tmp_path: Path) -> None:
    """F4.7, our difference: two topics with 1500000000 characters each."""
    qrels = Q + Q.replace("1 Q0", "2 Q0")
    found = figures(evaluate(tmp_path, "1 a 0 1500000000 / 2 a 0 1500000000", qrels=qrels))
    assert found["ret_size"] == "3000000000"


def test_interpolated_precision(tmp_path: Path) -> None:
    """F5: levels take the maximum of the levels above."""
    found = figures(evaluate(tmp_path, "1 a 0 10 / 1 b 0 30 / 1 a 10 60"))
    levels = [found[f"ircl_prn.{k / 100:.2f}"] for k in range(101)]
    assert levels == ["1.0"] * 11 + ["0.7"] * 60 + ["0.0"] * 30
    assert found["MAiP"] == "0.5247524752475254"


@pytest.mark.parametrize(("length", "aip"), [(29, 29), (57, 57), (58, 58), (28, 29), (30, 31)])
def test_recall_levels_in_doubles(tmp_path: Path, length: int, aip: int) -> None:
    """F5: a recall of exactly 29, 57 or 58 % is filed one level too low."""
    found = figures(evaluate(tmp_path, f"1 a 0 {length}"))
    assert abs(float(found["MAiP"]) - aip / 101) < 1e-15
